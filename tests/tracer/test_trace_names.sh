#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Allocations have the same names in a trace, which knows all blocks, as in a profile, which knows the large ones: also several of one line.
. "${top_srcdir:-.}/tests/tracer/trace.inc"
traced 0 -- "$victim" sites
counts 10 '.* store 1 both #1 [0-9]+'
counts 11 '.* store 1 both #2 [0-9]+'
counts 12 '.* store 1 mixed \(small\) [0-9]+'
counts 13 '.* store 1 mixed [0-9]+'
for i in 1 2 3; do
    counts $((13 + i)) ".* store 1 inlined #$i [0-9]+"
done
# the profile has no other names for the blocks that it knows: all large ones, and each small one with the chance that it is sampled
must "$loadstone" record -q -f --engine null -o run.h5 -- "$victim" sites
must "$loadstone" report --allocations --json run.h5 >sites.json 2>err
sed -n 's/.*"site": "\(.*\)",/\1/p' sites.json | grep -E '^(both|mixed|inlined)' | grep -vxF 'mixed (small)' | sort >of_profile
sed -n 's/.* store 1 \(.*\) [0-9]*$/\1/p' all | grep -E '^(both|mixed|inlined)' | grep -vxF 'mixed (small)' | sort -u >of_trace
[ "$(wc -l <of_profile)" -eq 6 ] || { echo "FAIL: the profile has other sites:"; cat of_profile; failed=1; }
diff of_profile of_trace || { echo "FAIL: names in the profile (<) and in the trace (>)"; failed=1; }
exit $failed
