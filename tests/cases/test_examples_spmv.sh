#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The sparse product is the same in both numberings, and reverse Cuthill-McKee brings the entries to the diagonal; files of the
# Matrix Market are read, or refused with file and line.
. "${top_srcdir:-.}/tests/cases/examples.inc"
says given.txt "$examples/spmv" 60 given 2
says rcm.txt "$examples/spmv" 60 rcm 2
says refined.txt "$examples/spmv" 60 refined 2
for order in given rcm refined; do
    must grep -q '^3600 rows, ' $order.txt
    holds "$(number $order.txt 'error of the sum') < 1e-12"
done
# rows and columns of Laplacian + 1 sum to 1: an independent weight is not needed for the plain sum, and the weighted one must agree
holds "$(number given.txt checksum) == $(number rcm.txt checksum)"
holds "$(number given.txt checksum) == $(number refined.txt checksum)"
# 60 x 60 points cannot be numbered with less than 60; twice that is good
holds "$(number given.txt bandwidth) > 3000"
holds "$(number rcm.txt bandwidth) >= 60 && $(number rcm.txt bandwidth) <= 130"

# two components, the second one reached last; x is 1, 1 + 1/16, ...: y = A x is known
cat >small.mtx <<'MTX'
%%MatrixMarket matrix coordinate real symmetric
% comment

5 5 6
1 1 2
5 1 -1
2 2 3
3 3 1
4 3 16
5 5 0.5
MTX
# y = (2 x0 - x4, 3 x1, x2 + 16 x3, 16 x2, -x0 + x4 / 2), weights 1 to 5
want=$(awk 'BEGIN { for (i = 0; i < 5; i++) x[i] = 1 + i / 16
    printf "%.9e", 2 * x[0] - x[4] + 2 * 3 * x[1] + 3 * (x[2] + 16 * x[3]) + 4 * 16 * x[2] + 5 * (x[4] / 2 - x[0]) }')
for order in given rcm; do
    says small.txt "$examples/spmv" small.mtx $order 1
    must grep -q '^5 rows, 8 entries, ' small.txt
    must grep -q "^checksum $want, " small.txt
done
printf '%%%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n' >pattern.mtx
says pattern.txt "$examples/spmv" pattern.mtx given 1
must grep -q '^2 rows, 2 entries, bandwidth 1' pattern.txt

refused() { # TEXT-OF-THE-FILE PLACE MESSAGE
    printf '%b' "$1" >bad.mtx
    expect 1 "bad.mtx:$2: $3" "$examples/spmv" bad.mtx
}
head='%%MatrixMarket matrix coordinate real general\n'
refused '' 0 'the file is empty'
refused 'no matrix\n' 1 'no line'
refused '%%MatrixMarket matrix array real general\n2 2\n' 1 'the format'
refused '%%MatrixMarket matrix coordinate complex general\n' 1 'the field'
refused '%%MatrixMarket matrix coordinate real hermitian\n' 1 'the symmetry'
refused "${head}2 3 1\n1 1 1\n" 2 'the matrix is not square'
refused "${head}9999999999 9999999999 1\n" 2 'the matrix is too large'
refused "${head}2 2 2\n1 1 1\n" 3 'the file ends too early'
refused "${head}2 2 1\n1 3 1\n" 3 'the entry is outside'
refused "${head}2 2 1\n1 1\n" 3 'an entry is'
expect 1 "No such file" "$examples/spmv" missing.mtx
expect 2 "usage:" "$examples/spmv" 100 other
expect 2 "usage:" "$examples/spmv" small.mtx refined
exit $failed
