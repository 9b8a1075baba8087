#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# An interrupted program leaves the trace up to then, and a full disk ends the trace, but not the program.
. "${top_srcdir:-.}/tests/tracer/trace.inc"
needs_python

# interrupt SIGNAL group|alone COMMAND...: the signal ends the command, which makes the file begun
interrupt() {
    name="$*"
    number=$1 whom=$2
    shift 2
    rm -f begun
    "$python" "$top_srcdir/tests/tools/interrupt.py" $number $whom begun "$@" 2>err ||
        { echo "FAIL: $name: not ended by the signal"; sed 's/^/    /' err; failed=1; }
}
endless='echo >begun; while :; do :; done'
# interrupted OPTION FILE: send ^C to all processes, like a terminal, during a program that would never end
interrupted() {
    rm -f "$2"
    interrupt 2 group "$loadstone" trace -f "$1" "$2" -- bash -c "$endless"
    says err '[0-9]+ accesses of 1 thread'
}
interrupted -p p.json
"$python" -c 'import json; assert json.load(open("p.json"))' || { echo "FAIL: patterns of an interrupted program"; failed=1; }
interrupted -o t.trace
must "$loadstone" patterns t.trace >table

# the same while --auto records the program: it is not traced, and nothing is left
for signal in "2 group" "15 group" "15 alone"; do
    # shellcheck disable=SC2086
    interrupt $signal "$loadstone" trace --auto -o auto.trace -- bash -c "$endless"
    says err 'recording .*, to choose the code'
    says err 'nothing was traced'
    left=$(ls -d auto.trace* loadstone-spool-* 2>/dev/null)
    [ -z "$left" ] || { echo "FAIL: $name: left behind: $left"; failed=1; }
    rm -rf $left
done

# killed, and not waited for yet (as by a supervisor that reads its pipe to the end): the program continues
# and ends
rm -f begun
name="killed"
"$python" - "$loadstone" trace -f --spool killed.spool -o killed.trace -- \
    bash -c 'echo >begun; i=0; while [ $i -lt 6000 ]; do i=$((i + 1)); done' 2>err <<'P'
import os, select, signal, subprocess, sys, time
p = subprocess.Popen(sys.argv[1:], start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
while not os.path.exists("begun") and p.poll() is None:
    time.sleep(0.05)
os.kill(p.pid, signal.SIGKILL)
has_ended = select.select([p.stdout], [], [], 200)[0] and p.stdout.read() == b""
os.killpg(p.pid, signal.SIGKILL)
p.wait()
sys.exit(0 if has_ended else 1)
P
[ $? -eq 0 ] || { echo "FAIL: $name: the program waits for ever"; failed=1; }
rm -rf killed.spool killed.trace*

# the reader of the messages has ended, as in "2>&1 | head -1": the trace is written nevertheless
name="unheard"
mkfifo gone
exec 9<>gone 8>gone 9>&-
"$loadstone" trace -f -o unheard.trace -- "$victim" reuse >got 2>&8
[ $? -eq 0 ] || { echo "FAIL: $name: another status"; failed=1; }
exec 8>&-
must "$loadstone" patterns unheard.trace >table
[ -z "$(ls -d ./*.part-* 2>/dev/null)" ] || { echo "FAIL: $name: left behind: $(ls -d ./*.part-*)"; failed=1; }

# a small disk
if [ "$(id -u)" = 0 ] && mkdir small && mount -t tmpfs -o size=64k none small 2>/dev/null; then
    trap 'umount small; cd /; rm -rf "$scratch"' EXIT
    name="full disk"
    "$loadstone" trace -o small/t.trace -- sort "$top_srcdir/tools/trace/trace.c" >got 2>err
    status=$?
    sort "$top_srcdir/tools/trace/trace.c" >wanted
    [ $status -eq 125 ] || { echo "FAIL: full disk: status $status"; failed=1; }
    cmp wanted got || { echo "FAIL: full disk: the program's output"; failed=1; }
    says err 'small/t.trace.* cannot be written: No space left'
    [ -z "$(ls -A small)" ] || { echo "FAIL: full disk: left behind: $(ls -A small)"; failed=1; }
    head -c 64k /dev/zero >small/fill 2>/dev/null
    "$loadstone" trace -p small/p.json -- sort "$top_srcdir/tools/trace/trace.c" >got 2>err
    [ $? -eq 125 ] || { echo "FAIL: full disk: patterns: another status"; failed=1; }
    cmp wanted got || { echo "FAIL: full disk: patterns: the program's output"; failed=1; }
    says err 'small/p.json could not be written'
    [ "$(ls -A small)" = fill ] || { echo "FAIL: full disk: left behind: $(ls -A small)"; failed=1; }
else
    echo "not tested: a full disk (needs root and tmpfs)"
fi
[ -z "$(ls -d loadstone-spool-* 2>/dev/null)" ] || { echo "FAIL: a spool was left"; failed=1; }
exit $failed
