#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# merge: every row of every file is in the result with the same values, at its time; files that do not match
# are refused.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_python h5py
make_profile=$top_builddir/tests/tools/make_profile
"$make_profile" a.h5 before && "$make_profile" b.h5 elsewhere && "$make_profile" c.h5 other || exit 99
"$top_builddir/tests/viz-export/make_view" v.h5 && "$top_builddir/tests/viz-export/make_view" w.h5 || exit 99
"$loadstone" merge -o ab.h5 a.h5 b.h5 2>err || { cat err; failed=1; }
"$loadstone" merge -q -o vw.h5 v.h5 w.h5 2>err || { cat err; failed=1; }
"$python" "$top_srcdir/tests/tools/merged.py" ab.h5 a.h5 b.h5 || failed=1
"$python" "$top_srcdir/tests/tools/merged.py" vw.h5 v.h5 w.h5 || failed=1
# and of a merged profile
"$loadstone" merge -q -o abb.h5 ab.h5 b.h5 2>err || { cat err; failed=1; }
"$python" "$top_srcdir/tests/tools/merged.py" abb.h5 ab.h5 b.h5 || failed=1
# the sums of the report equal the sums of the parts
total() { "$loadstone" report --json "$1" 2>/dev/null | "$python" -c 'import json,sys; print(json.load(sys.stdin)["rows"][0]["samples"])'; }
must test "$(total ab.h5)" -eq $(($(total a.h5) + $(total b.h5)))
"$loadstone" report --by process,object ab.h5 >process.txt 2>err || failed=1
COLUMNS=200 "$loadstone" report --tree ab.h5 >tree.txt 2>err || failed=1
must grep -q 'on elsewhere' tree.txt

expect 3 "they were sampled by different engines" "$loadstone" merge -o x.h5 a.h5 c.h5
expect 2 "are one file" "$loadstone" merge -o x.h5 a.h5 ./a.h5
expect 2 "is missing" "$loadstone" merge -o x.h5 a.h5
expect 3 "missing.h5" "$loadstone" merge -o x.h5 a.h5 missing.h5
expect 1 "ab.h5" "$loadstone" merge -o ab.h5 a.h5 b.h5
head -c 3000 b.h5 >cut.h5
expect 3 "cut.h5" "$loadstone" merge -o x.h5 a.h5 cut.h5
must test ! -e x.h5
# a pipe (a device as well) is never replaced: a profile cannot be written to it, a page can
mkfifo pipe || exit 99
expect 1 "a device or a pipe" "$loadstone" merge --force -o pipe a.h5 b.h5
expect 125 "a device or a pipe" "$loadstone" record --force -o pipe -- true
cat pipe >page.html &
"$loadstone" view --force -o pipe v.h5 >out 2>err || { cat err; failed=1; }
wait
must grep -q '</html>' page.html
must test -p pipe
exit $failed
