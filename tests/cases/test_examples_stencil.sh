#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The stencil's sine wave decays as in the exact solution of its difference equation, the same to the last
# digit in both orders of the cells, also where tiles do not divide the box.
. "${top_srcdir:-.}/tests/cases/examples.inc"
for box in "1 1 1" "37 29 23" "300 40 5"; do
    for order in naive tiled; do
        # shellcheck disable=SC2086
        says $order.txt "$examples/stencil_$order" $box 30
        holds "$(number $order.txt 'largest error') < 1e-12"
        # shellcheck disable=SC2086
        set -- $box
        must grep -q "^$1 x $2 x $3, 30 steps: sum " $order.txt
    done
    must test "$(head -n 1 naive.txt)" = "$(head -n 1 tiled.txt)"
done
expect 2 "usage:" "$examples/stencil_tiled" 10 0
exit $failed
