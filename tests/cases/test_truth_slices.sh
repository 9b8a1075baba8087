#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The truth benchmark counts slow slices of a program, leaves out slices of signal handlers that interrupt another one, and leaves out
# bursts in the functions in which they began.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_python
expect 0 "" "$top_builddir/tests/cases/truth_slices"
grep -v '^truth total' out >truth
cat >expected <<'TRUTH'
truth function access_memory 48000000
truth data table 48000000
truth function first+second 300000
TRUTH
must diff -u expected truth
must "$python" -B - "$top_srcdir/bench/truth" truth <<'PYTHON'
import sys

sys.path.insert(0, sys.argv[1])
import recording

truth = recording.read_truth(open(sys.argv[2]).read() + "truth other rest 1000000\n")
spent = {"access_memory": 8e6, "first": 1e5, "second(int)": 5e4, "thirst": 7e6}
net = recording.without_bursts(truth, spent)
assert net.functions == {"access_memory": 40e6, "first+second": 15e4}, net.functions
assert net.data == {"table": 40e6}, net.data
assert abs(net.others["rest"] - 1e6 * 40.15 / 48.3) < 1, net.others
PYTHON
exit $failed
