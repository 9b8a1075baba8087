#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The main function of unit tests: whatever one group does, the others run, and its cases are counted and named.
. "${top_srcdir:-.}/tests/tools/check.sh"
unset UNIT
unit=$top_builddir/tests/lint/unit_groups
[ -x "$unit" ] || skip "built without cmocka"
"$unit" >all 2>&1
must test $? -eq 1
cat >wanted <<'LINES'
test_failing: 1 passed, 1 failed, 0 skipped
test_good: 1 passed, 0 failed, 1 skipped
test_killed: 1 passed, 1 failed, 0 skipped, killed by signal 9
test_leaving: 0 passed, 1 failed, 0 skipped
test_skipped: 0 passed, 0 failed, 1 skipped
test_unable: 0 passed, 1 failed, 0 skipped
3 passed, 4 failed, 2 skipped
LINES
grep -E '^(test_[a-z]*: )?[0-9]+ passed' all | diff -u wanted - || failed=1
must grep -q 'unit_groups.c:[0-9]*: error' all
must grep -q '^\[  FAILED  \] fails$' all
must grep -q '^SKIP: nothing to test here$' all
expect 0 "[  PASSED  ] 1 test(s)." "$unit" test_good
expect 0 "[==========] 1 test(s) run." "$unit" test_failing 'p*'
expect 1 "[  FAILED  ] fails" env UNIT=test_failing "$unit"
expect 77 "SKIP: nothing" "$unit" test_skipped
expect 99 "test_killed" "$unit" test_none
exit $failed
