#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# record --engine hw, end to end through the running kernel, with an event that is there without a PMU: page faults that were
# handled, whose addresses are known exactly. The events of processors take the same way from the request on.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
unset LOADSTONE_EVENT LOADSTONE_LDLAT LOADSTONE_STORES LOADSTONE_HW_PERIOD LOADSTONE_HW_FREQ LOADSTONE_SYSFS LOADSTONE_ENGINE
victim=$top_builddir/tests/cases/faults_victim
event=software/config=5/u # PERF_COUNT_SW_PAGE_FAULTS_MIN

# recorded PERIOD: again while samples are lost: a machine that is busy may keep the reader from a ring for too long
recorded() {
    for chance in 1 2 3 4 5 6; do
        "$loadstone" record -q -f --engine hw --event $event --period "$1" --overhead 100% -o can.h5 -- "$victim" two 1000 300 >out 2>err
        status=$?
        "$loadstone" report --json can.h5 >json 2>/dev/null
        grep -q '"lost_records": [1-9]' json || break
    done
}
recorded 1
"$loadstone" report --how can.h5 >text 2>/dev/null
grep -q '^engine  *hw' text || skip "software events cannot be sampled here: $(cat err; grep ^engine text)"
must test $status -eq 0
must grep -qx done out
"$loadstone" report --csv --by node can.h5 >csv 2>err || { cat err; failed=1; }
# every page of both ranges, once
must grep -q 'A' csv
python3 - csv <<'P' || failed=1
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
counts = {}
for r in rows:
    name = next(v for k, v in r.items() if k in ("node", "path", "label"))
    counts[name.split("/")[-1]] = counts.get(name.split("/")[-1], 0) + int(float(r["samples"]))
if (counts.get("A"), counts.get("B")) != (1000, 300):
    sys.exit(f"FAIL: A and B have {counts.get('A')} and {counts.get('B')} samples, not 1000 and 300: {counts}")
P
# auto takes the next engine and reports once why this one is not used
if ! "$loadstone" doctor --json 2>/dev/null | grep -q '"engine": "hw"'; then
    "$loadstone" record -f -o auto.h5 true 2>err || failed=1
    must test "$(grep -o 'hw: ' err | wc -l)" -eq 1
fi
# the period is the requested one, rounded to a value that the PMU takes
recorded 10
must grep -qx done out
"$loadstone" report --csv --by node can.h5 >csv 2>err
python3 - csv <<'P' || failed=1
import csv, sys
n = sum(int(float(r["samples"])) for r in csv.DictReader(open(sys.argv[1])))
if not 80 <= n <= 400: sys.exit(f"FAIL: {n} samples of some 1,300 faults at a period of 10")
P
exit $failed
