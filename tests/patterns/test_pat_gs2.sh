#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# --to gs-patterns in mode v2 writes version 2's files: a reader of its names, columns and indices finds the accesses of a trace, the
# instruction that was seen first where two appear equally often, and no symbol-less instruction among the places. The listing
# on the standard output has the same numbers.
. "${top_srcdir:-.}/tests/tools/check.sh"
has_python json struct || skip "no python3: nothing looks into the files"
binary=$top_builddir/tests/patterns/.libs/make_patterns
[ -f "$binary" ] || binary=$top_builddir/tests/patterns/make_patterns
cat >make.py <<'P'
import random, struct, sys

draw = random.Random(5)
with open(sys.argv[1], "rb") as f:
    entry = struct.unpack("<Q", f.read(32)[24:])[0]
# 12 loads that appear equally often, one that appears more often without a symbol, two stores of 4 bytes
ips = [0x400000 + entry + 4 * (i * 7 % 12) for i in range(12)]
rows = []
for turn in range(1500):
    for i, ip in enumerate(ips):
        rows.append((ip, 0, 8, (i + 1 << 32) + 8 * draw.randrange(5000)))
    rows.append((0x7f0000001000, 0, 8, (50 << 32) + 8 * draw.randrange(5000)))
    for i in range(2):
        rows.append((ips[i] + 64, 1, 4, (60 + i << 32) + 4 * draw.randrange(3000 * (1 - i) + 20)))
with open("t.bin", "wb") as f:
    for ip, kind, size, at in rows:
        f.write(struct.pack("<HHQHHQ", 0xA, 4, ip, kind, size, at))
with open("rows.py", "w") as f:
    f.write(repr((ips, rows)))
P
must $python make.py "$binary"
must "$loadstone" patterns t.bin --binary "$binary@0x400000" --mode v2 --to gs-patterns -o P.json >listing 2>err
cat >read.py <<'P'
import glob, json, re, struct

ips, rows = eval(open("rows.py").read())
text = open("P.txt").read().splitlines()
assert text[0] == "#iaddr, sourceline, type size bytes, g/s, nindices, final percentage of g/s", text[0]
found, names = json.load(open("P.json")), set()
assert len(found) == len(text) - 1 == 12, len(found)
places = {"G": 0, "S": 0}
for line, pattern in zip(text[1:], found):
    ip, source, size, kind, n, percent = line.split(",")
    ip, size, n = int(ip, 16), int(size), int(n)
    mine = [at // size for i, k, _, at in rows if i == ip and k == (kind == "S")]
    low = min(mine)
    assert pattern == {"kernel": {"G": "Gather", "S": "Scatter"}[kind], "pattern": [at - low for at in mine], "count": 1}, line
    name = f"P.{kind.lower()}.{places[kind]:03d}.{size:02d}B.sbin"
    with open(name, "rb") as f:
        assert struct.unpack(f"<{n}q", f.read()) == tuple(pattern["pattern"]), name
    names.add(name)
    if kind == "G":  # equally often: in the order in which they were first seen, ten of them
        assert ip == ips[places[kind]] and percent == " 8.333", line
    assert size == (8 if kind == "G" else 4), line
    places[kind] += 1
assert places == {"G": 10, "S": 2} and names == set(glob.glob("*.sbin")), (places, names)
listing = open("listing").read()
assert re.findall(r"^(GATHERS|SCATTERS|\S+\.sbin)$", listing, re.M) == (
    ["GATHERS"] + sorted(n for n in names if ".g." in n) + ["SCATTERS"] + sorted(n for n in names if ".s." in n))
assert re.findall(r"^GATHER % -- (......)% \( 512-bit chunks\)$", listing, re.M) == [line.split(",")[5] for line in text[1:]]
assert len(re.findall(r"^DTYPE      -- [48] bytes$", listing, re.M)) == 12, listing
for bins in re.findall(r"^\( -inf,  -513\]: (\d+)\n\[ -512,     0\): (\d+)\n\[    0,   512\]: (\d+)\n\[  513,   inf\): (\d+)$", listing, re.M):
    assert sum(map(int, bins)) == 1499, bins
P
must $python read.py
# a limit cuts both the files and the listing
must "$loadstone" patterns t.bin --binary "$binary@0x400000" --mode v2 --longest 1000 --to gs-patterns -f -o P.json >listing 2>err
must test "$(grep -c '^NINDICES   -- 1000$' listing)" = 12
must test "$(grep -c ',1000,' P.txt)" = 12
# version 1's files in the other modes
must "$loadstone" patterns t.bin --binary "$binary@0x400000" --mode v1 --to gs-patterns -o Q.json >listing 2>err
must grep -q '^#sourceline, g/s, indices, percentage of g/s in trace$' Q.txt
must test -s Q.0.sbin
exit $failed
