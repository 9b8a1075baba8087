#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# loadstone traffic: expected and counted bytes of kernels, and the traffic of the data of a trace.
. "${top_srcdir:-.}/tests/tools/check.sh"

# The model is exact, so its figures are the same everywhere.
must "$loadstone" traffic gemm s1cf-1 -n 60,132,316 --cache 32K/8,512K/16 >table
golden traffic-table.txt table
must "$loadstone" traffic s2cf -n 60 --stores bypass --format csv >bypass.csv
must grep -q '^s2cf,60,cached,432000,432000,4320..,432000,4320..$' bypass.csv
must "$loadstone" traffic gemv -n 512 --format json >one.json
if command -v jq >/dev/null; then
    must test "$(jq -r '[.points[0].arrays[].name] | join(" ")' one.json)" = "A x y"
    must test "$(jq -r '.points[0] | .read_bytes == ([.arrays[].read_bytes] | add)' one.json)" = true
    must test "$(jq -r '.points[0].arrays[0].read_bytes' one.json)" = 2097152
fi
expect 0 "C[i][j] += A[i][k] * B[k][j]" "$loadstone" traffic --list

# a trace: both arrays are read once; one of them is used by one element in a line, and written to
if [ "$(uname -m)" = x86_64 ] && command -v qemu-x86_64 >/dev/null && [ -f "$top_builddir/.libs/libloadstone-tracer.so" ]; then
    must "$loadstone" trace -q --phase loop -o t.trace -- "$top_builddir/tests/cases/truth_programs" stencil >out 2>err
    must "$loadstone" traffic trace t.trace --cache 32K/8,512K/16 --format csv >trace.csv
    must grep -q '^in,' trace.csv
    must grep -q '^out,' trace.csv
    expect 0 "% lines" "$loadstone" traffic trace t.trace
fi

expect 2 "there is no kernel 'dgemm'" "$loadstone" traffic dgemm
expect 2 "'12x' is no size" "$loadstone" traffic gemm -n 12x
expect 2 "is no cache: write SIZE/WAYS" "$loadstone" traffic gemm -n 12 --cache 32K
expect 2 "no multiple of 3 ways" "$loadstone" traffic gemm -n 12 --cache 32K/3
expect 2 "is no grid of ranks" "$loadstone" traffic s1cf --grid 2
expect 2 "cannot be shared by a grid of 2 x 4 ranks" "$loadstone" traffic s1cf -n 6
expect 2 "give the trace" "$loadstone" traffic trace
expect 3 "nowhere.trace" "$loadstone" traffic trace nowhere.trace
exit $failed
