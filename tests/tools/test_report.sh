#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
. "${top_srcdir:-.}/tests/tools/check.sh"
"$top_builddir/tests/tools/make_profile" run.h5 || exit 99
COLUMNS=130 "$loadstone" report run.h5 >report.txt 2>err || failed=1
golden report.txt report.txt
COLUMNS=64 LC_ALL=C "$loadstone" report run.h5 >report-narrow.txt 2>err || failed=1
golden report-narrow.txt report-narrow.txt
COLUMNS=100 "$loadstone" report --tree run.h5 2>err >report-tree.txt
golden report-tree.txt report-tree.txt
COLUMNS=60 LC_ALL=C "$loadstone" report --tree --depth 1 run.h5 2>err >report-tree-narrow.txt
golden report-tree-narrow.txt report-tree-narrow.txt
expect 2 "tree is of nodes" "$loadstone" report --tree --by line run.h5
COLUMNS=130 "$loadstone" report --by line --node Input run.h5 >report-by-line.txt 2>err || failed=1
golden report-by-line.txt report-by-line.txt
"$loadstone" report --json run.h5 >report.json 2>err || failed=1
golden report.json report.json
# where nothing is registered its row is left out; blocks of a site are folded by default
"$top_builddir/tests/tools/make_profile" plain.h5 plain || exit 99
COLUMNS=80 "$loadstone" report plain.h5 2>err >report-plain.txt
COLUMNS=80 "$loadstone" report --by block plain.h5 2>err >>report-plain.txt
golden report-plain.txt report-plain.txt
must "$top_builddir/tests/tools/make_profile" stripped.h5 stripped
expect 0 "  matmul/.bss: at most 59.5" "$loadstone" report stripped.h5
must test "$("$loadstone" report --json plain.h5 2>err | grep -c '"kind": "unregistered"')" -eq 1
expect 0 "" "$loadstone" report --node "matrix" plain.h5
must grep -q "^matrix  *90.0" out
# where the counter is too coarse for it, L1 and L2 are one column
must "$top_builddir/tests/tools/make_profile" coarse.h5 coarse
COLUMNS=80 expect 0 "" "$loadstone" report coarse.h5
must grep -qE '^data .* L1/2  *L3  *DRAM$' out
COLUMNS=100 expect 0 "" "$loadstone" report --tree coarse.h5
must grep -qE 'L1/2  *L3  *DRAM$' out
COLUMNS=120 expect 0 "" "$loadstone" report --annotate multiply coarse.h5
must grep -qE 'L1/2  *L3 DRAM  *line$' out
expect 0 "L1 or L2" "$loadstone" report --by level coarse.h5
expect 0 "" "$loadstone" report --where level=L1 coarse.h5
expect 0 "L1/2 < 35 < L3" "$loadstone" report --how coarse.h5
"$loadstone" report --json coarse.h5 >coarse.json 2>err || failed=1
must grep -qF '"l1_stands_for_l2": true' coarse.json
# no line is wider than the terminal
for columns in 50 64 80 130; do
    COLUMNS=$columns "$loadstone" report run.h5 2>err | awk -v w=$columns '{ if (length($0) > w) { print "FAIL: wider than " w ": " $0; bad = 1 } } END { exit bad }' || failed=1
done
# at 80 columns and in a file, missing columns are listed
COLUMNS=80 expect 0 "(not shown: stall time, samples, loads, stores, p95; COLUMNS=" "$loadstone" report run.h5
must grep -qE '^data  *time  *stall  *median  *L1  *L2  *L3  *DRAM$' out
wide=$(sed -n 's/.*; COLUMNS=\([0-9]*\) shows all)$/\1/p' out)
COLUMNS=$wide expect 0 "samples  loads  stores  median     p95" "$loadstone" report run.h5
must test "$(grep -c 'not shown' out)" -eq 0
COLUMNS=$((wide - 1)) expect 0 "(not shown: loads; COLUMNS=$wide shows all)" "$loadstone" report run.h5
COLUMNS=100 "$loadstone" report run.h5 >wide.txt 2>err
must "$loadstone" report run.h5 >file.txt 2>err
must cmp file.txt wide.txt
# rows that stall more come first, whatever their time; then by time
rows() { "$loadstone" report --by node,op "$@" run.h5 2>err | sed -n 's/^[^A-Za-z]*\([A-C]\) .*/\1/p' | tr '\n' ' '; }
must test "$(rows)" = "B A C "
must test "$(rows --sort label)" = "A B C "
# it fits the terminal's height, with the costliest rows, unless the number of rows is given
lines() { "$loadstone" report --by node,op "$@" run.h5 2>&1 | wc -l; }
must test "$(LINES=19 lines)" -le 18
LINES=19 expect 0 "more, not shown)" "$loadstone" report --by node,op run.h5
must grep -q '─ B ' out
must test "$(LINES=19 lines --limit 25)" -eq "$(lines)"
expect 0 "" "$loadstone" report --min-share 0 run.h5
expect 2 "is negative" "$loadstone" report --min-share -1% run.h5
must test "$(LINES=60 lines)" -eq "$(lines)"
# without FILE, the default output of record is read
expect 2 "There is no loadstone.h5 here" "$loadstone" report
cp run.h5 loadstone.h5
expect 0 "next: loadstone report --by line loadstone.h5" "$loadstone" report
rm loadstone.h5
# the suggested command differs, and has the same filters
expect 0 "next: loadstone report --by line --node Input --where op=load run.h5" "$loadstone" report --node Input --where op=load run.h5
expect 0 "next: loadstone report --annotate multiply run.h5" "$loadstone" report --by line run.h5
expect 0 "next: loadstone view run.h5" "$loadstone" report --by thread run.h5
expect 0 "next: loadstone report run.h5" "$loadstone" report --node C --where op=load run.h5
must grep -q '^empty      no sample passes --node and --where$' out
must test "$(grep -c '^data' out)" -eq 0
# every dimension of the help, alone and inside another
for by in $("$loadstone" report --help | sed -n '/^Dimensions/,/^Examples/s/^  \([a-z]*\)  .*/\1/p') node,line process,thread,function; do
    expect 0 "next:" "$loadstone" report --by $by run.h5
