#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# loadstone trace: exactly the chosen code and data is traced; a choice without a match is reported.
. "${top_srcdir:-.}/tests/tracer/trace.inc"

# --- data
traced 3 --node heap --node table -- "$victim" loops
counts 2000 '.* (load|store) 8 heap [0-9]+'
counts 1000 '.* load 8 table [0-9]+'
counts 3000 '.* (load|store) .*'
heard 125 'node nowhere: the program has no data of that name; .* and heap, .*stack of main thread' "$loadstone" trace -f --node heap --node nowhere -- "$victim" loops
says err 'itself ended with status 3'

# --- a library's function
cat >part.c <<'C'
double part_sum(const double *p, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += *(const volatile double *)&p[i];
    return sum;
}
C
cat >whole.c <<'C'
double part_sum(const double *p, int n);
double data[500];
int main(void)
{
    return (int)part_sum(data, 500);
}
C
if gcc -O1 -shared -fPIC -o libpart.so part.c 2>gcc.err && gcc -O1 -o whole whole.c -L. -lpart -Wl,-rpath,"$PWD" 2>gcc.err; then
    traced 0 --module ./libpart.so --function part_sum -- ./whole
    counts 500 '.* load 8 data [0-9]+'
    others=$(grep -E ' (load|store) ' all | grep -cvE ' (data|stack of main thread) ')
    [ "$others" -eq 0 ] || { echo "FAIL: $name: $others accesses that are not the function's"; failed=1; }
    traced 125 --function part_sum -- ./whole
    says err 'give --module'
    # --module alone: all code of this file, of the program as of a library
    traced 0 --module ./libpart.so -- ./whole
    counts 500 '.* load 8 data [0-9]+'
    traced 0 --module ./whole -- ./whole
    counts 0 '.* load 8 data [0-9]+'
    others=$(grep -cE ' (load|store) ' all) # calls at start and end: the dynamic loader's are thousands
    [ "$others" -gt 0 ] && [ "$others" -lt 200 ] || { echo "FAIL: $name: $others accesses"; failed=1; }
    traced 125 --auto --module ./whole -- ./whole
    says err 'give one of them'
else
    echo "not tested: --module (gcc makes no library here)"
fi

# --- a function by the name that tables show: here a Fortran module's
cat >module.c <<'C'
double data[40];
void fill(int n) __asm__("__grid_MOD_fill");
__attribute__((noinline)) void fill(int n)
{
    for (int i = 0; i < n; i++)
        *(volatile double *)&data[i] = n;
}
int main(int count, char **words)
{
    (void)words;
    fill(39 + count);
    return 0;
}
C
if gcc -O1 -o module module.c 2>gcc.err; then
    traced 0 --function grid::fill -- ./module
    counts 40 '.* store 8 data [0-9]+'
    counts 40 '.* store .*'
else
    echo "not tested: a function of a Fortran module (gcc does not compile here)"
fi

# --- a function that exists only as inlined copies, in C and C++: the copies are traced, and no code around them
cat >inlined.c <<'C'
volatile double data[40], other[7];
static inline __attribute__((always_inline)) void fill(int n)
{
    for (int i = 0; i < n; i++)
        data[i] = n;
}
int main(int count, char **words)
{
    (void)words;
    fill(39 + count);
    for (int i = 0; i < 7; i++)
        other[i] = i;
    fill(9 + count);
    return 0;
}
C
cat >inlined_cxx.cc <<'C'
volatile double data[40], other[7];
namespace grid
{
static inline __attribute__((always_inline)) void fill(int n)
{
    for (int i = 0; i < n; i++)
        data[i] = n;
}
} // namespace grid
int main(int count, char **)
{
    grid::fill(39 + count);
    for (int i = 0; i < 7; i++)
        other[i] = i;
    grid::fill(9 + count);
    return 0;
}
C
if gcc -O1 -g -o inlined inlined.c 2>gcc.err && g++ -O1 -g -o inlined_cxx inlined_cxx.cc 2>gcc.err; then
    traced 0 --function fill -- ./inlined
    counts 50 '.* store 8 data [0-9]+'
    counts 0 '.* other .*'
    for name in fill grid::fill; do
        traced 0 --function $name -- ./inlined_cxx
        counts 50 '.* store 8 data [0-9]+'
        counts 0 '.* other .*'
    done
    strip -g inlined
    traced 125 --function fill -- ./inlined
    says err 'compiled with -g'
else
    echo "not tested: inlined functions (gcc does not compile here)"
fi

# --- instructions, counted to the last one: blocks of 5, 4, 4, ...
if gcc -nostdlib -static -no-pie -o counted "$top_srcdir/tests/tracer/trace_counted.S" 2>gcc.err; then
    traced 4 -- ./counted
    counts 1000 '.* load 8 counted 0'
    traced 125 --auto -- ./counted
    says err 'counted cannot be recorded .*choose by --function'
    traced 4 --count 400 -- ./counted
    counts 100 '.* load 8 counted 0'
    traced 4 --skip 400 -- ./counted
    counts 901 '.* load 8 counted 0'
    traced 4 --skip 400 --count 40 -- ./counted
    counts 11 '.* load 8 counted 0'
else
    echo "not tested: --count and --skip (gcc links nothing without its libraries here)"
fi

