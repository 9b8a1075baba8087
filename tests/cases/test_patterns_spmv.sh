#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# From a program to its replay: a sparse product is recorded, its patterns are found, written, replayed, shown on a page.
. "${top_srcdir:-.}/tests/cases/proc.inc"
needs_json
can_sample || skip "the step engine does not work here"
export OMP_WAIT_POLICY=passive # threads that spin hurt on a busy machine

# longer where a busy machine gave few samples
repeats=20
while :; do
    "$loadstone" record -q --force --paused $sampled -o run.h5 -- "$top_builddir/examples/spmv" 400 refined $repeats >out 2>err || {
        echo "FAIL: record: $(cat err)"
        exit 1
    }
    accesses=$("$loadstone" patterns run.h5 --json 2>/dev/null | "$python" -c '
import json, sys
j = json.load(sys.stdin)
assert j["is_sampled"], j
print(min([sum(r["accesses"] for r in j["patterns"] if r["home"] == h) for h in ("x", "value", "column")]))')
    [ "${accesses:-0}" -lt 1000 ] && [ $repeats -lt 6000 ] || break
    repeats=$((repeats * 4))
done
[ "${accesses:-0}" -ge 300 ] || skip "too few samples on this machine: ${accesses:-none}"

must "$loadstone" patterns run.h5 -o P.json >table 2>err
must grep -q 'bursts: a sample' table
must grep -q 'next: loadstone replay P.json' err
must "$loadstone" replay --no-stream --quiet --max-count 1000 --max-runs 2 --warmups 1 -b serial -t 1 P.json >replayed
must grep -q '^validated  all results' replayed
must "$loadstone" patterns run.h5 --json >run.json 2>/dev/null
must "$python" - <<'P'
import json
rows = json.load(open("run.json"))["patterns"]
def of(home):
    return max((r for r in rows if r["home"] == home and r["op"] == "load"), key=lambda r: r["accesses"])
x, value, column = of("x"), of("value"), of("column")
for r in (value, column):
    assert r["class"] == "uniform stride" and r["stride"] == 1, r
    assert r["function"] == "multiply" and r["file"].endswith("spmv.c"), r
assert x["class"] not in ("uniform stride", "broadcast"), x
assert (x["element_bytes"], value["element_bytes"], column["element_bytes"]) == (8, 8, 4)
assert x["file"] == value["file"] and x["line"] == value["line"] == column["line"]
# each entry is loaded with its column and its element of x: equally often, except at the ends of the bursts
assert 0.8 < x["accesses"] / value["accesses"] < 1.25, (x["accesses"], value["accesses"])
P
"$loadstone" view run.h5 -o page.html 2>err || grep -q 'no program for the page' err || { echo "FAIL: view: $(cat err)"; failed=1; }
exit $failed
