#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The thread that reads the rings takes none of the program's signals: while it records, the kernel says that it blocks all of them but
# SIGKILL and SIGSTOP, which nobody can, and 32 and 33, which the C library needs.
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
    "$loadstone" report s.h5 >text 2>/dev/null
    grep -q "^engine  *$engine" text || { echo "not tried: engine $engine cannot sample here: $(cat err; grep '^engine' text)"; return; }
    tried=1
    [ $status -eq 0 ] && grep -qx done out && ! grep -q signal out || { echo "FAIL: $engine: status $status:"; cat out err; failed=1; }
    [ "$(grep -c '^loadstone' out)" = 1 ] && grep -qx "$want" out || { echo "FAIL: $engine: the reader's signals, wanted '$want':"; cat out; failed=1; }
}
tried=0
blocks faults --engine faults
blocks watch --watch 'watched[1]'
[ $tried = 1 ] || skip "no engine with a reader samples here"
exit $failed
