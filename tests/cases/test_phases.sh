#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Phases by thread, memory by time, and files that the program asks for.
. "${top_srcdir:-.}/tests/cases/proc.inc"

recorded 0 grow --engine null -- "$victim" grow
holds 8 '^span grow process 0 '
holds 1 '^series resident_bytes process 0 points '
set -- $(sed -nE 's/^series resident_bytes process 0 points ([0-9]+) first ([0-9]+) last ([0-9]+) .*/\1 \2 \3/p' lines)
must test "$1" -ge 2 # the first and the last; how many between them is a matter of time
must test $(($3 - $2)) -ge $((7 * 16777216))
holds 1 '^series minor_faults process 0 points '
holds 1 '^series major_faults process 0 points '
expect 0 "next:" "$loadstone" report --processes grow.h5
must grep -qE ' 1[0-9][0-9] MiB  ' out

# the other languages: scopes of C++, calls of Fortran; requested files are made, but none without a recording
mkdir cxx
expect 0 "" sh -c "cd cxx && '$top_builddir/tests/smrtree/smrtree_cxx11'"
must test -z "$(ls cxx)"
(cd cxx && recorded 0 cxx --engine null -- "$top_builddir/tests/smrtree/smrtree_cxx11"; mv lines ..; exit $failed) || failed=1
name=cxx
holds 1 '^span solve process .* end [0-9]+$'
holds 1 '^span solve/smooth process .* end [0-9]+$'
for setting in executable=lulesh threshold=7 period=4000; do holds 1 "^event SETTING process [0-9]+ count 1 text $setting$"; done
must test "$(wc -l <cxx/samples.out)" = 1
if [ -x "$top_builddir/tests/smrtree/smrtree_fortran" ]; then
    mkdir fortran
    (cd fortran && recorded 0 fortran --engine null -- "$top_builddir/tests/smrtree/smrtree_fortran"; mv lines ..; exit $failed) || failed=1
    name=fortran
    holds 1 '^span solve/smooth process .* end [0-9]+$'
    must test "$(wc -l <fortran/fortran.csv)" = 1
fi

can_sample || { echo "not tested: samples in phases (the step engine does not work here)"; exit $failed; }
# shellcheck disable=SC2086
recorded 0 phases $sampled -- "$victim" phases
# the worker is in the phase of the main thread, and phases that it begins are inside that one
holds_some '^sample .* phase solve node'
holds_some '^sample .* phase solve/assemble node'
holds 0 '^sample .* phase assemble node'
holds 1 '^span solve/assemble/left open process 0 .* end [0-9]+$'
holds 1 '^event PHASE_UNMATCHED process 0 count 1 '
holds 1 '^event PHASE_LEFT_OPEN process 0 count 2 '
expect 0 "next:" "$loadstone" report --by phase phases.h5
must grep -qE '^solve ' out
must grep -qE '^.. assemble ' out
expect 0 "next:" "$loadstone" report --by phase,node --where phase=solve/assemble phases.h5
expect 0 "next:" "$loadstone" report --by slice --slices 4 phases.h5
must test "$(grep -cE '^[0-9.]+\.\.[0-9.]+ s ' out)" -le 4
must grep -qE '^[0-9.]+\.\.[0-9.]+ s ' out
expect 0 "next:" "$loadstone" report --by slice --slice-ms 100 phases.h5
must grep -qE '^[0-9]+\.[0-9]00\.\.[0-9]+\.[0-9]00 s ' out

# by the engine chosen for the machine: on a busy one a process that is single-stepped is preempted before it comes to
# the loads with latencies
mkdir where
(cd where && recorded 0 dump --overhead 50% --period 1ms -- "$victim" dump all.csv; mv lines ..; exit $failed) || failed=1
must test "$(wc -l <where/all.csv)" -gt 10
# the columns of MemAxes, which import reads
must "$loadstone" export -f memaxes -o all.memaxes.csv where/dump.h5
must test "$(head -n 1 where/all.csv)" = "$(head -n 1 all.memaxes.csv)"
expect 0 "" "$loadstone" import -o imported.h5 where/all.csv
name=dump
holds 1 '^event SETTING process 0 count 1 text threshold=0$'
exit $failed
