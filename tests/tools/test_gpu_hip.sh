#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Backend hip on a made-up ROCm: clang compiles the kernels as HIP and for this processor, which runs them; errors are named.
. "${top_srcdir:-.}/tests/tools/check.sh"
. "$top_srcdir/tests/tools/gpu.inc"
replay="$loadstone replay -b hip --no-stream --quiet --max-runs 2 --warmups 1 --device-timeout 2s"
if ! ldconfig -p 2>/dev/null | grep -q libamdhip64.so; then
    expect 1 "libamdhip64.so" $replay -p 0,1
    grep -q "comes with AMD's ROCm" err || { echo "FAIL: remedy"; cat err; failed=1; }
fi
for clang in clang-14 clang clang-15 clang-16; do command -v $clang >/dev/null 2>&1 && break; done
echo '__attribute__((global)) void f() {}' >try.hip
"$clang" -x hip --cuda-device-only -nogpuinc -nogpulib --offload-arch=gfx90a -S -o try.s try.hip 2>/dev/null || skip "no clang that compiles HIP"
mkdir kernels
export FAKE_HIP_CLANG=$clang FAKE_HIP_DIR=$scratch/kernels FAKE_CUDA_LOG=$scratch/log
library libamdhip64.so fake_hip
library libhiprtc.so fake_hip
"$loadstone" replay --list | sed -n '/^  hip /,$p' >out
grep -q "device 0: Made-up MI (HIP 6.3)" out || { echo "FAIL: list"; cat out; failed=1; }

# run OPTION...: valid rows only
run() {
    if ! $replay --csv "$@" >out.csv 2>err || [ -s err ] || [ "$(grep -c ',yes,' out.csv)" -ne $(($(wc -l <out.csv) - 1)) ]; then
        echo "FAIL: $*"
        cat err out.csv
        failed=1
    fi
}
run -k gather -p 0,5,9,2 -l 501 -w 3
run -k gs -g 0,4,8 -u 7,1,2 --element-bytes 4 --index-bits 64 -l 501 --method scalar
run -k multiscatter -p 0,5,9,2 -u 3,1,2 -l 501 --method scalar
run -k scatter -p 0,5 --stores add -d 1 -l 100 --method scalar
run -k scatter -p 0,5 --stores add -d 1 -l 100 --element-bytes 4 --method scalar
run -k multigather -p 0,5,9,2 -g 3,1,2 --operation reduce -l 501 --method scalar
run -k gather -p 0,5,9,2 --operation chase -l 501
grep -q "^gather_chase_global_w1_v1_regular groups 4 items 1x1" log || { echo "FAIL: chains are not spread"; failed=1; }
run -k multigather -p 0,5,9,2 -g 3,1,2 --operation chase -l 501 -t 1 --method scalar --element-bytes 4
run -k scatter -p 0,5 -d 1 --operation update --stores exchange -l 501 --method scalar
run -k scatter -p 0,5 -d 1 --operation fill --stores exchange --element-bytes 4 -l 501 --method scalar
# variants with local memory and with vectors were tried, no larger ones and none with constant memory
for name in gather_local_w1_v1_regular gather_global_w1_v2_regular; do
    grep -q "^$name groups" log || { echo "FAIL: $name was not tried"; sort log | uniq -c; failed=1; }
done
grep -q '_v8_\|_constant_' log && { echo "FAIL: a variant that HIP does not have"; failed=1; }
# gathers without stores that a later row overwrites: an item for each row, and few items with many rows
FAKE_HIP_FAST=many run -k gather -p 0,5,9,2,4 -l 501 -d 3 -z 64 --index-bits 32
grep -q ', [1248] rows' out.csv || { echo "FAIL: many items"; cat out.csv; failed=1; }
FAKE_HIP_FAST=few run -k multigather -p 0,5,9,2,4 -g 3,1,2 -l 503 -w 3 -d -2 -z 64 --index-bits 32 --element-bytes 4
grep -q ', [0-9]* spread rows' out.csv || { echo "FAIL: few items"; cat out.csv; failed=1; }
unset FAKE_HIP_FAST
rm log
run -k gather -p UNIFORM:8:1 -l 100 -z 64 --shared-memory 512 --method scalar
grep -q '^gather_global_w1_v1_regular groups 13 items 8x8 shared 512$' log || { echo "FAIL: groups"; cat log; failed=1; }
must "$loadstone" stream -b hip -k gather,chase -n 3000 -r 2 --format csv >out.csv 2>err
[ "$(grep -c ',hip,' out.csv)" -eq 5 ] || { echo "FAIL: stream"; cat out.csv err; failed=1; }

# with DEFECT STATUS TEXT COMMAND...
with() {
    export FAKE_CUDA=$1
    shift
    expect "$@"
}
with none 1 "hipInit reports" $replay -p 0,1
with jit 1 "does not compile kernel fill_global_w4_v1_regular (error 6): kn_gpu.cl:1: made up" $replay -p 0,1
with memory 1 "hipMalloc reports hipErrorOutOfMemory (2, out of memory): lower --count" $replay -p 0,1
with stuck 1 "has not ended a kernel after 2.0 s" $replay -p 0,1 --method scalar
with lost 1 "reports hipErrorLaunchFailure (719" $replay -p 0,1 --method scalar
with wrong 1 "results are wrong" $replay -k scatter -p 0,1 --method scalar
exit $failed
