#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Without privileges, and if perf_event_open is refused, the timer triggers the bursts, and the profile records the reason.
set -u
preload=$(cd "$top_builddir" && pwd)/.libs/libloadstone-preload.so
victim=$top_builddir/tests/step/step_victim
check=$top_builddir/tests/step/step_check
no_perf=$top_builddir/tests/step/step_no_perf
loadstone=$top_builddir/tools/loadstone
. "$top_srcdir/tests/step/ahead.inc"
. "$top_srcdir/tests/needs.inc"
needs_step
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
as_nobody=
if [ "$(id -u)" = 0 ]; then
    as_nobody="setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --no-new-privs"
    $as_nobody true 2>/dev/null || { echo "SKIP: running as root, and setpriv cannot leave it"; exit 77; }
    # shellcheck disable=SC2086
    $as_nobody test -r "$preload" -a -x "$victim" || { echo "SKIP: other users cannot read the build folder"; exit 77; }
    chown 65534:65534 "$work"
fi
failed=0
fail() { echo "FAIL: $*"; failed=1; }
for chance in 1 2 3 4 5 6 7 8; do # a busy machine may leave a short program without a tick of the timer
    rm -rf "$work/spool"
    # shellcheck disable=SC2086
    ahead $as_nobody "$no_perf" env LOADSTONE_ENGINE=step LOADSTONE_OVERHEAD=50% LOADSTONE_SPOOL="$work/spool" LD_PRELOAD="$preload" \
        "$victim" eintr >"$work/out" 2>"$work/err"
    status=$?
    [ $status -eq 0 ] || break
    "$check" -n "$work/spool" >"$work/count" && break
done
[ $status -eq 0 ] || fail "status $status: $(head -c 300 "$work/err")"
tail -n 1 "$work/count"
"$check" -n "$work/spool" >/dev/null || fail "nothing was sampled"
"$loadstone" resolve -q "$work/spool" -o "$work/run.h5" 2>"$work/err" || fail "resolve: $(head -c 300 "$work/err")"
"$loadstone" report --how "$work/run.h5" >"$work/report" 2>&1 || fail "report: $(head -n 3 "$work/report")"
grep -q '^engine  *step, trigger timer' "$work/report" || fail "the report says: $(grep '^engine' "$work/report")"
grep -q 'perf_event_open is refused' "$work/report" || fail "the report does not say why: $(grep '^engine' "$work/report")"
exit $failed
