#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# A perf.data with samples of Arm's SPE, as perf record writes it, and its expected contents: make_spe.py
# VARIANT FILE [TRUTH] [PROGRAM BASE]. Written after the format's descriptions (perf.data-file-format.txt,
# arm-spe.c, auxtrace.c of Linux, Arm DDI 0487), not with Loadstone. TRUTH gets a line per load or store: time
# addr ip op source latency tlb cpu pid tid, numbers of run.h5; -1 unknown. PROGRAM is mapped at 0x400000, the
# accessed data is its data from BASE on.
import ctypes, random, struct, sys

variant, path = sys.argv[1:3]
truth_path = sys.argv[3] if len(sys.argv) > 3 else None
program, base = (sys.argv[4], int(sys.argv[5], 0)) if len(sys.argv) > 5 else ("/srv/solver", 0x7F1200000000)
rng = random.Random(7)


def offset_of(address):
    """Return the offset of the code's page in the program's file, by the segments of ELF64."""
    if len(sys.argv) <= 5:
        return 0x3000
    with open(program, "rb") as file:
        elf = file.read()
    table, size, number = struct.unpack_from("<Q", elf, 32)[0], *struct.unpack_from("<HH", elf, 54)
    for i in range(number):
        kind, _, offset, start, _, length = struct.unpack_from("<IIQQQQ", elf, table + i * size)
        if kind == 1 and start <= address < start + length:
            return (address & -4096) - (start - offset)
    sys.exit("the address is of no segment")

IP, TID, TIME, CPU, IDENTIFIER = 1 << 0, 1 << 1, 1 << 2, 1 << 7, 1 << 16
SPE_TYPE, SPE_ID, DUMMY_ID = 9, 71, 72
AREA_PIECE = 4096
has_context = variant not in ("wide", "thread", "nocontext", "itrace")
has_clock = variant != "clockless"
has_stamp = variant != "timeless"
is_thread = variant == "thread"
old_info = variant in ("first", "clockless")

# --- time: 100 MHz ticks, perf's clock is 10 ns a tick from an offset on,
# and of the counter only 40 bits are there ---
ZERO, CYCLES, MASK, SHIFT, MULT = 5_000_000_000, (7 << 40) + 12345, (1 << 40) - 1, 20, 10 << 20


def ticks_of(time_ns):
    return CYCLES + (time_ns - ZERO) // 10 & MASK


