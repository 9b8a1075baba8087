#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Every small heap block is found at its allocation site, by both engines of bursts, with threads, forks, other stacks, locked memory
# and other allocators; a program with little address space runs without tags, and that is reported.
. "${top_srcdir:-.}/tests/cases/proc.inc"
can_sample || skip "the step engine does not work here"
ls "$top_builddir"/runtime/core/.libs/*rt_unwind_x86_64_sigsafe.o >/dev/null 2>&1 || skip "there are no call paths here (needs x86-64 and glibc 2.35)"
victim=$top_builddir/tests/cases/tags_victim
kinds="plain nothrow array aligned from_malloc from_calloc grown from_memalign wrap_one wrap_other recursive"

# named NAME WALKS OPTION... -- COMMAND...: record it in more and more rounds, until each of these walks has enough samples; all of them
# are in blocks of the right sites
named() {
    name=$1 wanted=$2 overhead=$3
    shift 3
    for rounds in 40 160 640; do # a machine that is busy samples little
        "$loadstone" record -q -f -o "$name.h5" --overhead $overhead --period 1ms "$@" $rounds $locked >out 2>err </dev/null ||
            { echo "FAIL: $name: $(cat err)"; failed=1; return; }
        "$python" "$top_srcdir/tests/cases/tags_lines.py" "$name.h5" >lines || { failed=1; return; }
        enough=yes
        for walk in $wanted; do
            grep -q "^walk $walk right some " lines || enough=no
        done
        [ $enough = no ] || break
    done
    for walk in $wanted; do
        grep -q "^walk $walk right some wrong 0 unknown 0:" lines || { echo "FAIL: $name: $(grep "^walk $walk " lines | cut -c1-200 || echo "no walk $walk")"; failed=1; }
    done
}

locked=
named step "$kinds chain ordered" 50% --engine step -- "$victim"
named translate "$kinds chain ordered" 50% --engine translate -- "$victim"
# a budget that hooks exceed makes no name wrong
named budget "wrap_one wrap_other" 2% --engine step -- "$victim"
locked=locked
named locked "plain from_malloc" 50% --engine step -- "$victim"
locked=
for other in libjemalloc.so.2 libtcmalloc_minimal.so.4; do
    [ "$(LD_PRELOAD=$other env true 2>&1)" = "" ] || { echo "not tried: $other is not installed"; continue; }
    named "${other%.so*}" "$kinds" 50% --engine step -- env LD_PRELOAD=$other "$victim"
done

# blocks of programs have the tags of their own call paths; a compiler has more paths than there are tags
printf '#include <map>\n#include <regex>\n#include <string>\nstd::map<std::string, std::regex> m;\n' >templates.cc
paths_are_right() { # NAME PERCENT COMMAND...
    name=$1 most=$2
    shift 2
    must "$loadstone" record -q -f -o paths.h5 --overhead 100% --period 10s -- "$@" >out 2>err </dev/null
    "$loadstone" report --how paths.h5 >how 2>err
    tr -s ' \n' ' ' <how | sed -n 's/.* of \([0-9,]*\) allocations drawn at random, [0-9,]* (\([0-9.]*\) %).*/\1 \2/p' | tr -d , >drawn
    awk -v most=$most '{ good = $1 > 300 && $2 < most } END { exit !good }' drawn ||
        { echo "FAIL: $name: allocations drawn, and percent with the tag of another call path: $(cat drawn)"; failed=1; }
}
paths_are_right perl 1 perl -e 'my %h; $h{$_ * 7919 % 20011} .= chr(65 + $_ % 26) for 1 .. 200000; print scalar(keys %h)'
paths_are_right python 1 env PYTHONMALLOC=malloc "$python" -c 'import json; print(len(json.dumps([str(i) for i in range(100000)])))'
command -v g++ >/dev/null && paths_are_right compiler 6 g++ -O2 -c -o /dev/null templates.cc

# without tags most blocks have no site
for rounds in 10 40 160 640; do
    must "$loadstone" record -q -f -o without.h5 --no-tags --engine step --overhead 50% --period 1ms -- "$victim" $rounds >out 2>err </dev/null
    must "$python" "$top_srcdir/tests/cases/tags_lines.py" without.h5 >lines
    grep -qE '^walk .* unknown [1-9]' lines && break
done
grep -qE '^walk .* unknown [1-9]' lines || { echo "FAIL: tags although they are switched off:"; cat lines; failed=1; }

# where memory is limited, tags could take memory from the program
must bash -c 'ulimit -v 2000000; exec "$0" record -q -f -o limited.h5 --engine step --overhead 50% --period 1ms -- "$1" 10' "$loadstone" "$victim" >out 2>err </dev/null
expect 0 'got no site tags' "$loadstone" report --how limited.h5
expect 0 '' "$loadstone" report --how step.h5
grep -q 'got no site tags' out && { echo "FAIL: the unlimited recording says that there are no tags"; failed=1; }

# C++ that came by dlopen into a program without it: its operators are found all the same
cxx=${CXX:-c++}
cat >plugin.cc <<'C'
#include <new>
#include <stdexcept>
#include <string>
extern "C" int plugin(int n)
{
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        std::string *s = new std::string("longer than a string that is kept inside " + std::to_string(i));
        wrong += s->size() < 40;
        delete s;
    }
    try {
        ::operator delete(::operator new(static_cast<size_t>(n) << 56));
        wrong++;
    } catch (const std::bad_alloc &) {
    }
    return wrong + (::operator new(static_cast<size_t>(n) << 56, std::nothrow) != nullptr);
}
C
cat >loader.c <<'C'
#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *object = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : 0;
    int (*plugin)(int) = object ? (int (*)(int))dlsym(object, "plugin") : 0;
    return plugin ? plugin(1000) : 77;
}
C
if $cxx -shared -fPIC -O1 -o plugin.so plugin.cc 2>err && ${CC:-cc} -o loader loader.c -ldl 2>err && ./loader ./plugin.so; then
    expect 0 '' "$loadstone" record -q -f -o plugin.h5 -- ./loader ./plugin.so
else
    echo "not tried: a plugin in C++ ($(head -1 err))"
fi

# a program's own operators stay its own
cat >own.cc <<'C'
#include <cstdio>
#include <cstdlib>
#include <new>
static int calls;
void *operator new[](size_t n) { calls++; return static_cast<char *>(std::malloc(n + 64)) + 64; }
void operator delete[](void *p) noexcept { calls++; if (p) std::free(static_cast<char *>(p) - 64); }
void operator delete[](void *p, size_t) noexcept { calls++; if (p) std::free(static_cast<char *>(p) - 64); }
extern "C" int own(void)
{
    for (volatile int i = 0; i < 100; i = i + 1) delete[] new int[static_cast<size_t>(i) + 1];
    return calls;
}
C
cat >owner.cc <<'C'
#include <cstdio>
extern "C" int own(void);
int main() { delete new int; std::printf("%d\n", own()); }
C
if $cxx -shared -fPIC -O1 -o libown.so own.cc 2>err && $cxx -o owner owner.cc ./libown.so 2>err; then
    ./owner >plain
    must "$loadstone" record -q -f -o own.h5 -- ./owner >with
    must cmp plain with
fi
exit $failed