# --- choices without a match
heard 0 "0 accesses: .* began no phase 'nowhere'; its phases: solve" "$loadstone" trace -f -o t.trace --phase nowhere -- "$victim" phases
heard 3 '0 accesses: .* began no phase at all .*leave --phase out' "$loadstone" trace -f -o t.trace --phase solve -- "$victim" loops
heard 3 '0 accesses: .* ran none of the chosen code; choose other code' "$loadstone" trace -f -o t.trace --function touch_wide -- "$victim" loops
heard 3 '0 accesses: no thread .* more than 1000000000 instructions; skip fewer' "$loadstone" trace -f -o t.trace --skip 1000000000 -- "$victim" loops
heard 125 'p.json was not written: there are no accesses' "$loadstone" trace -f -p p.json --function touch_wide -- "$victim" loops
[ ! -e p.json ] || { echo "FAIL: patterns of nothing"; failed=1; }

# --- choice by a recording: 95 % of its time is in gather, on a block and a table; touch is left out
make_profile=$top_builddir/tests/tools/make_profile
must "$make_profile" hot.h5 traced "$(realpath "$victim")"
heard 3 'traced: 1 function with 9[0-9] % of the time: gather$' "$loadstone" trace -f -o t.trace --hot hot.h5 -- "$victim" loops
says err 'on data with 100 % of their time: heap, table$'
says err '^loadstone: 2000 of them to this data'
"$trace_lines" t.trace >all
counts 1000 '.* load 8 heap [0-9]+'
counts 1000 '.* load 8 table [0-9]+'
counts 2000 '.* (load|store) .*'
traced 3 --hot hot.h5 --node table -- "$victim" loops
counts 1000 '.* (load|store) .*'
# a function that works on data without names: none of it is left out
must "$make_profile" nameless.h5 nameless "$(realpath "$victim")"
heard 3 'traced: 2 functions .*: gather, touch_wide$' "$loadstone" trace -f -o t.trace --hot nameless.h5 -- "$victim" loops
! grep -q 'on data with' err || { echo "FAIL: $name: data was chosen"; failed=1; }
# data that is not in the trace
traced 0 --hot hot.h5 --function hot -- "$victim" hot
# recordings with too few bursts, and code that is not on this machine
must "$make_profile" away.h5 traced /nowhere/program
heard 3 'none of the code of 200 bursts is in a file of this machine: the whole program' "$loadstone" trace -f -o t.trace --hot away.h5 -- "$victim" loops
heard 125 'missing.h5' "$loadstone" trace -f -o t.trace --hot missing.h5 -- "$victim" loops

# --- variants of the recorded function for other processors
cat >kin.c <<'C'
volatile int place[100];
__attribute__((noinline)) void fill_avx512_wide(void)
{
    for (int i = 0; i < 100; i++)
        place[i] = 1;
}
__attribute__((noinline)) void fill_sse2(void)
{
    for (int i = 0; i < 100; i++)
        place[i] = 2;
}
__attribute__((noinline)) void fill_other(void)
{
    for (int i = 0; i < 100; i++)
        place[i] = 3;
}
int main(int argc, char **argv)
{
    if (argc > 9) fill_avx512_wide();
    fill_sse2();
    fill_other();
    return 0;
}
C
if gcc -O1 -o kin kin.c 2>gcc.err; then
    must "$make_profile" kin.h5 traced "$PWD/kin" fill_avx512_wide
    heard 0 'traced: 1 function with 100 % of the time: fill_avx512_wide$' "$loadstone" trace -f -o t.trace --hot kin.h5 -- ./kin
    "$trace_lines" t.trace >all
    counts 100 '.* store 4 place [0-9]+'
fi

# --- the same with --auto; longer if a busy machine gave few bursts
rounds=3000000
while :; do
    heard 0 'accesses of 1 thread' "$loadstone" trace -f -o t.trace --auto -- "$victim" hot $rounds
    grep -q 'too few to choose by' err && [ $rounds -lt 100000000 ] || break
    rounds=$((rounds * 2))
done
if grep -q 'too few to choose by' err; then
    echo "not tested: --auto ($(sed -n 's/.*: \([0-9]* bursts\).*/\1/p' err) of $rounds rounds)"
else
    says err '^loadstone: traced: [0-9]+ functions? with .* of the time: (.*, )?divide(,|$)'
    says err '^loadstone: on data with .* of their time: (.*, )?divisors(,|$)'
    kept=$(sed -n 's/^loadstone: \([0-9]*\) of them to this data/\1/p' err)
    [ "${kept:-0}" -ge $rounds ] && [ "${kept:-0}" -lt $((rounds + 1000000)) ] || { echo "FAIL: --auto: $kept accesses, wanted $rounds"; failed=1; }
fi
says out '^1$'
[ -z "$(ls -d loadstone-spool-* 2>/dev/null)" ] || { echo "FAIL: a spool was left"; failed=1; }
# --- the example of the manual: the compiler must not inline its function
must grep -q '^loadstone trace --function multiply --node x -- ./spmv small.mtx$' "$top_srcdir/doc/trace.md"
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 1\n1 3 1\n2 2 1\n3 3 1\n' >small.mtx
traced 0 --function multiply --node x -- "$top_builddir/examples/spmv" small.mtx
counts 80 '.* load 8 x [0-9]+'
exit $failed
