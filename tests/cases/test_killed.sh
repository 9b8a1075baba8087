#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The profile of a program that is killed or aborts contains its work up to the last 100 ms (in CPU time,
# because the clock continues while other programs run).
. "${top_srcdir:-.}/tests/cases/proc.inc"
killed=$top_builddir/tests/cases/killed_victim
can_sample || skip "the step engine does not work here"
ulimit -c 0

# late NAME LIMIT: print the ms of work after the last sample, LIMIT (ms), and whether it exceeds the limit. A loaded machine interrupts most bursts: then the limit is twice the longest time without a sample that the same program had before.
late() {
    "$python" - "$1.h5" beat "$2" <<'P' 2>/dev/null || echo "- $2 late"
import bisect, struct, sys
import h5py
run = h5py.File(sys.argv[1])
start = int(run["run"].attrs["start_mono_ns"])
beats = list(struct.iter_unpack("<QQ", open(sys.argv[2], "rb").read()))
mono, cpu = zip(*sorted(b for b in beats if b[0]))
worked = [cpu[max(bisect.bisect_right(mono, t) - 1, 0)] // 1000000 for t in sorted({int(t) + start for t in run["samples/time_ns"][:]})]
ms = beats[0][1] // 1000000 - worked[-1]
limit = max(int(sys.argv[3]), 2 * max((after - before for before, after in zip(worked, worked[1:])), default=0))
print(ms, limit, "late" if ms > limit else "")
P
}
# worked: ms of work until now
worked() {
    ns=$(od -An -t u8 -j 8 -N 8 beat 2>/dev/null)
    echo $((${ns:-0} / 1000000))
}

# a machine that is busy elsewhere may keep the program from its last bursts, or from all: it gets more chances
chances="1 2 3 4 5 6 7 8 9 10 11 12"
# print_result WHAT: print the result of the last attempt
print_result() {
    echo "$1: $2 ms of work after the last sample, at most $3"
    [ -z "${4-}" ] || { echo "FAIL: $1: $2 ms of work after the last sample"; failed=1; }
}

# ends STATUS HOW
ends() {
    for chance in $chances; do
        rm -f beat
        "$loadstone" record -q --force -o "$2.h5" --overhead 100% --period 20us -- "$killed" beat 400 "$2" >out 2>err </dev/null
        got=$?
        result=$(late "$2" 100)
        case $result in *late) ;; *) break ;; esac
    done
    [ $got -eq "$1" ] || { echo "FAIL: $2: status $got instead of $1: $(cat err)"; failed=1; }
    # shellcheck disable=SC2086
    print_result "$2" $result
}
ends 137 kill
ends 134 abort

# The launcher killed as well: its spool is resolved afterwards.
for chance in $chances; do
    rm -rf beat spool
    "$loadstone" record -q -o never.h5 --spool spool --overhead 100% --period 20us -- "$killed" beat 60000 kill >out 2>err </dev/null &
    launcher=$!
    i=0
    while [ "$(worked)" -lt 300 ] && [ $i -lt 2000 ]; do sleep 0.05; i=$((i + 1)); done
    program=$(ps -o pid= --ppid $launcher | head -n 1)
    kill -KILL $launcher
    # shellcheck disable=SC2086
    kill -KILL $program
    wait $launcher
    must test ! -e never.h5
    expect 0 "next: loadstone report" "$loadstone" resolve spool --force -o saved.h5
    result=$(late saved 200)
    case $result in *late) ;; *) break ;; esac
done
# shellcheck disable=SC2086
print_result "the launcher was killed, too" $result
exit $failed
