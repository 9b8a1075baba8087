#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# record --pid of processes that it may not or cannot record: the cause and the remedy, and nothing happens to them.
. "${top_srcdir:-.}/tests/cases/attach.inc"
can_sample || skip "the step engine does not work here"
name=permits
not_tested() { echo "not tested: $*"; }
# refuses STATUS TEXT COMMAND...: the recording of $pid is refused, and leaves no files
refuses() {
    want=$1 text=$2
    shift 2
    expect "$want" "$text" "$@" "$loadstone" record -f -o refused.h5 --pid "$pid" --duration 100ms
    must test ! -e refused.h5
    must test -z "$(ls -d loadstone-spool-* 2>/dev/null)"
}
# status_says PATTERN: wait until /proc/$pid/status contains PATTERN
status_says() {
    turns=0
    while [ $turns -lt 200 ] && ! grep -qs "$1" /proc/"$pid"/status; do sleep 0.05; turns=$((turns + 1)); done
}

# A process that would be killed for the calls of a recording.
for how in prepared plain; do
    if [ $how = prepared ]; then begins "$loadstone" run -- "$victim" filtered; else begins_plainly "$victim" filtered; fi
    status_says '^Seccomp:.*2'
    name=filtered-$how
    refuses 126 "has forbidden system calls to itself (seccomp)"
    undisturbed
done
# A filter that the recorder has, too, as in a container, is no reason.
begins_plainly "$victim" contained "$victim" sleep
status_says '^Seccomp:.*2'
name=uncontained
refuses 126 "has forbidden system calls to itself (seccomp)"
name=contained
"$victim" contained "$loadstone" record -q -f -o contained.h5 --pid "$pid" --duration 100ms 2>err </dev/null ||
    { echo "FAIL: $name: status $?"; cat err; failed=1; }
undisturbed

# A session in which ptrace does not work.
begins_plainly "$victim" sleep
name=without-ptrace
refuses 126 "a filter of system calls (seccomp) of this session or container forbids ptrace" "$victim" without-ptrace
undisturbed
begins "$loadstone" run -- "$victim" sleep
expect 0 "goes on, and can be recorded again" "$victim" without-ptrace "$loadstone" record -f -o prepared.h5 --pid "$pid" --duration 100ms
undisturbed
# The setting of Yama is read from a file in its place: its rule needs a kernel that has it.
cat >scopes.sh <<'E'
mount -t tmpfs none /proc/sys/kernel 2>/dev/null && mkdir /proc/sys/kernel/yama || exit 77
. "$top_srcdir/tests/cases/attach.inc"
begins_plainly "$victim" sleep
for scope in 1 2 3; do
    name=scope-$scope
    echo $scope >/proc/sys/kernel/yama/ptrace_scope
    expect 126 "kernel.yama.ptrace_scope is $scope)" "$victim" without-ptrace "$loadstone" record -o refused.h5 --pid "$pid"
    must grep -q 'started by loadstone run needs no such right' err
done
undisturbed
exit $failed
E
export top_srcdir top_builddir
if unshare -m true 2>/dev/null; then
    unshare -m sh scopes.sh
    case $? in
    0) ;;
    77) not_tested "kernel.yama.ptrace_scope (nothing can be mounted)" ;;
    *) failed=1 ;;
    esac
else
    not_tested "kernel.yama.ptrace_scope (no namespaces for mounts)"
fi

# Other users, and fewer rights than the process has.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    begins_plainly "$victim" sleep
    chmod 755 "$scratch"
    name=other-user
    refuses 126 "belongs to another user (number 0): record it as that user" setpriv --reuid 65534 --clear-groups
    name=fewer-rights
    refuses 126 "docker run --cap-add SYS_PTRACE" setpriv --bounding-set -sys_ptrace
    undisturbed
else
    not_tested "other users (this is not root)"
fi

# Under another tracer.
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
    begins_plainly "$victim" sleep
    strace -o /dev/null -p "$pid" 2>/dev/null &
    tracer=$!
    status_says "^TracerPid:[[:space:]]*$tracer$"
    name=traced
    refuses 126 "is under a debugger or tracer (process $tracer): detach that first"
    kill $tracer
    wait $tracer
    undisturbed
else
    not_tested "a process under strace"
fi

# Ended, but nobody has waited for it.
sh -c 'sleep 0.3 & echo $! >zombie; exec sleep 60' &
parent=$!
turns=0
while [ $turns -lt 200 ] && ! [ -s zombie ]; do sleep 0.05; turns=$((turns + 1)); done
pid=$(cat zombie)
status_says '^State:.*Z'
name=zombie
refuses 127 "process $pid has ended already"
kill $parent
wait $parent 2>/dev/null

if [ "$(cat /proc/2/comm 2>/dev/null)" = kthreadd ]; then
    pid=2 name=kernel
    refuses 126 "is a thread of the kernel"
else
    not_tested "a thread of the kernel (none is visible)"
fi

# Programs that cannot load anything.
# is_refused NAME TEXT COMMAND...: it runs until it is killed
is_refused() {
    name=$1 text=$2
    shift 2
    begins_plainly "$@"
    status_says '^State:.*S'
    refuses 126 "$text"
    must kill "$pid"
    wait "$pid"
    must test $? -eq 143
}
echo '#include <unistd.h>
int main(void) { for (;;) pause(); }' >waits.c
if gcc -static waits.c -o static 2>/dev/null; then
    is_refused static "statically linked program, into which nothing can be loaded: link it dynamically" ./static
else
    not_tested "a static program (no static C library)"
fi
echo 'void _start(void) { for (;;) __asm__ volatile("int $0x80" : : "a"(29)); }' >pauses.c
can_run_32_bit() {
    gcc -m32 -static -nostdlib -fno-pic -no-pie -fno-stack-protector pauses.c -o bits32 2>/dev/null || return 1
    ./bits32 &
    pid=$!
    status_says '^State:.*S'
    kill $pid 2>/dev/null
}
if can_run_32_bit 2>/dev/null; then
    is_refused 32-bit "runs a 32-bit program: only 64-bit programs can be recorded" ./bits32
else
    not_tested "a 32-bit program"
fi
if command -v qemu-aarch64 >/dev/null && aarch64-linux-gnu-gcc -static waits.c -o foreign 2>/dev/null; then
    is_refused emulated "runs a program of another processor in qemu-aarch64" qemu-aarch64 ./foreign
else
    not_tested "a program of another processor"
fi
exit $failed
