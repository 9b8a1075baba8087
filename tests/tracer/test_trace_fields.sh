#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Recordings have the same shares of fields as a trace of the program, which has every access.
. "${top_srcdir:-.}/tests/tracer/trace.inc"
needs_python h5py
can_sample || skip "the step engine does not work here"
cxx=${CXX:-c++}
command -v "${cxx##* }" >/dev/null 2>&1 || skip "no C++ compiler"
$cxx -g -O1 -o layout "$top_srcdir/tests/cases/layout_victim.cc" 2>err || skip "$(head -1 err)"
mkdir traces
for function in run_array_of_structs run_linked_list run_vector run_union run_map run_unordered_map run_voted; do
    must "$loadstone" trace -q -f -o t.trace --function $function -- ./layout 0.001 >out 2>err </dev/null
    "$trace_lines" t.trace >"traces/$function" || { echo "FAIL: $function: the trace cannot be read"; failed=1; }
done
# compare ENGINE: 0 where the shares agree, 3 where too few samples were taken
compare() {
    for seconds in 1 4 16; do # a machine that is busy samples little
        must "$loadstone" record -q -f -o run.h5 --engine "$1" --alloc-min 16 --overhead 40% --seed 1 -- ./layout $seconds >out 2>err </dev/null
        "$python" "$top_srcdir/tests/tracer/fields_check.py" run.h5 traces >said 2>&1
        status=$?
        [ $status -eq 3 ] || break
    done
    sed "s/^/$1: /" said
    return $status
}
decided=0
for engine in step translate; do
    compare $engine
    case $? in
    0) decided=1 ;;
    3) ;;
    *) failed=1 decided=1 ;;
    esac
done
[ $decided -eq 1 ] || skip "too few samples on this machine"
exit $failed
