#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# loadstone trace: traces of known programs contain exactly their accesses, with the right data.
. "${top_srcdir:-.}/tests/tracer/trace.inc"

traced 3 -- "$victim" loops
says out '^0$'
counts 1000 '.* store 8 heap [0-9]+'
seq 0 999 | awk '{print 8 * ($1 * 7 % 1000)}' >wanted
sequence ' load 8 heap '
seq 0 8 7992 >wanted
sequence ' load 8 table '

traced 0 -- "$victim" reuse
counts 100 '.* store 1 first [0-9]+'
counts 200 '.* store 1 second [0-9]+'
# the runtime's own calls are not the program's: it asks for lengths of blocks and times, and reads files at the end
"$loadstone" patterns t.trace --loader --trivial --min-accesses 1 --top 100000 2>/dev/null >patterns.txt
if grep -E 'in (musable|malloc_usable_size|clock_gettime|__GI___memmem|memmem|__memchr_sse2)' patterns.txt; then
    echo "FAIL: $name: accesses of the runtime's calls of the C library"
    failed=1
fi

traced 0 -- "$victim" threads
says out '^204000$'
counts 4000 '.* store 8 mine [0-9]+'
counts 4000 '.* load 8 mine [0-9]+'
[ "$(grep -E ' mine ' all | sed 's/ \(load\|store\).*//' | sort | uniq -c | awk '$1 == 200' | wc -l)" = 40 ] ||
    { echo "FAIL: $name: not 200 accesses of each of 40 threads"; failed=1; }

traced 0 -- "$victim" phases
counts 301 '.* store 8 table [0-9]+'
counts 2 'phase solve'
grep -E '^phase|^phase-end| table ' all | awk '/^phase/{print n + 0; next} {n++}' >got
printf '100\n150\n300\n301\n' | cmp -s - got || { echo "FAIL: $name: phases do not stand where they were"; failed=1; }
traced 0 --phase solve -- "$victim" phases
{ seq 800 8 1192; echo 2400; } >wanted
sequence ' store 8 table '
counts 1 'break '

traced 0 -- "$victim" ranges
counts 50 '.* store 8 grid [0-9]+'
counts 70 '.* store 8 table [0-9]+'

# all ranges with one label below one parent are one home
homes() {
    "$loadstone" patterns t.trace --json --min-accesses 1 --top 100000 2>/dev/null >p.json
    got=$(grep -o '"home": *"grid"' p.json | wc -l)
    [ "$got" -eq "$1" ] || { echo "FAIL: $name: $got patterns of grid, wanted $1"; failed=1; }
}
traced 0 -- "$victim" steps
counts 8000 '.* store 8 grid [0-9]+'
homes 1
traced 0 -- "$victim" members
counts 16000 '.* store 8 grid [0-9]+'
homes 3

traced 0 -- "$victim" wide
if sees_gathers; then
    counts 10 '.* load 16 text 0'
    counts 10 '.* store 16 copy 0'
    pieces=0
else
    pieces=20 # halves of one access
fi
counts 5 '.* load 4 text 0'
counts 5 '.* store 4 text 0'
counts $((4 + pieces)) '.* load 8 text (0|8|16|24)'
counts 32 '.* load 1 text [0-9]+'
counts 32 '.* load 1 copy [0-9]+'

# code outside of the program is not in the trace
traced 3 --function gather -- "$victim" loops
counts 1000 '.* load 8 heap [0-9]+'
counts 1000 '.* load 8 table [0-9]+'
others=$(grep -E ' (load|store) ' all | grep -cvE ' (heap|table|stack of main thread) ')
[ "$others" -eq 0 ] || { echo "FAIL: $name: $others accesses that are not the function's"; failed=1; }
line=$(grep -n 'sum += heap' "$top_srcdir/tests/tracer/trace_victim.c" | cut -d: -f1)
traced 3 --lines "trace_victim.c:$line" -- "$victim" loops
counts 2000 '.* load 8 (heap|table) [0-9]+'
traced 3 --node heap -- "$victim" loops
counts 2000 '.* (load|store) 8 heap [0-9]+'
counts 2000 '.* (load|store) .*'
traced 125 --function nowhere -- "$victim" loops
says err 'no function of that name'

