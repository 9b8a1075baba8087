#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# All matrix products have the sum that follows from A and B: the sum over k of (column k of A) times (row k
# of B).
. "${top_srcdir:-.}/tests/cases/examples.inc"
for n in 1 64 131; do
    want=$(awk -v n=$n 'BEGIN {
        for (k = 0; k < n; k++) { a[k] = b[k] = 0 }
        for (i = 0; i < n; i++) for (k = 0; k < n; k++) { a[k] += (i * n + k) % 7; b[i] += (i * n + k) % 5 }
        for (k = 0; k < n; k++) sum += a[k] * b[k]
        printf "%.0f", sum }')
    for method in naive blocked transposed naive_cxx blocked_cxx; do
        says out.txt "$examples/matmul_$method" $n 2
        must grep -q "^N = $n, sum of C = $want\$" out.txt
    done
done
for bad in 0 x 12x 99999999999999999999; do
    expect 2 "usage:" "$examples/matmul_naive" $bad
done
# the program's own map of costs: nothing without a recording, and the right shape
says out.txt "$examples/matmul_naive_cxx" 5 1 costs.txt
must test "$(sort -u costs.txt)" = "0 0 0 0 0"
must test "$(wc -l <costs.txt)" = 5
exit $failed
