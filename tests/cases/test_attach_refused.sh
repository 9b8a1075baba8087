#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# record --pid where nothing can be recorded: the reason and the remedy, and the process is left alone.
. "${top_srcdir:-.}/tests/cases/attach.inc"
name=refused

expect 125 "it takes no program ('true')" "$loadstone" record --pid $$ -- true
expect 125 "--control has no effect with --pid" "$loadstone" record --pid $$ --control USR2
expect 125 "needs a program, or --pid" "$loadstone" record
expect 125 "" "$loadstone" record --pid 0
expect 127 "there is no process 2147483647" "$loadstone" record --pid 2147483647
rm -f stop
"$loadstone" record -q -o own.h5 -- "$victim" sleep >said 2>&1 </dev/null &
recorder=$!
# the program among the children of the recorder, which may start others first
recorded() {
    for pid in $(pgrep -P $recorder); do
        grep -q loadstone-spool- "/proc/$pid/maps" 2>/dev/null && grep -q "${victim##*/}" "/proc/$pid/maps" 2>/dev/null && return
    done
    return 1
}
turns=0
while [ $turns -lt 600 ] && ! recorded; do sleep 0.05; turns=$((turns + 1)); done
expect 126 "is recorded already by another loadstone record" "$loadstone" record --pid "$pid"
touch stop
wait $recorder
grep -qx 'disturbed 0' said || { echo "FAIL: the recorded program says:"; sed 's/^/    /' said; failed=1; }

begins "$loadstone" run -- "$victim" threads
kill -STOP "$pid"
turns=0
while [ $turns -lt 100 ] && ! grep -q '^State:.*stopped' /proc/"$pid"/status; do sleep 0.05; turns=$((turns + 1)); done
expect 126 "is stopped: continue it first" "$loadstone" record --pid "$pid"
kill -CONT "$pid"
tid=$(ls "/proc/$pid/task" | grep -vx "$pid" | head -1)
[ -z "$tid" ] || expect 127 "is a thread of process $pid" "$loadstone" record --pid "$tid"
undisturbed

# the process runs on after its first thread
begins_plainly "$victim" headless
turns=0
while [ $turns -lt 600 ] && ! grep -q '^State:.*zombie' /proc/"$pid"/status; do sleep 0.05; turns=$((turns + 1)); done
expect 126 "the first thread of process $pid has ended, only others still run: record the program from its start" "$loadstone" record --pid "$pid"
undisturbed
exit $failed
