#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Patterns of an exact trace equal those that are worked out from the algorithm, access by access.
. "${top_srcdir:-.}/tests/tools/check.sh"
[ "$(uname -m)" = x86_64 ] || skip "the programs are traced on x86-64"
command -v qemu-x86_64 >/dev/null || skip "qemu-x86_64 (Debian's qemu-user) is missing"
[ -f "$top_builddir/.libs/libloadstone-tracer.so" ] || skip "the plugin of loadstone trace was not built"
for program in spmv hash stencil matmul list histogram fields shuffle; do
    if ! "$loadstone" trace -q --phase loop -o $program.trace -- "$top_builddir/tests/cases/truth_programs" $program >out 2>err; then
        echo "FAIL: trace of $program:"
        cat err
        failed=1
        continue
    fi
    must "$loadstone" patterns --trivial --min-accesses 1 --top 1000000 --json -o $program.patterns.json $program.trace >$program.json 2>err
    must python3 -B "$top_srcdir/tests/cases/truth_check.py" $program $program.patterns.json $program.json
done
exit $failed
