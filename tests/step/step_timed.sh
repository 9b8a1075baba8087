#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Loads after calls and returns, divisions and string instructions are timed. Those in the first instructions of a burst
# never are, and a busy machine cuts bursts short: step_check -l counts the others.
set -u
preload=$top_builddir/.libs/libloadstone-preload.so
check=$top_builddir/tests/step/step_check
. "$top_srcdir/tests/step/ahead.inc"
[ -f "$preload" ] || { echo "SKIP: $preload was not built (it needs x86-64 and Zydis)"; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0

# run MODE
run() {
    rm -rf "$work/spool"
    ahead env LOADSTONE_ENGINE=step LOADSTONE_TRIGGER=perf LOADSTONE_BURST=20000 LOADSTONE_OVERHEAD=50% LOADSTONE_SEED=1 \
        LOADSTONE_SPOOL="$work/spool" LD_PRELOAD="$preload" "$top_builddir/tests/step/step_timed" "$1" >"$work/out" 2>&1 ||
        { echo "FAILED: $1 ends with $?: $(head -c 300 "$work/out")"; exit 1; }
}

# checked OPTION [ARGUMENT]: step_check, of the last run
checked() {
    "$check" "$@" "$work/spool" >"$work/count"
}

run call
checked -n || { echo "SKIP: no burst with the perf trigger on this machine: $(head -c 300 "$work/out")"; exit 77; }

# judge MODE OPTION ARGUMENT: a busy machine may leave no burst long enough, so there are several chances
judge() {
    mode=$1
    shift
    for _ in 1 2 3 4 5 6; do
        run "$mode"
        if checked "$@"; then
            echo "$mode: ok: $(tail -n 1 "$work/count")"
            return
        fi
    done
    echo "$mode: FAILED: $(tail -n 1 "$work/count")"
    failed=1
}

for mode in call modulo repeat lookup virtual; do
    judge "$mode" -l 90
done
judge in-place -i jecxz # no load that may have been issued early is timed, and it is counted why
exit $failed
