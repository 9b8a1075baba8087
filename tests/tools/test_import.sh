#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# loadstone import: real PEBS samples of LULESH in MemAxes's format; errors in a file.
. "${top_srcdir:-.}/tests/tools/check.sh"
samples=$top_srcdir/tests/data/memaxes/lulesh-samples.csv

expect 0 "15676 samples" "$loadstone" import "$samples" -o lulesh.h5 --ghz 2.6
expect 1 "lulesh.h5" "$loadstone" import "$samples" -o lulesh.h5
expect 0 "m_x " "$loadstone" report lulesh.h5
# packed as a whole, and without an end of the last line: the same samples
gzip -c "$samples" >packed.csv.gz
expect 0 "15676 samples" "$loadstone" import packed.csv.gz -o packed.h5 --ghz 2.6
printf %s "$(cat "$samples")" >open.csv
expect 0 "15676 samples" "$loadstone" import open.csv -o open.h5 --ghz 2.6
head -c 20000 packed.csv.gz >cut.csv.gz
expect 3 "cut.csv.gz" "$loadstone" import cut.csv.gz -o cut.h5
must test ! -e cut.h5
printf 'PERFILE2' | gzip -c >perf.data.gz
expect 1 "packed by gzip: unpack it first" "$loadstone" import perf.data.gz -o perf.h5
expect 2 "cannot read standard input" "$loadstone" import - -o perf.h5

if has_python h5py numpy; then
    "$python" - "$samples" lulesh.h5 <<'END' || failed=1
import collections, csv, sys
import h5py, numpy
rows = list(csv.DictReader(open(sys.argv[1])))
run = h5py.File(sys.argv[2])
s = run["samples"]
labels = [l.decode() for l in run["nodes/label"][:]]
count = collections.Counter(labels[n] for n in s["node"][:])
assert count == collections.Counter(r["variable"] for r in rows), count
# Source of the data, a decimal number: its low four bits. 0 no source, 1 L1, 2 fill buffer (no level), 3 L2, 4 to 7 L3, from 8 on
# memory or another NUMA node; then a miss of the TLB, and locked loads
level = collections.Counter({0: 255, 1: 0, 2: 255, 3: 1, 4: 2, 5: 2, 6: 2, 7: 2}.get(int(r["dataSource"]) & 15, 3) for r in rows)
assert collections.Counter(s["level"][:]) == level, level
assert collections.Counter(s["tlb"][:]) == collections.Counter(0 if int(r["dataSource"]) & 16 else 255 for r in rows)
assert collections.Counter(s["locked"][:]) == collections.Counter(int(r["dataSource"]) >> 5 & 1 for r in rows)
# the values equal the measurement: farther levels are slower, and so are misses of the TLB
median = lambda rows: numpy.median(s["latency_cycles"][:][rows])
assert median(s["level"][:] == 1) * 1.5 < median(s["level"][:] == 2) < median(s["level"][:] == 3) / 3
assert all(median((s["level"][:] == l) & (s["tlb"][:] == 0)) > median((s["level"][:] == l) & (s["tlb"][:] != 0)) for l in (1, 2))
assert sorted(s["latency_cycles"][:]) == sorted(int(r["latency"]) for r in rows)
assert s["time_ns"][0] == 0 and (numpy.diff(s["time_ns"][:].astype("i8")) >= 0).all()
line = {ip: (f.decode(), n) for ip, f, n in zip(run["lines/ip"][:], run["lines/file"][:], run["lines/line"][:])}
found = collections.Counter(line[ip] for ip in s["ip"][:])
assert found == collections.Counter(("" if r["source"] == "??" else r["source"], int(r["line"])) for r in rows)
# The grid of the natural domain, cell by cell, for one variable and for all.
assert list(run["meshes/grid"].attrs["extents"]) == [32, 32, 32]
for variable, field in ((None, "grid"), ("m_delv", "grid.m_delv")):
    cells, latency = numpy.zeros((32, 32, 32)), numpy.zeros((32, 32, 32))
    for r in rows:
        if r["map3D"] == "1" and variable in (None, r["variable"]):
            at = int(r["zidx"]), int(r["yidx"]), int(r["xidx"])
            cells[at] += 1
            latency[at] = max(latency[at], int(r["latency"]))
    f = run["fields"][field]
    assert (f["samples"][:] == cells).all(), field
    assert (numpy.nan_to_num(f["latency_max_cycles"][:]) == latency).all(), field
    assert f.attrs["mapped"] == cells.sum() and cells.sum() > 0
END
else
    echo "not compared with h5py: it is not installed"
fi

# Exported again: the same loads from the same sources in the same cells; and a second import has the same fields.
expect 0 "" "$loadstone" export lulesh.h5 -o again.memaxes.csv
expect 0 "15676 samples" "$loadstone" import again.memaxes.csv -o again.h5 --ghz 2.6
if has_python h5py numpy; then
    "$python" - "$samples" again.memaxes.csv lulesh.h5 again.h5 <<'END' || failed=1
import collections, csv, sys
import h5py, numpy
def loads(path, base):
    cell = lambda r: (r["xidx"], r["yidx"], r["zidx"]) if r["map3D"] == "1" else None
    return collections.Counter((int(r["line"]), int(r["latency"]), int(r["dataSource"], base) & 15, r["cpu"], cell(r)) for r in csv.DictReader(open(path)))
was, now = loads(sys.argv[1], 10), loads(sys.argv[2], 16) # as MemAxes reads it
assert was == now, (was - now).most_common(3) + (now - was).most_common(3)
assert len({key[2] for key in now}) > 5 and sum(n for key, n in now.items() if key[4]) > 1000
first, second = h5py.File(sys.argv[3]), h5py.File(sys.argv[4])
for name in ("grid", "grid.m_delv"):
    for metric in ("samples", "latency_mean_cycles", "latency_max_cycles"):
        assert numpy.array_equal(first["fields"][name][metric][:], second["fields"][name][metric][:], equal_nan=True), (name, metric)
END
fi

# The error and its position.
head -n 5 "$samples" >short.csv
sed '3s/,9def3f88bf0/,x/; 3s/cd9def3f88bf0/now/' short.csv >time.csv
expect 3 "time.csv:3: column 'time': 'now' is no number" "$loadstone" import time.csv -o bad.h5
sed '4s/,[^,]*$//' short.csv >fields.csv
expect 3 "fields.csv:4: 13 fields, but the first line names 14 columns" "$loadstone" import fields.csv -o bad.h5
sed '1s/latency/delay/' short.csv >columns.csv
expect 3 "does not begin like any format" "$loadstone" import columns.csv -o bad.h5
expect 3 "columns.csv:1: there is no column 'latency'" "$loadstone" import --format memaxes columns.csv -o bad.h5
head -n 1 "$samples" >empty.csv
expect 3 "no sample to import" "$loadstone" import empty.csv -o bad.h5
expect 2 "use auto, perf-data" "$loadstone" import --format csv short.csv -o bad.h5
expect 2 "from 0.1 to 100" "$loadstone" import --ghz fast short.csv -o bad.h5
expect 3 "cannot read nowhere.csv" "$loadstone" import nowhere.csv -o bad.h5
must test ! -e bad.h5
exit $failed
