#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The corner gather of the explosion, in an exact trace: the nodes according to the numbering of the mesh,
# through the connectivity.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_json
[ "$(uname -m)" = x86_64 ] || skip "the programs are traced on x86-64"
command -v qemu-x86_64 >/dev/null || skip "qemu-x86_64 (Debian's qemu-user) is missing"
[ -f "$top_builddir/.libs/libloadstone-tracer.so" ] || skip "the plugin of loadstone trace was not built"
OMP_NUM_THREADS=1
export OMP_NUM_THREADS
n=6
if ! "$loadstone" trace -q -o sedov.trace -- "$top_builddir/examples/sedov_separate" $n lattice 1 >out 2>err; then
    echo "FAIL: trace of the explosion:"
    cat err
    exit 1
fi
must "$loadstone" patterns --trivial --min-accesses $((n * n * n)) --top 1000000 --json -o sedov.patterns.json sedov.trace >sedov.json 2>err
must python3 -B "$top_srcdir/tests/cases/truth_sedov.py" $n sedov.patterns.json sedov.json
exit $failed
