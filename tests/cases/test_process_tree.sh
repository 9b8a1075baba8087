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

# wait_for FILE
wait_for() {
    i=0
    while [ ! -e "$1" ] && [ $i -lt 3000 ]; do sleep 0.02; i=$((i + 1)); done
}
# released NAME: the daemon goes on when the recording is over; the programs that it starts have no variable of it
released() {
    sleep 0.2 # it looks every 100 ms
    : >"$1/release"
    wait_for "$1/done"
    must test "$(ls "$1" | grep -c '^env')" -eq 16
    ! grep -lE "^(LOADSTONE_|LD_PRELOAD=)" "$1"/env.* || { echo "FAIL: $1: handed on after the recording"; failed=1; }
}

# a daemon: record ends with the command and names the processes that still run; from then on it records
# nothing
mkdir kept gone orphan kept-spool gone-spool orphan-spool
for name in kept gone; do
    [ $name = kept ] && keep=--keep-spool || keep=
    "$loadstone" record -o $name.h5 --engine null --spool "$scratch/$name-spool" $keep -- "$victim" daemon "$scratch/$name" >out 2>err
    must test $? -eq 7
    wait_for $name/ready
    must grep -qF "processes started by the program still run" err
    released $name
done
must test -z "$(ls gone-spool)"
# the launcher is killed: its spool is resolved, and nothing was added
"$loadstone" record -o orphan.h5 --engine null --spool "$scratch/orphan-spool" -- sh -c '"$1" daemon "$2"; while [ ! -e "$2/done" ]; do :; done' \
    sh "$victim" "$scratch/orphan" >out 2>err &
launcher=$!
wait_for orphan/ready
kill -9 $launcher
wait $launcher 2>/dev/null
released orphan
for name in kept orphan; do
    expect 0 "" "$loadstone" resolve "$scratch/$name-spool" -o $name.h5 --force
    tables $name.h5
    [ $name = kept ] || holds 1 '^span daemon process ' # it may begin after the end of the recording
    holds 0 '^span .*late '
    holds 0 " exit code 8 "
    holds 0 " command '.*env"
done

# a program that was started with the variables of a recording that is over takes them out, too
must env LOADSTONE_START=1 LOADSTONE_SPOOL="$scratch/gone-spool/none" LD_PRELOAD="$top_builddir/.libs/libloadstone-preload.so" \
    sh -c 'env >env.own'
! grep -E "^(LOADSTONE_|LD_PRELOAD=)" env.own || { echo "FAIL: handed on of a spool that is gone"; failed=1; }
must test -z "$(ls gone-spool)"

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
holds 0 "^sample process $leaf .* kind range .* node shared$"
holds_some "^sample process $leaf .* kind (heap|site|block) phase - "
holds 0 "^sample process 0 .* kind range .* node shared$"

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
