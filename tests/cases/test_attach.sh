#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# loadstone run, and record --pid of what it runs: recordings begin and end while the program goes on as without them.
. "${top_srcdir:-.}/tests/cases/attach.inc"
can_sample || skip "the step engine does not work here"

# Idle: no thread, no file, no signal mask; the program's own output and status.
name=idle
begins "$loadstone" run -- "$victim" sleep
has_threads 1
# leads_to OBJECT: the program's calls of malloc lead to that object
leads_to() {
    got=$("$python" "$top_srcdir/tests/cases/attach_slots.py" "$pid" "$victim" malloc)
    case $got in
    unknown) echo "not tested: the slots of the process (its memory cannot be read)" ;;
    $1*) ;;
    *) echo "FAIL: $name: calls of malloc lead to $got, not $1"; failed=1 ;;
    esac
}
leads_to libc.so
if ls -l "/proc/$pid/fd" | grep -E "memfd|perf_event|loadstone-"; then echo "FAIL: it has files of the runtime"; failed=1; fi
undisturbed
must test -z "$(ls -d loadstone-spool-* 2>/dev/null)"
expect 3 "" "$loadstone" run sh -c 'exit 3'
expect 127 "missing" "$loadstone" run -- ./missing
expect 125 "" "$loadstone" run

# Threads that compute without calls, that allocate and that sleep; again and again.
begins "$loadstone" run -- "$victim" threads
for duration in 1s 3s 9s; do # until the threads and the allocations were sampled on a busy machine, too
    # shellcheck disable=SC2086
    attached 0 threads --duration $duration $quickly
    "$loadstone" report --by function threads.h5 >report 2>/dev/null
    "$loadstone" report --allocations threads.h5 >allocations 2>/dev/null
    if grep -q walk_grid report && grep -q "attach_victim.c:" allocations; then break; fi
done
holds_some '^sample '
grep -q "recording process $pid: .*attach_victim threads" err || { echo "FAIL: no note of the begin"; failed=1; }
grep -q "process $pid goes on, and can be recorded again" err || { echo "FAIL: no note of the end"; failed=1; }
must grep -q walk_grid report
must grep -q "attach_victim.c:" allocations
# shellcheck disable=SC2086
attached 0 again --duration 1s $quickly --no-tags
holds_some '^sample '
# interrupted
"$loadstone" record -q -f -o interrupted.h5 --pid "$pid" 2>err &
recorder=$!
turns=0
while [ $turns -lt 600 ] && ! grep -qs attached loadstone-spool-"$recorder"-*/attach.state; do sleep 0.05; turns=$((turns + 1)); done
expect 126 "is recorded already" "$loadstone" record -f -o twice.h5 --pid "$pid"
leads_to libloadstone-preload.so
kill -TERM $recorder
wait $recorder || { echo "FAIL: the interrupted recorder's status is $?"; sed 's/^/    /' err; failed=1; }
must test -s interrupted.h5
leads_to libc.so
must test -z "$(ls -d loadstone-spool-* 2>/dev/null)"
# a recorder that is killed ends its recording, too
"$loadstone" record -q -f -o killed.h5 --pid "$pid" 2>err &
recorder=$!
turns=0
while [ $turns -lt 600 ] && ! grep -qs attached loadstone-spool-"$recorder"-*/attach.state; do sleep 0.05; turns=$((turns + 1)); done
kill -KILL $recorder
wait $recorder 2>/dev/null
rm -rf loadstone-spool-*
name=killed
turns=0
while [ $turns -lt 100 ] && grep -qx loadstone /proc/$pid/task/*/comm 2>/dev/null; do sleep 0.05; turns=$((turns + 1)); done
# shellcheck disable=SC2086
attached 0 after-kill --duration 1s $quickly
holds_some '^sample '
undisturbed

# A process that sleeps is not disturbed by the request.
begins "$loadstone" run -- "$victim" sleep
attached 0 sleeps --duration 300ms
undisturbed

# Its end ends the recording.
begins "$loadstone" run -- "$victim" threads
(sleep 1; touch stop) &
attached 0 to-the-end
must grep -q 'loadstone report' err
if grep -q 'goes on' err; then echo "FAIL: a process that has ended goes on"; failed=1; fi
holds_some '^process .* code 7 '
undisturbed

# The program uses the signal itself.
begins "$loadstone" run -- "$victim" signal
# shellcheck disable=SC2086
attached 0 signal --duration 500ms $quickly
holds_some '^sample '
undisturbed

# Forks, before, during and after.
begins "$loadstone" run -- "$victim" fork
# shellcheck disable=SC2086
attached 0 fork --duration 1s $quickly
holds_some '^sample '
got=$(grep -c '^process ' lines)
[ "$got" -gt 1 ] || { echo "FAIL: $name: no child is in the recording"; failed=1; }
attached 0 fork-again --duration 300ms
undisturbed

# Another engine after the first is refused, and changes nothing.
begins "$loadstone" run -- "$victim" threads
attached 0 null --duration 300ms --engine null
# proposals: the process as long as it runs, afterwards its command
expect 0 "next: loadstone record --force -o null.h5 --pid $pid" "$loadstone" report null.h5
# shellcheck disable=SC2086
attached 0 step --duration 500ms --engine step $quickly
holds_some '^sample '
attached 125 other --duration 300ms --engine faults
must grep -q 'used another engine' err
undisturbed
expect 0 "next: loadstone record --force -o null.h5 -- $victim threads" "$loadstone" report null.h5

# Reports while it runs.
begins "$loadstone" run -- "$victim" threads
"$loadstone" record --live -f -o live.h5 --pid "$pid" 2>shown &
recorder=$!
turns=0
while [ $turns -lt 1100 ] && ! grep -q '^trust' shown 2>/dev/null; do
    sleep 0.1
    turns=$((turns + 1))
done
must grep -q '^trust  *engine ' shown
kill -INT $recorder
wait $recorder || { echo "FAIL: the live recorder's status is $?"; failed=1; }
must test -s live.h5
name=live
undisturbed
exit $failed
