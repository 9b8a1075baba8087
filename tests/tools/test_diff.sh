#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
. "${top_srcdir:-.}/tests/tools/check.sh"
make_profile=$top_builddir/tests/tools/make_profile
"$make_profile" a.h5 before && "$make_profile" b.h5 after && "$make_profile" c.h5 other || exit 99
COLUMNS=120 "$loadstone" diff a.h5 b.h5 >diff.txt 2>err || failed=1
golden diff.txt diff.txt
COLUMNS=80 LC_ALL=C "$loadstone" diff --by object,line --sort label a.h5 b.h5 >diff-narrow.txt 2>err || failed=1
golden diff-narrow.txt diff-narrow.txt
"$loadstone" diff --json a.h5 b.h5 >diff.json 2>err || failed=1
golden diff.json diff.json
# a run against itself: nothing is significant
"$loadstone" diff a.h5 a.h5 >same.txt 2>err || failed=1
must grep -q "not significant" same.txt
must test "$(grep -c -E '(more|less|new|gone)$' same.txt)" -eq 0
expect 0 "Nothing to compare: no row" "$loadstone" diff --where function=none a.h5 b.h5
must test "$(grep -c 'In parentheses' out)" -eq 0
# no line of the table is wider than the terminal
for columns in 60 80 100 130; do
    COLUMNS=$columns "$loadstone" diff a.h5 b.h5 2>err | sed '1,/^$/d;/^In paren/,$d' | awk -v w=$columns '{ if (length($0) > w) { print "FAIL: wider than " w ": " $0; bad = 1 } } END { exit bad }' || failed=1
done
# columns that do not fit are named, with the width that shows them
COLUMNS=80 expect 0 "(not shown: time A, time B, stall change, median change; COLUMNS=" "$loadstone" diff a.h5 b.h5
wide=$(sed -n 's/.*; COLUMNS=\([0-9]*\) shows all)$/\1/p' out)
COLUMNS=$((wide - 1)) expect 0 "(not shown: stall change; COLUMNS=$wide shows all)" "$loadstone" diff a.h5 b.h5
COLUMNS=$wide "$loadstone" diff a.h5 b.h5 >wide.txt 2>err || failed=1
must test "$(grep -c 'not shown:' wide.txt)" -eq 0
must grep -q 'stall .*share  *median  *median' wide.txt
expect 0 "times, latencies and levels do not compare" "$loadstone" diff a.h5 c.h5
expect 0 "different engines" "$loadstone" diff a.h5 c.h5
# in the other direction, B costs 1.20 s instead of 420 ms
expect 0 "next:" "$loadstone" diff --fail-on-regression 10% a.h5 b.h5
expect 0 "next: loadstone report --by line b.h5" "$loadstone" diff --by line a.h5 b.h5
expect 4 "1 row took significantly more time" "$loadstone" diff --fail-on-regression 2% --where object=B b.h5 a.h5
expect 0 "" "$loadstone" diff --fail-on-regression 60% b.h5 a.h5
expect 0 "" "$loadstone" diff --where function=multiply a.h5 b.h5
expect 2 "did you mean line?" "$loadstone" diff --by lin a.h5 b.h5
expect 2 "is missing" "$loadstone" diff a.h5
# regressions for code hosts, at the line with most samples of the row
"$loadstone" diff --fail-on-regression 2% --format github --where object=B b.h5 a.h5 >found.txt 2>err
must test $? -eq 4
must grep -qx '::error file=/src/matmul.c,line=17,title=memory-time::Input/B: 420 ms -> 1.20 s of CPU time (change +-.*)' found.txt
"$loadstone" diff --fail-on-regression 2% --format sarif --where object=B b.h5 a.h5 >found.sarif 2>err
must test $? -eq 4
must grep -q '"uri": "file:///src/matmul.c"' found.sarif
must grep -q '"startLine": 17' found.sarif
"$loadstone" diff --fail-on-regression 2% --format sarif a.h5 a.h5 >none.sarif 2>err || failed=1
if has_python json; then
    must "$python" -c 'import json; a, b = (json.load(open(f))["runs"][0]["results"] for f in ("found.sarif", "none.sarif")); assert len(a) == 1 and b == []'
fi
expect 2 "give --fail-on-regression, too" "$loadstone" diff --format github b.h5 a.h5

# several runs per side: the change must exceed the differences between runs of a side
"$make_profile" longer.h5 longer || exit 99
COLUMNS=120 "$loadstone" diff a.h5 longer.h5 -- b.h5 b.h5 >diff-runs.txt 2>err || failed=1
golden diff-runs.txt diff-runs.txt
must grep -q 'next: loadstone diff --by line a.h5 longer.h5 -- b.h5 b.h5' err
"$loadstone" diff a.h5 -- b.h5 --json >separated.json 2>err || failed=1
must cmp separated.json diff.json
"$loadstone" diff --where object=B a.h5 longer.h5 >one.txt 2>err || failed=1
must grep -q 'more$' one.txt
"$loadstone" diff --where object=B a.h5 a.h5 -- longer.h5 longer.h5 >alike.txt 2>err || failed=1
must grep -q 'more$' alike.txt
"$loadstone" diff --where object=B a.h5 longer.h5 -- longer.h5 longer.h5 >varied.txt 2>err || failed=1
must grep -q 'not significant$' varied.txt
expect 4 "1 row took significantly more time" "$loadstone" diff --fail-on-regression 2% --where object=B b.h5 b.h5 -- a.h5 a.h5
expect 0 "" "$loadstone" diff --fail-on-regression 2% --where object=B a.h5 longer.h5 -- longer.h5 longer.h5
expect 0 "different engines" "$loadstone" diff a.h5 a.h5 -- a.h5 c.h5
expect 0 "different engines" "$loadstone" diff a.h5 c.h5 -- a.h5
expect 2 "need -- between the sides" "$loadstone" diff a.h5 a.h5 b.h5
expect 2 "no runs of B after --" "$loadstone" diff a.h5 --
expect 2 "give -- once" "$loadstone" diff a.h5 -- b.h5 -- c.h5
expect 3 "missing.h5" "$loadstone" diff a.h5 a.h5 -- b.h5 missing.h5
expect 3 "missing.h5" "$loadstone" diff a.h5 missing.h5
exit $failed
