#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Patterns of sampled bursts are close to the ones of an exact trace: the data, the class, a distance of at most 0.1, and, of two
# loops, the shares of the accesses.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_json
needs_runtime
needs_step
[ "$(uname -m)" = x86_64 ] || skip "the programs are traced on x86-64"
command -v qemu-x86_64 >/dev/null || skip "qemu-x86_64 (Debian's qemu-user) is missing"
[ -f "$top_builddir/.libs/libloadstone-tracer.so" ] || skip "the plugin of loadstone trace was not built"
programs=$top_builddir/tests/cases/truth_programs
for program in spmv hash stencil matmul list histogram fields shuffle uneven; do
    must "$loadstone" trace -q --phase loop -o $program.trace -- "$programs" $program >out 2>err
    must "$loadstone" patterns --trivial --no-join --json $program.trace >exact.json 2>err
    # the passes of the stencil over its planes take longer than the window of 64 accesses
    accesses=64
    [ $program = stencil ] && accesses=128
    repeats=4000
    while :; do
        if ! "$loadstone" record -q --force --overhead 20% --accesses $accesses -o $program.h5 -- "$programs" $program 0 $repeats >out 2>err; then
            echo "FAIL: record of $program:"
            cat err
            failed=1
            break
        fi
        "$loadstone" patterns --trivial --json $program.h5 >sampled.json 2>err || echo '{"patterns": []}' >sampled.json
        "$loadstone" patterns diff --trivial --json $program.trace $program.h5 >diff.json 2>err || echo '{"rows": []}' >diff.json
        # a machine that is busy samples little: try longer before it counts
        last=0
        [ $repeats -ge 1000000 ] && last=1
        python3 -B "$top_srcdir/tests/cases/truth_near.py" $program exact.json sampled.json diff.json $last
        got=$?
        [ $got -eq 0 ] && break
        [ $last -eq 1 ] && { failed=1; break; }
        repeats=$((repeats * 4))
    done
    # only rows that are longer than the bursts are reported
    must "$loadstone" patterns --trivial $program.h5 >table 2>err
    ! grep '^rows: ' table || { echo "FAIL: rows of $program"; failed=1; }
done
# rows of the stencil are longer than bursts of 64 accesses; on a busy machine there are few samples
for repeats in 100000 400000 1600000; do
    must "$loadstone" record -q --force --overhead 20% -o stencil.h5 -- "$programs" stencil 0 $repeats >out 2>err
    must "$loadstone" patterns --trivial stencil.h5 >table 2>err
    grep -q '^rows: bursts end inside a row of a loop nest in [0-9]* of these patterns' table && break
done
must grep -q 'record with --accesses 256' table
exit $failed