# --- records ---
def record(kind, misc, body):
    body += bytes(-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def trailer(time_ns, pid, tid, cpu, ident):
    return struct.pack("<IIQIIQ", pid, tid, time_ns, cpu, 0, ident)


def text(s):
    b = s.encode() + b"\0"
    return b + bytes(-len(b) % 8)


def comm(pid, tid, name, t, exec_=False):
    return record(3, (1 << 13) if exec_ else 0, struct.pack("<II", pid, tid) + text(name) + trailer(t, pid, tid, 0, DUMMY_ID))


def fork(pid, ppid, tid, ptid, t):
    return record(7, 0, struct.pack("<IIIIQ", pid, ppid, tid, ptid, t) + trailer(t, ppid, ptid, 0, DUMMY_ID))


def exit_(pid, tid, t):
    return record(4, 0, struct.pack("<IIIIQ", pid, pid, tid, tid, t) + trailer(t, pid, tid, 0, DUMMY_ID))


def mmap2(pid, addr, length, offset, prot, name, t):
    body = struct.pack("<IIQQQIIQQII", pid, pid, addr, length, offset, 8, 1, 4711, 1, prot, 2) + text(name)
    return record(10, 2, body + trailer(t, pid, pid, 0, DUMMY_ID))


def aux(offset, size, flags, t, pid, tid, cpu):
    return record(11, 0, struct.pack("<QQQ", offset, size, flags) + trailer(t, pid, tid, cpu, SPE_ID))


def itrace(pid, tid, cpu, t):
    return record(12, 0, struct.pack("<II", pid, tid) + trailer(t, pid, tid, cpu, SPE_ID))


def switch_wide(cpu, t, gone, come):
    return record(15, 1 << 13, struct.pack("<II", *come) + trailer(t, *gone, cpu, DUMMY_ID)) + record(
        15, 0, struct.pack("<II", *gone) + trailer(t, *come, cpu, DUMMY_ID))


def auxtrace(offset, area, tid, cpu, data):
    data += bytes(-len(data) % 8)
    return record(71, 0, struct.pack("<QQQIIII", len(data), offset, 0, area, tid & 0xFFFFFFFF, cpu & 0xFFFFFFFF, 0)) + data


# --- packets ---
SOURCES = {0x0: 0, 0x8: 2, 0x9: 5, 0xA: 3, 0xB: 3, 0xC: 5, 0xD: 6, 0xE: 7}  # Arm's common encoding: run.h5's sources
AMPERE = {0x0: 5, 0x3: 3, 0x5: 6, 0x7: 7, 0x8: 0, 0x9: 2}  # AmpereOne's
EVENT_SOURCES = [(0x004, 0), (0x00C, 2), (0x10C, 3), (0x30C, 7), (0x70C, 8)]  # event bits of cores without it


def operation(t, addr, ip, op, latency, source, events, tid):
    b = b"\xb0" + struct.pack("<Q", 1 << 63 | ip)
    if has_context:
        b += b"\x64" + struct.pack("<I", tid)
    b += b"\x49" + bytes([op]) + b"\x52" + struct.pack("<H", events)
    if source is not None:
        b += b"\x43" + bytes([source])
    b += b"\x99" + struct.pack("<H", 3) + b"\x98" + struct.pack("<H", latency)
    b += b"\xb2" + struct.pack("<Q", addr | 0xB4 << 56)  # a tag above the address
    return b + stamp(t)


def branch(t):
    return b"\xb0" + struct.pack("<Q", 1 << 63 | 0x400100) + b"\x4a\x00" + b"\x52" + struct.pack("<H", 2) + stamp(t)


def stamp(t):
    if not has_stamp:
        return b"\x01"
    return b"\x71" + struct.pack("<Q", ticks_of(t))


# --- the processes: two threads of one process, a child, on two CPUs; CPU 1 has another kind of core ---
THREADS = [(100, 100), (100, 101), (200, 200)]
truth, events = [], []  # events: (time, order, bytes)


class Area:
    def __init__(self, number, cpu, tid, offset):
        self.number, self.cpu, self.tid = number, cpu, tid
        self.offset = self.flushed = offset
        self.data = b""

    def flush(self, t):
        if self.data:
            events.append((t, 1, auxtrace(self.flushed, self.number, self.tid, self.cpu, self.data)))
            self.flushed += len(self.data)
            self.data = b""


def run_slice(area, cpu, pid, tid, t, count, bad=b""):
    """A thread runs: packets, then the AUX record that announces them. The kernel pads skipped bytes."""
    begin, data = area.offset, b""
    for i in range(count):
        t += rng.randrange(2, 60) * 10
        addr, ip = base + 8 * rng.randrange(64), 0x400100 + 4 * rng.randrange(16)
        op, latency, walk = rng.randrange(2), rng.randrange(1, 4000), rng.randrange(2)
        if cpu == 0 or old_info:  # Neoverse N1
            number = rng.choice(list(SOURCES))
            source, bits, ds = SOURCES[number], 2, number
        elif variant == "ampere":
            number = rng.choice(list(AMPERE))
            source, bits, ds = AMPERE[number], 2, number
        else:
            bits, source = rng.choice(EVENT_SOURCES)
            ds = 0xE  # in another encoding
        when = t - 700 if variant == "late" and i % 4 == 3 else t  # a packet that is late
        data += operation(when, addr, ip, op, latency, ds, bits | 0x10 | (0x20 if walk else 0), tid)
        truth.append([when, addr, ip, op, source, latency, 0 if walk else -1, cpu, pid, tid])
        if i % 3 == 0:
            data += branch(t)
        if i % 5 == 1:  # an alignment packet, to 4 bytes
            at = begin + len(data)
            data += b"\x21\x00" + bytes((-(at + 2)) % 4)
    data += bad
    area.data += data
    area.offset += len(data)
    written = t + 500
    if not (has_clock and has_stamp):
        for row in truth[-count:]:
            row[0] = written
    if variant != "itrace":
        events.append((written, 0, aux(begin, len(data), 1 if bad else 0, written, pid, tid, cpu)))
    pad = -area.offset % 64
    area.data += bytes(pad)
    area.offset += pad
    if len(area.data) > AREA_PIECE:
        area.flush(written + 1)
    return written


counts = {"seed": 4}.get(variant, 40)
rounds = {"seed": 2}.get(variant, 8)
# 4096 - 64: the first piece wraps around the end of the area
areas = [Area(0, 0, -1, 4096 - 64), Area(1, 1, -1, 0)]
if is_thread:
    areas = [Area(i, -1, tid, 128 * i) for i, (_, tid) in enumerate(THREADS)]
times = [ZERO + 200_000, ZERO + 201_230]
if variant == "itrace":  # nothing but who was there as it began
    for cpu in (0, 1):
        events.append((times[cpu], 0, itrace(*THREADS[cpu], cpu, times[cpu])))
for r in range(rounds):
    times = [max(times) + 990, max(times) + 1230]  # no thread is in two places
    for cpu in (0, 1):
        who = THREADS[cpu] if variant == "itrace" else THREADS[(r + cpu) % 3]
        if variant == "wide":
            events.append((times[cpu], 0, switch_wide(cpu, times[cpu], THREADS[(r + cpu - 1) % 3] if r else (0, 0), who)))
        area = areas[THREADS.index(who)] if is_thread else areas[cpu]
        bad = b"\xb2\x11" if variant == "damaged" and (r, cpu) == (3, 1) else b""
        times[cpu] = run_slice(area, cpu, *who, times[cpu], counts, bad) + rng.randrange(1, 9) * 100
for a in areas:
    a.flush(max(times) + 10)
t0 = ZERO + 100_000
events += [(t0 + 3, 0, comm(100, 101, "worker", t0 + 3)), (max(times) + 20, 0, exit_(200, 200, max(times) + 20))]
data = comm(100, 100, "solver", t0, True)
data += mmap2(100, 0x400000, 0x1000, 0, 5, program, t0 + 1) + mmap2(100, base & -4096, 0x2000, offset_of(base), 3, program, t0 + 1)
data += fork(100, 100, 101, 100, t0 + 2) + fork(200, 100, 200, 100, t0 + 4)
if variant in ("wide", "nocontext"):  # the records of a whole machine name the threads, too
    data += comm(300, 300, "other", t0 + 5)
if variant == "losses":  # as the kernel reports them, and as perf sums them up when it ends (without a time)
    t = max(times) + 30
    for body in (struct.pack("<IHH", 2, 0, 48 + 8) + struct.pack("<QQ", DUMMY_ID, 40), struct.pack("<IHH", 13, 0, 48) + struct.pack("<Q", 5),
                 struct.pack("<IHH", 5, 0, 64) + struct.pack("<QQQ", t, SPE_ID, SPE_ID), struct.pack("<IHH", 6, 0, 64) + struct.pack("<QQQ", t, SPE_ID, SPE_ID)):
        events.append((t, 0, body + trailer(t, 100, 100, 0, SPE_ID)))
    events.append((t + 1, 0, struct.pack("<IHH", 13, 0, 48) + struct.pack("<Q", 43) + trailer(0, 0, 0, 0, DUMMY_ID)))
order = sorted(events, key=lambda e: e[0:2])

# --- the file ---
info = struct.pack("<II", 4, 0)
if old_info:
    info += struct.pack("<QQ", SPE_TYPE, 1)
else:
    midrs = [0x410FD0C0, 0xC00FAC40 if variant == "ampere" else 0x480FD010]
    info += struct.pack("<QQQQ", 2, 4, SPE_TYPE, 2)
    for cpu, midr in enumerate(midrs):
        info += struct.pack("<QQQQQQ", 0x1010101010101010, cpu, 3, midr, SPE_TYPE, 256)
conv = record(79, 0, struct.pack("<QQQQQBB6x", SHIFT, MULT, ZERO - 10 * CYCLES & (1 << 64) - 1, CYCLES, MASK, 1, 1)) if has_clock else b""
meta = record(70, 0, info) + conv


def attr(kind, config, sample_type, period):
    flags = 1 << 18 | (1 << 24 | 1 << 26 if kind == 1 else 0)  # sample_id_all; mmap2, context_switch
    return struct.pack("<IIQQQQQ", kind, 128, config, period, sample_type, 0, flags) + bytes(128 - 48)


KIND = IDENTIFIER | TID | TIME | CPU
attrs = [(attr(SPE_TYPE, 0x300010001, KIND, 1024), SPE_ID), (attr(1, 9, KIND | IP, 1), DUMMY_ID)]


class Buffer(ctypes.Structure):  # ZSTD_inBuffer, ZSTD_outBuffer
    _fields_ = [("at", ctypes.c_void_p), ("size", ctypes.c_size_t), ("pos", ctypes.c_size_t)]


class Packer:
    """One stream over all records, flushed after each of them, as perf does."""

    def __init__(self):
        self.zstd = ctypes.CDLL("libzstd.so.1")
        self.zstd.ZSTD_createCCtx.restype = ctypes.c_void_p
        self.zstd.ZSTD_compressStream2.restype = ctypes.c_size_t
        self.zstd.ZSTD_compressStream2.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int]
        self.context = self.zstd.ZSTD_createCCtx()

    def records(self, stream):
        room = len(stream) + 4096
        to, of = ctypes.create_string_buffer(room), ctypes.create_string_buffer(stream, len(stream))
        out, given = Buffer(ctypes.addressof(to), room, 0), Buffer(ctypes.addressof(of), len(stream), 0)
        left = self.zstd.ZSTD_compressStream2(self.context, ctypes.byref(out), ctypes.byref(given), 1)
        assert left == 0 and given.pos == len(stream)
        raw = to.raw[:out.pos]
        return b"".join(struct.pack("<IHH", 81, 0, 8 + len(c)) + c for c in (raw[i:i + 1000] for i in range(0, len(raw), 1000)))


