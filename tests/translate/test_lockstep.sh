#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Translated bursts against single steps: 10^6 instructions, with LS_LONG=1 10^8. A third of them with blocks of one, two or three
# instructions, so that bursts end after every instruction, and with code mapped twice. Once without the instructions that some
# kernels and virtual machines hide, and once with all code as if it was generated.
. "$top_srcdir/tests/needs.inc"
needs_step
run=${top_builddir:-.}/tests/translate/lockstep
n=1000000
[ -n "$LS_LONG" ] && n=100000000
"$run" --instructions $((n * 4 / 9)) || exit
for most in 1 2 3; do
    "$run" --instructions $((n / 9)) --seed $((most + 1)) --most $most --twice || exit
done
"$run" --instructions $((n / 9)) --seed 5 --without fsgsbase,rdtscp,bmi2 || exit
"$run" --instructions $((n / 9)) --seed 6 --generated
