#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tr_victim in all its modes with a burst every 0.2 ms: same output and status as alone, and bursts were translated.
set -u
preload=${LS_PRELOAD-$top_builddir/.libs/libloadstone-preload.so}
victim=$top_builddir/tests/translate/tr_victim
check=$top_builddir/tests/step/step_check
. "$top_srcdir/tests/needs.inc"
needs_step
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
ulimit -c 0
plugins="$top_builddir/tests/translate/.libs/tr_plugin_five.so $top_builddir/tests/translate/.libs/tr_plugin_three.so"

run_sampled() {
    env LOADSTONE_ENGINE=translate LOADSTONE_OVERHEAD=100% LOADSTONE_PERIOD=${LS_PERIOD-200us} LOADSTONE_SEED=1 \
        LOADSTONE_SPOOL="$work/spool" LD_PRELOAD="$preload" "$@"
}

failed=0
for mode in ${LS_MODES-errno alternate coroutines faults sent flood blocked storm unload patch generated}; do
    "$victim" "$mode" $plugins >"$work/alone" 2>&1
    alone=$?
    rm -rf "$work/spool"
    run_sampled "$victim" "$mode" $plugins >"$work/sampled" 2>&1
    sampled=$?
    verdict=ok
    [ $alone -eq $sampled ] || verdict="FAILED: status $sampled instead of $alone"
    cmp "$work/alone" "$work/sampled" || verdict="FAILED: another output: $(head -c 300 "$work/sampled")"
    "$check" -x "$work/spool" >"$work/count" || verdict="$verdict, but FAILED: no burst was translated"
    # changed code is translated again as soon as its page is read back, not at the next look at all mappings, a second later
    [ $mode != patch ] || [ "$(tail -n 1 "$work/count" | cut -d ' ' -f 1)" -ge 30 ] || verdict="$verdict, but FAILED: few bursts"
    echo "$mode: $verdict $(tail -n 1 "$work/count")"
    case $verdict in *FAILED*) failed=1 ;; esac
done
# where no burst can be translated on this machine, the engine reports it
if [ $failed = 1 ] && grep -q '^0 bursts' "$work/count"; then
    "${top_builddir:-.}/tools/loadstone" doctor 2>/dev/null | grep -q 'yes *translate' || skip "translated bursts do not work here"
fi
exit $failed
