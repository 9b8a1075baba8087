#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Loads after calls and returns, divisions and string instructions are timed. Loads in the first instructions
# of a burst never are, and a busy machine cuts bursts short: step_check -l counts the others. Modes of
# step_timed, and real programs.
set -u
preload=$(cd "$top_builddir" && pwd)/.libs/libloadstone-preload.so
check=$top_builddir/tests/step/step_check
. "$top_srcdir/tests/step/ahead.inc"
. "$top_srcdir/tests/needs.inc"
needs_step
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0

# run MODE: a mode of step_timed, or a program of the system
run() {
    case $1 in
    sqlite3) set -- sqlite3 :memory: "with recursive n(i) as (select 1 union all select i+1 from n where i<400000)
        select count(*), sum(x.i) from n x join (select i*7919%100003 j from n) y on x.i=y.j where x.i%3=0" ;;
    perl) # shellcheck disable=SC2016
        set -- perl -e 'for my $i (1..500000) { my $k = "k" . ($i * 7919 % 10007); $h{$k} += $i; $s ^= $1 if $k =~ /(\d+)5$/ }' ;;
    python3) set -- python3 -c 'h = {}
for i in range(800000):
    k = "k%d" % (i * 7919 % 10007)
    h[k] = h.get(k, 0) + i' ;;
    g++) set -- g++ -std=c++11 -O2 -c "$top_srcdir/tests/step/step_timed.cc" -o "$work/object" ;;
    *) set -- "$top_builddir/tests/step/step_timed" "$1" ;;
    esac
    rm -rf "$work/spool"
    ahead env LOADSTONE_ENGINE=step LOADSTONE_TRIGGER=perf LOADSTONE_BURST=20000 LOADSTONE_OVERHEAD=50% LOADSTONE_SEED=1 \
        LOADSTONE_SPOOL="$work/spool" LD_PRELOAD="$preload" "$@" >"$work/out" 2>&1 ||
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

for mode in call modulo repeat lookup virtual sqlite3 perl python3 g++; do
    case $mode in sqlite3 | perl | python3 | g++) command -v "$mode" >/dev/null || continue ;; esac
    judge "$mode" -l 90
done
judge in-place -i jecxz # no load that may have been issued early is timed, and it is counted why
exit $failed
