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
failed=0 has_bursts=
for mode in call modulo repeat lookup virtual; do
    for _ in 1 2 3 4 5 6; do # a busy machine may leave no burst long enough
        rm -rf "$work/spool"
        ahead env LOADSTONE_ENGINE=step LOADSTONE_TRIGGER=perf LOADSTONE_BURST=20000 LOADSTONE_OVERHEAD=50% LOADSTONE_SEED=1 \
            LOADSTONE_SPOOL="$work/spool" LD_PRELOAD="$preload" "$top_builddir/tests/step/step_timed" "$mode" >"$work/out" 2>&1
        status=$?
        # shellcheck disable=SC2046
        "$check" -l 90 $(find "$work/spool" -path '*/p*' -name 't*' 2>/dev/null) /dev/null >"$work/count" && break
        grep -q 'too few loads' "$work/count" || break
    done
    grep -q '^0 accesses' "$work/count" || has_bursts=1
    [ -n "$has_bursts" ] || { echo "SKIP: no burst with the perf trigger on this machine: $(head -c 300 "$work/out")"; exit 77; }
    verdict=ok
    grep -q '^enough' "$work/count" || verdict=FAILED
    [ $status -eq 0 ] || verdict="FAILED: status $status: $(head -c 300 "$work/out")"
    echo "$mode: $verdict: $(tail -n 1 "$work/count")"
    case $verdict in FAILED*) failed=1 ;; esac
done
exit $failed
