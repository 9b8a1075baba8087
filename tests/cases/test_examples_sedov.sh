#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The explosion is right: energy is conserved to rounding, octant images agree, the shock is where the similarity solution has it
# and comes nearer to it on a finer mesh, whatever the program, the numbering and the number of threads.
. "${top_srcdir:-.}/tests/cases/examples.inc"

sound() { # FILE
    holds "$(number "$1" 'relative change of the sum') < 1e-11"
    holds "$(number "$1" asymmetry) < 1e-9"
    must grep -q 'to time 0.500000$' "$1"
}
# away FILE: distance of the shock from the solution
away() {
    awk -v at="$(number "$1" 'shock  *at')" -v want="$(number "$1" solution)" 'BEGIN { d = at - want; print d < 0 ? -d : d }'
}
checksum() {
    number "$1" checksum
}

OMP_NUM_THREADS=1
export OMP_NUM_THREADS
says coarse.txt "$examples/sedov_fused" 8
sound coarse.txt
says separate.txt "$examples/sedov_separate" 12
sound separate.txt
# radius 0.7579 = (t^2)^(1/5) at t = 0.5, from the formula itself and not from the program
must grep -q "similarity solution $(awk 'BEGIN { printf "%.4f", 0.5 ^ 0.4 }')," separate.txt
holds "$(away separate.txt) < 0.5 * $(number separate.txt 'size of an element')"
holds "$(away separate.txt) < 0.8 * $(away coarse.txt)"
# the gas keeps some three quarters of the energy as heat (gamma 1.4: 0.78)
holds "$(number separate.txt kinetic) > 0.2 * 0.851072 / 8 && $(number separate.txt kinetic) < 0.3 * 0.851072 / 8"

says few.txt "$examples/sedov_separate" 8 mixed
for order in lattice random curve; do
    says other.txt "$examples/sedov_separate" 8 $order
    sound other.txt
    must grep -q "order $order:" other.txt
    holds "$(checksum other.txt) / $(checksum few.txt) - 1 < 1e-11 && 1 - $(checksum other.txt) / $(checksum few.txt) < 1e-11"
done
says other.txt "$examples/sedov_fused" 8 mixed
sound other.txt
holds "$(checksum other.txt) / $(checksum few.txt) - 1 < 1e-11 && 1 - $(checksum other.txt) / $(checksum few.txt) < 1e-11"

# threads share the loops, not the sums: the same digits
for program in separate fused; do
    says one.txt "$examples/sedov_$program" 8 mixed 60
    for threads in 2 3; do
        OMP_NUM_THREADS=$threads
        says more.txt "$examples/sedov_$program" 8 mixed 60
        must test "$(checksum one.txt)" = "$(checksum more.txt)"
    done
    OMP_NUM_THREADS=1
done
expect 2 "usage:" "$examples/sedov_fused" 8 sorted
expect 2 "usage:" "$examples/sedov_fused" 3
exit $failed
