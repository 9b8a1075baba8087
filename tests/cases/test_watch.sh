#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# record --watch A[17]: each touch once, reads and writes distinguished, by line and thread; a hot element
# within the budget.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
victim=$top_builddir/tests/cases/watch_victim

"$loadstone" record -q --force --watch 'A[17]' -o w.h5 -- "$victim" >out 2>err ||
    { status=$?; grep -q 'watch does not work here' err && skip "$(cat err)"; echo "FAIL: status $status"; cat err; failed=1; }
grep -qx done out || { echo "FAIL: the program's output:"; cat out; failed=1; }
"$loadstone" report w.h5 2>/dev/null | grep -q '^trust  *engine watch' || { echo "FAIL: another engine"; "$loadstone" report w.h5; failed=1; }
"$loadstone" report --watch w.h5 >w.txt 2>err || { cat err; failed=1; }
grep -q '^accesses to A\[17\] (8 bytes' w.txt || { echo "FAIL: w.txt:"; cat w.txt; failed=1; }
grep -q '^11 touches seen, .* all there were' w.txt || { echo "FAIL: w.txt:"; cat w.txt; failed=1; }
"$loadstone" report --watch --json w.h5 >w.json 2>err || { cat err; failed=1; }
python3 - w.json <<'P' || { cat w.json; failed=1; }
import json, sys
r = json.load(open(sys.argv[1]))
top = {row["label"].split()[-1]: (row["reads"], row["writes"]) for row in r["rows"] if row["depth"] == 0}
threads = sorted(row["reads"] for row in r["rows"] if row["depth"] == 1 and row["reads"])
if top != {"read_it": (6, 0), "write_it": (0, 5)} or threads != [2, 4] or r["seen"] != 11: sys.exit(f"FAIL: {top} {threads}")
P
"$loadstone" report --by calls w.h5 >calls.txt 2>err || { cat err; failed=1; }
grep -q main calls.txt && grep -q reader calls.txt || { echo "FAIL: call stacks:"; cat calls.txt; failed=1; }

# a variable of the program that nothing registered, by its name; and one that has no such element
"$loadstone" record -q --force --watch 'a[17]' -o v.h5 -- "$victim" >out 2>err || { echo "FAIL: status $?"; cat err; failed=1; }
"$loadstone" report --watch --json v.h5 >v.json 2>err || { cat err; failed=1; }
python3 - v.json <<'P' || { cat v.json; failed=1; }
import json, sys
r = json.load(open(sys.argv[1]))
top = {row["label"].split()[-1]: (row["reads"], row["writes"]) for row in r["rows"] if row["depth"] == 0}
if top != {"read_it": (6, 0), "write_it": (0, 5)} or r["seen"] != 11: sys.exit(f"FAIL: {top}")
P
"$loadstone" record --force --watch 'a[100]' -o v.h5 -- "$victim" >out 2>err || failed=1
grep -q 'a of .* has 800 bytes in elements of 8' err || { echo "FAIL: nothing is said of a[100]:"; cat err; failed=1; }
"$loadstone" record -q --force --watch a -o v.h5 -- "$victim" >out 2>err && { echo "FAIL: --watch a is taken"; failed=1; }
grep -q 'NAME\[INDEX\]' err || { echo "FAIL: no remedy for --watch a:"; cat err; failed=1; }

# so hot that it cannot be watched all the time
"$loadstone" record -q --force --overhead 1% --watch 'A[17]' -o hot.h5 -- "$victim" hot >out 2>err || { echo "FAIL: hot"; cat err; failed=1; }
"$loadstone" report --watch --json hot.h5 >hot.json 2>err || { cat err; failed=1; }
python3 - hot.json <<'P' || { cat hot.json; failed=1; }
import json, sys
r = json.load(open(sys.argv[1]))
if not 0 < r["watched_share"] < 0.9 or r["touches_estimated"] <= r["seen"]: sys.exit("FAIL: watched all the time")
P

# a variable that does not exist, and a plain recording
"$loadstone" record -q --force --watch 'B[1]' -o none.h5 -- "$victim" >out 2>err || failed=1
grep -qx done out || { echo "FAIL: the program's output:"; cat out; failed=1; }
expect 2 "nothing was watched" "$loadstone" report --watch none.h5
exit $failed
