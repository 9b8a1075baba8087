#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The thread that reads the rings takes none of the program's signals: while it records, the kernel reports
# that it blocks all of them except SIGKILL and SIGSTOP, which cannot be blocked, and 32 and 33, which the C
# library needs. Handlers of the program are sampled like other code.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
victim=$top_builddir/tests/cases/signals_victim
want='loadstone fffffffe7ffbfeff'

# blocks ENGINE OPTION...: with a reader of that engine
blocks() {
    engine=$1
    shift
    "$loadstone" record -q --force "$@" -o s.h5 -- "$victim" loadstone >out 2>err
    status=$?
    "$loadstone" report --how s.h5 >text 2>/dev/null
    grep -q "^engine  *$engine" text || { echo "not tried: engine $engine cannot sample here: $(cat err; grep '^engine' text)"; return; }
    tried=1
    [ $status -eq 0 ] && grep -qx done out && ! grep -q signal out || { echo "FAIL: $engine: status $status:"; cat out err; failed=1; }
    [ "$(grep -c '^loadstone' out)" = 1 ] && grep -qx "$want" out || { echo "FAIL: $engine: the reader's signals, wanted '$want':"; cat out; failed=1; }
}
tried=0
blocks faults --engine faults
blocks watch --watch 'watched[1]'

# A handler that the program runs is not part of the steps that its signal interrupts: it would not be sampled, and be charged to the
# recording. A translated burst holds signals until it has ended. A timer of 8 ms and bursts of some 2 ms in a third of the time: every
# fourth burst meets it.
if can_sample && has_python h5py; then
    must "$loadstone" record -q --force --engine step --overhead 30% -o t.h5 -- "$top_builddir/bench/truth/threads" signals 1 >out
    must "$python" - t.h5 <<'EOF'
import sys, h5py
bursts = h5py.File(sys.argv[1])["bursts"]
names = [n.decode() for n in bursts.attrs["ends"]]
ends = bursts["end_why"][:]
met = int((ends == names.index("signal")).sum())
print("%d of %d bursts ended for a signal" % (met, len(ends)))
sys.exit(met * 20 < len(ends) or met < 2)
EOF
    tried=1
fi
[ $tried = 1 ] || skip "no engine with a reader samples here"
exit $failed
