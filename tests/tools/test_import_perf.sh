#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# loadstone import of perf.data: recorded files, damaged ones, and recordings by perf on this machine.
. "${top_srcdir:-.}/tests/tools/check.sh"
data=$top_srcdir/tests/data/perf

# samples PROCESS FILE: the report's count for it
samples() {
    "$loadstone" report --csv --by process "$2" 2>/dev/null | awk -F, -v process="$1" '$1 == process { print $2 }'
}

if "$loadstone" import "$data/compressed.data" -o compressed.h5 2>err; then
    must test "$(samples '2477 touch' compressed.h5)" = 463
    must test "$(samples '2479 true' compressed.h5)" = 52 # behind exec
    must test "$(samples '2479 ' compressed.h5)" = 216    # before it: the child has its parent's mappings
    { "$loadstone" report --how compressed.h5; "$loadstone" report compressed.h5; } >report 2>/dev/null
    must grep -q "on vm, AMD EPYC" report
    must grep -q "page faults (perf record)" report
    # The file's mappings are known, whether or not its files are here.
    must grep -q "libc.so.6" report
else
    must grep -q "built without libzstd" err
fi
expect 0 "its last 40 bytes were left out" "$loadstone" import "$data/cut.data" -o cut.h5
must test "$(samples '2778 touch' cut.h5)" = 115
expect 0 "50 samples" "$loadstone" import "$data/pipe.data" -o pipe.h5

# Damage is reported, and no output remains.
printf 'PERFILE2' >short.data
expect 3 "this is no perf.data" "$loadstone" import short.data -o bad.h5
head -c 100 "$data/cut.data" >header.data
expect 3 "the file ends inside its header" "$loadstone" import header.data -o bad.h5
{ printf '2ELIFREP'; tail -c +9 "$data/cut.data"; } >swapped.data
expect 1 "the other byte order" "$loadstone" import swapped.data -o bad.h5
{ head -c 24 "$data/cut.data"; printf '\377\377\377\377\377\377\377\017'; tail -c +33 "$data/cut.data"; } >outside.data
expect 3 "the events lie outside of the file" "$loadstone" import outside.data -o bad.h5
mkdir threads.data
expect 1 "is a directory" "$loadstone" import --format perf-data threads.data -o bad.h5
must test ! -e bad.h5
must test -z "$(find . -name 'loadstone-spool*')"

# Two events with different layouts: loads with latency and source, and others without; one sample belongs to
# no event, one is too short. Then 3000 processes of a whole machine: processes without samples take no
# descriptor.
cat >layouts.py <<'P'
import struct, sys
IP, TID, TIME, ADDR, CPU, PERIOD, WEIGHT, DATA_SRC, IDENTIFIER = (1 << n for n in (0, 1, 2, 3, 7, 8, 14, 15, 16))
processes = int(sys.argv[2])
def attr(kind, config, sample_type):
    flags = 1 << 18  # sample_id_all
    return struct.pack("<IIQQQQQ", kind, 128, config, 1000, sample_type, 0, flags) + bytes(128 - 48)
def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body
events = [(attr(4, 0x1CD, IDENTIFIER | IP | TID | TIME | ADDR | WEIGHT | DATA_SRC), 71),
          (attr(4, 0x82D0, IDENTIFIER | IP | TID | TIME | ADDR | CPU | PERIOD), 72)]
DRAM = 2 | 2 << 5 | 0x80 << 5 | 0xD << 33 | 2 << 19 | 0x1A << 26
LOCKED = 2 << 24
def trailer(time): return struct.pack("<IIQQ", 100, 100, time, 71)
def loads(i, pid=100): return struct.pack("<QQIIQQQQ", 71, 0x401000, pid, pid, 1000 + i, 0x7000 + 8 * i, 200 + i, DRAM | (0 if i % 3 else LOCKED))
def others(i): return struct.pack("<QQIIQQIIQ", 72, 0x401004, 100, 100, 2000 + i, 0x8000 + 8 * i, 3, 0, 1000)
data = b"".join(record(3, 0, struct.pack("<II16s", pid, pid, b"solver") + trailer(10)) for pid in range(100, 100 + processes))
data += b"".join(record(9, 2, loads(i)) for i in range(30)) + b"".join(record(9, 2, others(i)) for i in range(20))
data += b"".join(record(9, 2, loads(50 + i, 100 + i)) for i in range(1, min(processes, 1200), 40))
data += record(9, 2, struct.pack("<Q", 99) + others(1)[8:]) + record(9, 2, loads(1)[:-8])
ids = 104 + len(events) * (128 + 16)
head, ids_bytes = b"", b""
for i, (a, number) in enumerate(events):
    head += a + struct.pack("<QQ", ids + 8 * i, 8)
    ids_bytes += struct.pack("<Q", number)
at = ids + len(ids_bytes)
header = b"PERFILE2" + struct.pack("<QQQQQQQQQ", 104, 144, 104, len(head), at, len(data), 0, 0, 0) + bytes(24)
open(sys.argv[1], "wb").write(header[:104] + head + ids_bytes + data)
P
if has_python; then
    "$python" layouts.py layouts.data 1
    expect 0 "50 samples" "$loadstone" import layouts.data -o layouts.h5 --ghz 1
    must grep -q "2 samples were left out: they are of no event" err
    "$loadstone" report --csv --by level layouts.h5 >levels 2>err || { cat err; failed=1; }
    must grep -q '^DRAM,30,30,' levels
    "$loadstone" report --csv --by locked layouts.h5 >locks 2>err || { cat err; failed=1; }
    must grep -q '^yes,10,' locks
    must grep -q '^no,20,' locks
    if has_python h5py; then # the others have no data source
        must "$python" -c 'import h5py; locked = h5py.File("layouts.h5")["samples/locked"][:].tolist(); exit([locked.count(n) for n in (0, 1, 255)] != [20, 10, 20])'
    fi
    "$python" layouts.py machine.data 3000
    (ulimit -n 64 && "$loadstone" import machine.data -o machine.h5 --ghz 1) >out 2>err || { echo "FAIL: a whole machine's processes:"; cat err; failed=1; }
    must test "$("$loadstone" report --csv --by process machine.h5 2>/dev/null | grep -c solver)" = 31
else
    echo "no Python: files with several layouts were not imported"
fi

# A recording of perf on this machine: as many samples as perf counts, and the touched array by its name.
command -v perf >/dev/null || { echo "not compared with perf: it is not installed"; exit $failed; }
cat >touch.c <<'END'
#include <sys/mman.h>
static char table[300 * 4096] __attribute__((aligned(4096)));
int main(void)
{
    madvise(table, sizeof table, MADV_NOHUGEPAGE);
    for (int i = 0; i < 300; i++)
        table[i * 4096] = 1;
    return 0;
}
END
must cc -g -O1 touch.c -o touch
if perf record -q -e page-faults:u -c 1 -d -o now.data ./touch 2>perf.err && perf script -i now.data -F addr >addresses 2>/dev/null; then
    with_address=$(awk '$1 != "0"' addresses | wc -l)
    expect 0 "$with_address samples" "$loadstone" import now.data -o now.h5
    COLUMNS=200 must "$loadstone" report --where node=table now.h5 >table 2>/dev/null
    must grep -Eq "table .* 300 " table
else
    echo "not compared with perf, which cannot record here: $(head -n 1 perf.err)"
fi
exit $failed