done
COLUMNS=100 "$loadstone" report --by node,line --where op=load run.h5 >report-by-node-line.txt 2>err || failed=1
golden report-by-node-line.txt report-by-node-line.txt
"$loadstone" report --by level,function --where node=Input --json run.h5 >by.json 2>err || failed=1
must grep -qF '"function": "multiply (matmul)"' by.json
COLUMNS=80 "$loadstone" report --annotate multiply run.h5 >report-annotate.txt 2>err || failed=1
golden report-annotate.txt report-annotate.txt
COLUMNS=120 "$loadstone" report --annotate matmul.c:multiply --by ip run.h5 >report-annotate-ip.txt 2>err || failed=1
golden report-annotate-ip.txt report-annotate-ip.txt
must grep -qF "lie in no module" err
must grep -qF "next: loadstone report --where function=matmul.c:multiply run.h5" err
expect 0 "" "$loadstone" report --where function=matmul.c:multiply run.h5
"$loadstone" report --annotate multiply --json run.h5 >annotate.json 2>err || failed=1
must python3 -c 'import json; d = json.load(open("annotate.json")); l = d["functions"][0]["lines"]
assert [x["line"] for x in l] == [14, 15, 16, 17, 19, 20] and l[3]["samples"] == 10800 and "samples" not in l[0], l'
expect 2 "did you mean multiply?" "$loadstone" report --annotate multpily run.h5
expect 2 "did you mean multiply?" "$loadstone" report --annotate ipl run.h5
expect 2 "inlined into it: multiply" "$loadstone" report --annotate run run.h5
expect 2 "lists them" "$loadstone" report --annotate zzz run.h5
expect 2 "lists them" "$loadstone" report --annotate other.c:multiply run.h5
expect 2 "goes by line or ip" "$loadstone" report --annotate multiply --by thread run.h5
"$loadstone" report --by node,line --csv run.h5 >report.csv 2>err || failed=1
golden report.csv report.csv
expect 0 "It takes two." "$loadstone" report --sharing run.h5
must grep -qF "in 200 bursts of 1 thread." out
expect 2 "did you mean line?" "$loadstone" report --by lin,node run.h5
expect 2 "is listed twice" "$loadstone" report --by line,line run.h5
expect 2 "did you mean multiply?" "$loadstone" report --where function=multply run.h5
expect 2 "no function 'other.c:multiply'" "$loadstone" report --where function=other.c:multiply run.h5
expect 2 "did you mean function?" "$loadstone" report --where funtion=multiply run.h5
expect 2 "has no node" "$loadstone" report --node Nothing run.h5
COLUMNS=200 "$loadstone" report --by calls run.h5 >calls.txt 2>err || failed=1
must grep -qF "(no call stack: record with --callstack)" calls.txt
expect 2 "no call stacks: record with --callstack" "$loadstone" report --folded run.h5
expect 2 "one of time|stall" "$loadstone" report --folded=nothing run.h5
expect 3 "missing.h5" "$loadstone" report missing.h5
echo text >text.h5
expect 3 "text.h5" "$loadstone" report text.h5
: >empty.h5
expect 3 "empty.h5" "$loadstone" report empty.h5
head -c 3000 run.h5 >cut.h5
expect 3 "cut.h5" "$loadstone" report cut.h5
expect 3 "" "$loadstone" resolve missing-spool
mkdir hollow
expect 3 "" "$loadstone" resolve hollow -o hollow.h5
must test ! -e hollow.h5
if [ -w /dev/full ]; then
    "$loadstone" report run.h5 >/dev/full 2>err
    must test $? -eq 1
fi
exit $failed
