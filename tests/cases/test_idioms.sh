#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ways to allocate in C, C++, Fortran and Python: each site has the name that a person would give to it, whatever the optimisation.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
needs_python json
export PYTHONDONTWRITEBYTECODE=1
ls "$top_builddir"/runtime/core/.libs/*rt_unwind_x86_64_sigsafe.o >/dev/null 2>&1 || skip "there are no call paths here (needs x86-64 and glibc 2.35)"

# named SOURCE NAME COMMAND...: compare the names in a recording of the command
named() {
    source=$1 name=$2
    shift 2
    must "$loadstone" record -q -f -o "$name.h5" --engine null --overhead 100% -- "$@" >out 2>err </dev/null
    must "$loadstone" report --allocations --json "$name.h5" >"$name.json"
    must "$python" "$top_srcdir/tests/cases/idioms_check.py" "$top_srcdir/tests/cases/$source" "$name.json"
}
# idioms SOURCE COMPILER...: at several levels
idioms() {
    source=$1
    shift
    command -v "${1##* }" >/dev/null 2>&1 || { echo "SKIP $source: no $1"; return; }
    for level in -O0 -O1 -O2; do
        "$@" -g $level -o idioms "$top_srcdir/tests/cases/$source" 2>err || { echo "FAIL: $source: $(head -3 err)"; failed=1; return; }
        named "$source" idioms ./idioms
    done
}
idioms idioms.c ${CC:-cc} -std=gnu11 -w
idioms idioms.cc ${CXX:-c++} -std=gnu++17 -w
idioms idioms.f90 gfortran -w
# frames of Python are read in version 3.11
for interpreter in /usr/bin/python3.11 "$python"; do
    "$interpreter" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null && break
    interpreter=
done
[ -n "$interpreter" ] || { echo "SKIP idioms.py: no python3.11"; exit $failed; }
named idioms.py python "$interpreter" "$top_srcdir/tests/cases/idioms.py"
"$interpreter" -c 'import numpy' 2>/dev/null || { echo "SKIP idioms_numpy.py: no numpy"; exit $failed; }
PYTHONPATH=$top_srcdir/python named idioms_numpy.py numpy "$interpreter" "$top_srcdir/tests/cases/idioms_numpy.py"
must "$loadstone" export --force -f csv --table nodes -o nodes.csv numpy.h5 2>err
for label in pressure edge borders; do must grep -q "[,\"]$label[,\"]" nodes.csv; done
exit $failed
