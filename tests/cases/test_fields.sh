#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Natural domains of a whole program: hot cells are where they should be whatever the layout, step by phase, add up to the
# report, and are drawn where they are.
. "${top_srcdir:-.}/tests/cases/proc.inc"
can_sample || skip "the step engine does not work here"
for times in 1 4 16 64; do # a busy machine gives few samples
    # shellcheck disable=SC2086
    recorded 0 fields --force $sampled -- "$top_builddir/tests/cases/fields_victim" $times
    must grep -qx 'sum 0' out
    "$loadstone" report --json fields.h5 >report.json 2>err || failed=1
    "$python" "$top_srcdir/tests/cases/fields_check.py" fields.h5 report.json >said 2>&1
    checked=$?
    [ $checked -eq 3 ] || break
done
if [ $checked -ne 0 ]; then
    sed 's/^/    /' said
    failed=1
fi
for node in dense apart ghosted shuffled; do
    expect 0 "is at high x, low y (x 21.33 to 32, y 0 to 10.67)" "$loadstone" report --heatmap $node:samples fields.h5
done
expect 0 "x [m]" "$loadstone" report --heatmap plate:latency fields.h5
"$loadstone" report --heatmap shuffled:samples --json fields.h5 >heat.json 2>err || failed=1
must "$python" -c 'import json; d = json.load(open("heat.json")); h = d["hottest"][0]
assert h["at"][0] >= 24 and h["at"][1] < 8 and d["sum"] == d["mapped_samples"], h'
exit $failed
