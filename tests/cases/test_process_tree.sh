#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Whole process trees: parents, ends, and the accesses of a fork child.
. "${top_srcdir:-.}/tests/cases/proc.inc"

# posix_spawn, vfork and exec, system, popen of a subshell: seven programs, each below who started it
recorded 0 spawn --engine null -- "$victim" spawn
holds 1 "^process 0 parent - .* origin start ended exit code 0 .* command '.*proc_victim spawn'"
holds 2 "parent 0 .* origin exec ended exit code 31 .* command '.*proc_victim leaf 31'"
system=$(row "parent 0 .* command 'sh -c .*leaf 32'")
popen=$(row "parent 0 .* command 'sh -c .*leaf 33; true.; exit 5'")
must test -n "$system" -a -n "$popen"
# a shell may replace itself by its last command: then it is the same process's next image
holds 1 "parent $system .* origin exec ended exit code 32 .* command '.*proc_victim leaf 32'"
# the subshell between them writes something itself only where it uses much CPU time
subshell=$(row "parent $popen .* origin fork")
holds 1 "parent (${subshell:-$popen}) .* origin exec ended exit code 33 .* command '.*proc_victim leaf 33'"
holds 1 "^process $popen .* ended exit code 5 "

recorded 0 clone --engine null -- "$victim" clone
for status in 21 22 23; do holds 1 "parent 0 .* origin fork ended exit code $status "; done
holds 1 "^span in clone process [1-9]"
holds 1 "^event RAW_THREADS process 0 count 1 "

# killed children: their parent waited for them
recorded 0 killed --engine null -- "$victim" killed
for signal in 9 15 10 12 14; do holds 1 "^process [1-5] parent 0 .* origin fork ended signal code - signal $signal "; done

# work before a kill is in the profile, with the way it ended
recorded 137 kill --engine null -- "$victim" kill 1000
holds 1000 '^span marker [0-9]+ process 0 tid [0-9]+ begin [0-9]+ end [0-9]+$'
holds 1 '^span last words process 0 .* end -$'
holds 1 '^process 0 .* ended signal code - signal 9 '
# without the launcher, too
LOADSTONE_SPOOL=$scratch/spool LOADSTONE_ENGINE=null LD_PRELOAD=$top_builddir/.libs/libloadstone-preload.so "$victim" kill 1000 2>/dev/null
expect 0 "next:" "$loadstone" resolve "$scratch/spool" -o byhand.h5
name=byhand
tables byhand.h5
holds 1001 '^span (marker [0-9]+|last words) process 0 '
holds 1 '^process 0 .* ended unknown code - signal - '

# a daemon: record ends with the command and names the processes that still run; from then on it records
# nothing
mkdir daemon
"$loadstone" record -o daemon.h5 --engine null --spool "$scratch/daemon-spool" --keep-spool -- "$victim" daemon "$scratch/daemon" >out 2>err
must test $? -eq 7
i=0
while [ ! -e daemon/ready ] && [ $i -lt 3000 ]; do sleep 0.02; i=$((i + 1)); done
must grep -qF "processes started by the program still run" err
name=daemon
sleep 0.3
: >daemon/release
i=0
while [ ! -e daemon/done ] && [ $i -lt 3000 ]; do sleep 0.02; i=$((i + 1)); done
pid=$(sed -nE 's/^process [1-9].* pid ([0-9]+) .* origin fork .*/\1/p' lines | tail -1)
i=0
while kill -0 "$pid" 2>/dev/null && ! grep -q '^State:.*Z' "/proc/$pid/status" 2>/dev/null && [ $i -lt 3000 ]; do sleep 0.02; i=$((i + 1)); done
expect 0 "" "$loadstone" resolve "$scratch/daemon-spool" -o daemon.h5 --force
tables daemon.h5
holds 0 '^span .*late '
holds 0 " exit code 8 "

# neither it nor programs that it starts later record, or have our variables; the spool is gone and stays so
mkdir later-spool
"$loadstone" record -o later.h5 --engine null --spool "$scratch/later-spool" -- \
    sh -c '(while [ ! -e release ]; do sleep 0.05; done; env >env.now; sh -c "env >env.later"; touch later) & sleep 0.2' >out 2>err
must test $? -eq 0
must grep -qF "processes started by the program still run" err
must test -z "$(ls later-spool)"
: >release
i=0
while [ ! -e later ] && [ $i -lt 1000 ]; do sleep 0.02; i=$((i + 1)); done
for list in env.now env.later; do
    ! grep -E "^(LOADSTONE_|LD_PRELOAD=)" $list || { echo "FAIL: handed on after the recording"; failed=1; }
done
must test -z "$(ls later-spool)"
# a program that was started with the variables of a recording that is over takes them out, too
must env LOADSTONE_START=1 LOADSTONE_SPOOL="$scratch/later-spool/none" LD_PRELOAD="$top_builddir/.libs/libloadstone-preload.so" \
    sh -c 'env >env.own'
! grep -E "^(LOADSTONE_|LD_PRELOAD=)" env.own || { echo "FAIL: handed on of a spool that is gone"; failed=1; }
must test -z "$(ls later-spool)"

can_sample || { echo "not tested: attribution in fork children (the step engine does not work here)"; exit $failed; }
# shellcheck disable=SC2086
recorded 3 fork $sampled -- "$victim" fork
child=$(row "parent 0 .* origin fork ended exit code 3")
leaf=$(row "origin exec ended exit code 3 .* long-leaf 3'")
must test -n "$child" -a -n "$leaf"
holds_some "^sample process $child .* kind range phase prepared node shared$"
read -r _ shared _ plain _ len <out
# every sample in the two blocks: on the node of the one, on a heap home of the other; and in the parent's phase
awk -v child="$child" -v shared=$((shared)) -v plain=$((plain)) -v len="$len" '
    $1 != "sample" || $3 != child { next }
    $13 != "prepared" { print "FAIL: phase of", $0; bad = 1 }
    $7 >= shared && $7 < shared + len { a++; if ($11 != "range" || $15 != "shared") { print "FAIL: not on shared:", $0; bad = 1 } }
    $7 >= plain && $7 < plain + len { b++; if ($11 !~ /^(heap|site|block)$/) { print "FAIL: not a heap block:", $0; bad = 1 } }
    END { if (a == 0 || b == 0) { print "FAIL: samples in shared and plain:", a + 0, b + 0; bad = 1 }; exit bad }' lines || failed=1
# the program that the child started has nothing of it
holds 0 "^sample process $leaf .* node shared$"
holds_some "^sample process $leaf .* kind (heap|site|block) phase - "
holds 0 "^sample process 0 .* node shared$"

expect 0 "next:" "$loadstone" report --processes fork.h5
must grep -qE '^└─ [0-9]+ proc_victim +fork .* exit 3 ' out
# between fork and exec a child writes records only where it uses much CPU time: then it is a separate level
must grep -qE '^(   ){1,2}└─ [0-9]+ proc_victim +exec .* exit 3 ' out
expect 0 "" "$loadstone" report --processes --json fork.h5
must "$python" -c '
import json
p = json.load(open("out"))["processes"]
assert [x.get("parent") for x in p] == [None, 0, 1, 2][:len(p)], p
assert [x["origin"] for x in p] in (["start", "fork", "exec"], ["start", "fork", "fork", "exec"]), p
assert abs(sum(x["time_share"] for x in p) - 1) < 1e-6 and abs(p[0]["tree_time_share"] - 1) < 1e-6, p
assert all(x["peak_resident_bytes"] > 8 << 20 for x in p), p'
expect 0 "next:" "$loadstone" report --by process,phase fork.h5
exit $failed