def is_piece(b):
    return struct.unpack("<I", b[:4])[0] == 71


if variant in ("packed", "allpacked"):
    try:
        packer = Packer()
    except OSError:
        sys.exit(77)
if variant == "packed":  # perf -z packs the kernel's records; pieces of AUX areas are records of perf
    plain, out = data, meta
    for _, _, b in order:
        if is_piece(b):
            out += packer.records(plain) + b
            plain = b""
        else:
            plain += b
    data = out + (packer.records(plain) if plain else b"")
elif variant == "allpacked":  # perf does not write this
    data = meta + packer.records(data + b"".join(b for _, _, b in order))
else:
    data = meta + data + b"".join(b for _, _, b in order)


def string(s):
    b = s.encode() + b"\0"
    b += bytes(-len(b) % 64)
    return struct.pack("<I", len(b)) + b


features = {3: string("grace"), 6: string("aarch64"), 9: string("0x00000000410fd0c0"),
            11: struct.pack("<I", 2) + string("./solver") + string("-n 3")}
if variant == "pipe":
    out = b"PERFILE2" + struct.pack("<Q", 16)
    for a, ident in attrs:
        out += record(64, 0, a + struct.pack("<Q", ident))
    for number, body in features.items():
        out += record(80, 0, struct.pack("<Q", number) + body)
    out += data
else:
    ids = 104 + len(attrs) * (128 + 16)
    at = ids + 8 * len(attrs)
    bits = [0, 0, 0, 0]
    for number in features:
        bits[number // 64] |= 1 << number % 64
    out = b"PERFILE2" + struct.pack("<8Q", 104, 144, 104, len(attrs) * 144, at, len(data), 0, 0) + struct.pack("<4Q", *bits)
    for i, (a, _) in enumerate(attrs):
        out += a + struct.pack("<QQ", ids + 8 * i, 8)
    out += b"".join(struct.pack("<Q", ident) for _, ident in attrs) + data
    where = len(out) + 16 * len(features)
    for _, body in sorted(features.items()):
        out += struct.pack("<QQ", where, len(body))
        where += len(body)
    out += b"".join(body for _, body in sorted(features.items()))
with open(path, "wb") as file:
    file.write(out)
if truth_path:
    with open(truth_path, "w") as file:
        for row in sorted(truth):
            print(*row, file=file)
