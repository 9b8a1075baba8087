#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks of a job replay on devices: the ranks of a node share them out, rank 0 prints the sums, and a failure on one ends all.
. "${top_srcdir:-.}/tests/tools/check.sh"
. "$top_srcdir/tests/tools/gpu.inc"
. "$top_srcdir/tests/tools/ranks.inc"
here=$(launchers)
[ -n "$here" ] || skip "no launcher of MPI or OpenSHMEM with its module"
set -- $here
first=$1 backend=$(backend_of "$1")
[ -z "$backend" ] || skip "no launcher of MPI"
pattern="-p 0,1,2,3 -l 1001 -r 3 --warmups 1 --no-stream"

"$loadstone" replay --list >list
if sed -n '/^  opencl /,/^  cuda /p' list | grep -q 'Portable Computing Language'; then
    needs_pocl
    # shellcheck disable=SC2086
    job 0 "" "$first" 2 "$loadstone" replay -b opencl $pattern --strong-scaling --method scalar -z 64 --json
    if command -v jq >/dev/null; then
        must test "$(jq -c '.results[0] | [.backend, .bytes, .valid, .by_rank.count]' out)" = '["opencl",32032,true,2]'
        must test "$(jq -c '[.results[0].by_rank.rows[] | .bytes / 32] | [add, min, max]' out)" = "[1001,500,501]"
    fi
    job "not 0" "in one process" "$first" 2 "$loadstone" stream -b opencl -n 3000 -r 2
else
    echo "not tested: ranks with OpenCL (no device of PoCL)"
fi

library libcuda.so.1 fake_cuda
"$loadstone" replay --list >list
if grep -q "built without clang" list; then
    echo "not tested: ranks with CUDA (built without clang)"
    exit $failed
fi
export FAKE_CUDA_DEVICES=2 FAKE_CUDA_LOG=$scratch/log
# shellcheck disable=SC2086
job 0 "" "$first" 3 "$loadstone" replay -b cuda $pattern --method scalar --json
must test "$(grep device log | sort | uniq -c | tr -s ' ' | tr '\n' ',')" = " 2 device 0, 1 device 1,"
rm log
# shellcheck disable=SC2086
job 0 "" "$first" 2 "$loadstone" replay -b cuda --device 1 $pattern --method scalar --json
must test "$(grep device log | sort | uniq -c | tr -s ' ' | tr '\n' ',')" = " 2 device 1,"
# shellcheck disable=SC2086
FAKE_CUDA=lost job "not 0" "CUDA_ERROR_LAUNCH_FAILED" "$first" 2 "$loadstone" replay -b cuda $pattern --method scalar
# shellcheck disable=SC2086
FAKE_CUDA=wrong job "not 0" "results are wrong" "$first" 2 "$loadstone" replay -b cuda -k scatter $pattern --method scalar
exit $failed
