#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# loadstone trace: programs that cannot be traced, or that behave differently in QEMU, get the reason and an
# alternative.
. "${top_srcdir:-.}/tests/tracer/trace.inc"

# a system call that QEMU lacks, of a program that fails for it
heard 9 'failed after calls that QEMU does not support: io_uring_setup \(425\)$' "$loadstone" trace -f -o t.trace -- "$victim" odd-call
says err 'next: loadstone record -- .*bursts'
"$trace_lines" t.trace >all
counts 10 '.* store 8 table [0-9]+'
# an instruction that QEMU lacks, of no set with a name: the trace up to there is kept, the status is the program's
what='it is for want of an instruction that QEMU does not have$'
if sees_gathers; then what='at 0x[0-9a-f]+ in odd_instruction \(trace_victim\): QEMU does not have the instruction clui \(f3 0f 01 ee\)$'; fi
heard 132 "trace_victim was ended by SIGILL.*$what" "$loadstone" trace -f -o t.trace -- "$victim" odd-instruction
says err 'next: loadstone record -- .*bursts'
"$trace_lines" t.trace >all
counts 10 '.* store 8 table [0-9]+'
# one that is illegal everywhere is the program's own, so is a signal that it sends itself
if sees_gathers; then
    heard 132 'was ended by SIGILL at 0x[0-9a-f]+ in trap \(trace_victim\), by its own ud2 \(0f 0b\)$' "$loadstone" trace -f -o t.trace -- "$victim" trap
    ! grep -q 'next: loadstone record' err || { echo "FAIL: $name: an alternative to its own end"; failed=1; }
fi
heard 132 'was ended by SIGILL: if this does not happen without QEMU' "$loadstone" trace -f -o t.trace -- "$victim" raises-ill
for how in 1 2; do
    heard 6 'accesses of 1 thread' "$loadstone" trace -f -o t.trace -- "$victim" handles-ill $how
    ! grep -q -e SIGILL -e 'loadstone record' err || { echo "FAIL: $name: says something of a signal that is handled"; failed=1; }
done
# calls that the C library only tries are not reported: threads (clone3, rseq, set_robust_list), in a program
# with a status
heard 3 'accesses' "$loadstone" trace -f -o t.trace -- "$victim" loops
! grep -q 'QEMU does not have' err || { echo "FAIL: $name: lacks what nobody misses"; failed=1; }

# nothing can be preloaded into a static program: it is traced, its blocks have no names
if gcc -nostdlib -static -no-pie -o counted "$top_srcdir/tests/tracer/trace_counted.S" 2>gcc.err; then
    heard 4 'statically linked: no runtime can be in it' "$loadstone" trace -f -o t.trace -- ./counted
    "$trace_lines" t.trace >all
    counts 1000 '.* load 8 counted 0'
    # an unknown name is therefore refused before the program runs
    heard 125 'node nowhere: .*/counted has no variable of that name.*it was not run' "$loadstone" trace -f -o t.trace --node counted --node nowhere -- ./counted
    ! grep -q 'itself ended with' err || { echo "FAIL: $name: it ran"; failed=1; }
    heard 4 'of them to this data' "$loadstone" trace -f -o t.trace --node counted -- ./counted
else
    echo "not tested: a static program (gcc links nothing without its libraries here)"
fi

# a program of 32 bits is recognised by its header
{
    printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0\124\200\4\10\64\0\0\0'
    head -c 100 /dev/zero
} >small
chmod +x small
heard 126 'small is not a 64-bit program of a machine that can be traced' "$loadstone" trace -f -o t.trace -- ./small
[ -e t.trace ] && rm t.trace
printf 'no program' >text
heard 126 'text is not executable' "$loadstone" trace -o t.trace -- ./text
heard 127 'nowhere' "$loadstone" trace -o t.trace -- ./nowhere
[ ! -e t.trace ] || { echo "FAIL: a trace of nothing"; failed=1; }

# a script is traced as its interpreter
printf '#!/bin/sh -e\necho "script $1"\nexit 7\n' >script
chmod +x script
heard 7 'accesses of 1 thread' "$loadstone" trace -f -o t.trace -- ./script argument
says out '^script argument$'
heard 0 'started by exec ran untraced: put loadstone trace before' "$loadstone" trace -f -o t.trace -- sh -c '/bin/true; :'