# the program's end is unchanged; the trace has the accesses before it
traced 143 -- "$victim" aborts
says out '^dying$'
counts 10 '.* store 8 table [0-9]+'
traced 137 -- "$victim" killed
counts 700 '.* store 8 table [0-9]+'
traced 0 -- "$victim" forks
says out '^child 5$'
says err '1 child process made by fork ran untraced'
counts 30 '.* store 8 table [0-9]+'

# signal handlers, which QEMU begins with a stack that is misaligned by 8 bytes: their calls of the runtime,
# and their way to end the program
handlers=$top_builddir/tests/tracer/trace_handlers
# handled WHAT STATUS OUTPUT: the same in bare QEMU
handled() {
    qemu-x86_64 "$handlers" "$1" >wanted 2>err
    [ "$?:$(cat wanted)" = "$2:$3" ] || { echo "FAIL: $1: status and output in bare QEMU: $?, $(cat wanted)"; failed=1; }
    traced "$2" -- "$handlers" "$1"
    cmp -s wanted out || { echo "FAIL: $name: another output: $(cat out)"; failed=1; }
}
handled allocate 4 'signal 14'
counts 300 '.* store 1 large [0-9]+'
counts 300 '.* load 1 zeroed [0-9]+'
handled map 4 mapped
handled load 4 loaded
handled insert 4 inserted
counts 300 '.* store 1 inserted [0-9]+'
counts 3 'phase inside'
handled fork 4 'child 5'
handled leave 7 ''
handled end 8 ''
handled replace 9 ''

# a library that is loaded later: its blocks have names, too
plugin=$top_builddir/tests/cases/.libs/sites_plugin.so
traced 0 --module "$plugin" -- "$top_builddir/tests/cases/sites_victim" all "$plugin"
counts 1 '.* store 1 plugin_buffer 0'

# the result is never wrong
if sees_gathers; then
    traced 126 --avx2 -- "$victim" bad-gather
    says err 'index is in register 4'
    says out '^before$'
    ! grep -q behind out || { echo "FAIL: the gather was run"; failed=1; }
    [ ! -e t.trace ] || { echo "FAIL: a trace of a refused program"; failed=1; }
    traced 126 --avx2 -- "$victim" bad-gather-in-child
    says err 'index is in register 4'
    says out '^child 126$'
    ! grep -q behind out || { echo "FAIL: the gather was run in a child"; failed=1; }
    [ ! -e t.trace ] || { echo "FAIL: a trace of a refused program"; failed=1; }
    traced 126 -- "$victim" bad-gather
    says err 'AVX2, which QEMU'
    traced 126 -- "$victim" avx512
    says err 'AVX-512, which QEMU'
    traced 126 -- "$victim" mask
    says err 'AVX-512, which QEMU'
    traced 126 -- "$victim" tile
    says err 'AMX, which QEMU'
    traced 126 -- "$victim" direct
    says err 'MOVDIR64B, which QEMU'
else
    traced 125 --avx2 -- "$victim" loops
    says err 'built without Zydis'
    [ ! -s out ] || { echo "FAIL: --avx2 ran a program that cannot be checked"; failed=1; }
    traced 126 -- "$victim" avx512
    says err 'AVX-512, which QEMU'
fi
# an existing trace is not overwritten
echo old >kept.trace
"$loadstone" trace -q -f -o kept.trace -- "$victim" avx512 >out 2>err
[ "$(cat kept.trace)" = old ] || { echo "FAIL: a refused program took the trace that was there"; failed=1; }
[ -z "$(ls -d ./*.part-* 2>/dev/null)" ] || { echo "FAIL: left behind: $(ls -d ./*.part-*)"; failed=1; }

[ -z "$(ls -d loadstone-spool-* 2>/dev/null)" ] || { echo "FAIL: a spool was left"; failed=1; }

# a program of another architecture, without the runtime: variables have names
if command -v qemu-aarch64 >/dev/null && aarch64-linux-gnu-gcc -g -O1 -I"$top_srcdir/include" -DTRACE_ALONE -o arm \
    "$top_srcdir/tests/tracer/trace_victim.c" -pthread 2>gcc.err; then
    traced 3 -- ./arm loops
    seq 0 8 7992 >wanted
    sequence ' load 8 table '
    traced 3 --function gather -- ./arm loops
    counts 1000 '.* load 8 table [0-9]+'
else
    echo "not tested: aarch64 programs (Debian: qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross)"
fi
exit $failed
