#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ways to allocate in C, C++ and Fortran: each site has the name that a person would give to it, whatever the optimisation.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
needs_python json
ls "$top_builddir"/runtime/core/.libs/*rt_unwind_x86_64_sigsafe.o >/dev/null 2>&1 || skip "there are no call paths here (needs x86-64 and glibc 2.35)"

# idioms SOURCE COMPILER...: at several levels
idioms() {
    source=$1
    shift
    command -v "${1##* }" >/dev/null 2>&1 || { echo "SKIP $source: no $1"; return; }
    for level in -O0 -O1 -O2; do
        "$@" -g $level -o idioms "$top_srcdir/tests/cases/$source" 2>err || { echo "FAIL: $source: $(head -3 err)"; failed=1; return; }
        must "$loadstone" record -q -f -o idioms.h5 --engine null -- ./idioms >out 2>err </dev/null
        must "$loadstone" report --allocations --json idioms.h5 >idioms.json
        must "$python" "$top_srcdir/tests/cases/idioms_check.py" "$top_srcdir/tests/cases/$source" idioms.json
    done
}
idioms idioms.c ${CC:-cc} -std=gnu11 -w
idioms idioms.cc ${CXX:-c++} -std=gnu++17 -w
idioms idioms.f90 gfortran -w
exit $failed