# no QEMU
mkdir empty
name="without QEMU"
env PATH="$PWD/empty" "$loadstone" trace -o u.trace -- "$victim" loops >out 2>err
[ $? -eq 126 ] || { echo "FAIL: without QEMU: another status"; failed=1; }
says err 'qemu-x86_64 is not in PATH: .*Debian: qemu-user.*loadstone record'
[ ! -s out ] && [ ! -e u.trace ] || { echo "FAIL: without QEMU: something ran"; failed=1; }

# a QEMU that cannot start programs
mkdir fake
printf '#!/bin/sh\nexit 1\n' >fake/qemu-x86_64
chmod +x fake/qemu-x86_64
PATH=$PWD/fake:$PATH heard 126 'QEMU did not start .* with the tracer.s plugin' "$loadstone" trace -o u.trace -- "$victim" loops
says err 'next: loadstone record -- '
[ ! -e u.trace ] || { echo "FAIL: a trace of a program that did not start"; failed=1; }

# standard output belongs to the program, and two outputs cannot be one file
for name in -o --patterns; do
    heard 125 'written to a file only' "$loadstone" trace -f $name - -- "$victim" loops
done
heard 125 'cannot be the trace and its patterns' "$loadstone" trace -f -o t.trace --patterns t.trace -- "$victim" loops
heard 125 'x.svg: this command writes JSON, and .svg is for a picture' "$loadstone" trace --patterns x.svg -- touch ran
heard 125 'x.json: this command writes a trace, and .json is for JSON' "$loadstone" trace -o x.json -- touch ran
[ ! -e ran ] || { echo "FAIL: the program ran"; failed=1; }
cp "$victim" program
heard 125 'is a program or a library' "$loadstone" trace -f -o program -- ./program loops
cmp -s "$victim" program || { echo "FAIL: the program was overwritten"; failed=1; }
[ -z "$(ls -A | grep -e '^-' -e part- -e spool)" ] || { echo "FAIL: something was left: $(ls -A)"; failed=1; }

# outputs that cannot be written are reported before the program runs, and existing files are not changed by
# the check
printf 'precious' >kept
ls -A >before
for option in -o --patterns; do
    for place in /proc/loadstone.out /proc/no/loadstone.out "$PWD/no/loadstone.out" kept/loadstone.out; do
        heard 125 "(cannot write to|no file can be made in) directory .*; name another file" "$loadstone" trace -f $option $place -- touch ran
    done
    heard 125 'too long' "$loadstone" trace -f $option "$(printf '%0250d' 0)" -- touch ran
    heard 125 'kept exists; --force' "$loadstone" trace $option kept -- touch ran
    heard 125 'written to a file only|name a file' "$loadstone" trace -f $option . -- touch ran
done
rm -f out err
[ ! -e ran ] && [ "$(cat kept)" = precious ] && [ "$(ls -A)" = "$(grep -vx -e out -e err before)" ] || { echo "FAIL: the program ran, or files were touched: $(ls -A)"; failed=1; }

# a file that cannot be read is not suggested as input of the next command
heard 3 'accesses' "$loadstone" trace -f -o /dev/null -- "$victim" loops
! grep -q 'next:' err || { echo "FAIL: $name: goes on with /dev/null"; failed=1; }
heard 3 'pattern' "$loadstone" trace -f --patterns /dev/null -- "$victim" loops
! grep -q 'next:' err || { echo "FAIL: $name: goes on with /dev/null"; failed=1; }
heard 3 'next: loadstone patterns t.trace' "$loadstone" trace -f -o t.trace -- "$victim" loops

# the program's status does not hide a failure of the tracer
heard 125 'has no data of that name' "$loadstone" trace -f -o t.trace --node nowhere -- "$victim" loops
says err 'itself ended with status 3'
heard 125 'has no data of that name' "$loadstone" trace -f -o t.trace --node nowhere -- "$victim" aborts
says err 'itself was ended by signal 15'
exit $failed
