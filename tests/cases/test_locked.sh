#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The step engine marks accesses by atomic instructions: each of the counted and exchanged elements, none of
# the plain ones.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
victim=$top_builddir/tests/cases/locked_victim
"$loadstone" doctor 2>/dev/null | grep -q 'yes *step' || skip "the step engine does not work here: loadstone doctor says why"

# count NAME LOCKED: samples on that array that report --by node,locked has
count() {
    awk -F, -v name="$1" -v locked="$2" '$1 ~ name "$" && $2 == locked { n += $3 } END { print n + 0 }' rows.csv
}

# until there are enough samples, more work
rounds=2000
while :; do
    "$loadstone" record -q --force --engine step --overhead 50% --seed 1 -o l.h5 -- "$victim" $rounds >out 2>err || { echo "FAIL: status $?"; cat err; exit 1; }
    [ "$(cat out)" = "$rounds $((rounds - 1))" ] || { echo "FAIL: the program's output:"; cat out; exit 1; }
    "$loadstone" report --csv --by node,locked l.h5 >rows.csv 2>err || { cat err; exit 1; }
    [ "$(count counted yes)" -gt 100 ] && [ "$(count exchanged yes)" -gt 100 ] && [ "$(count plain no)" -gt 100 ] && break
    rounds=$((rounds * 4))
    [ $rounds -lt 1000000 ] || { echo "FAIL: hardly any samples:"; cat rows.csv; exit 1; }
done
for rest in "counted no" "counted (not known)" "exchanged no" "exchanged (not known)" "plain yes" "plain (not known)"; do
    # counted and exchanged are read once more, for the program's output
    [ "$(count "${rest%% *}" "${rest#* }")" -le 1 ] || { echo "FAIL: $rest:"; cat rows.csv; failed=1; }
done
"$loadstone" report --by node --where locked=yes l.h5 >only.txt 2>err || { cat err; failed=1; }
grep -q counted only.txt && grep -q exchanged only.txt && ! grep -q plain only.txt || { echo "FAIL: --where locked=yes:"; cat only.txt; failed=1; }
# one instruction loads and stores: equally often, except where a burst ended between them
"$loadstone" report --csv --by op --where locked=yes l.h5 >ops.csv 2>err || { cat err; failed=1; }
awk -F, '{ n[$1] = $2 } END { d = n["load"] - n["store"]; exit !(n["load"] > 0 && d * d * 100 <= n["load"] * n["load"]) }' ops.csv ||
    { echo "FAIL: loads and stores of locked instructions:"; cat ops.csv; failed=1; }

# two runs side by side, two runs as one
cp l.h5 again.h5
expect 0 "yes" "$loadstone" diff --by locked l.h5 again.h5
expect 0 "" "$loadstone" merge -o both.h5 l.h5 again.h5
total() { "$loadstone" report --csv --by locked "$1" 2>/dev/null | awk -F, '$1 == "yes" { print $2 }'; }
[ "$(total both.h5)" = $((2 * $(total l.h5))) ] || { echo "FAIL: merged: $(total both.h5) are not twice $(total l.h5)"; failed=1; }
exit $failed
