#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Backend cuda on a made-up libcuda: kernels are launched with parameters that give the right result, and errors of the driver are named.
. "${top_srcdir:-.}/tests/tools/check.sh"
. "$top_srcdir/tests/tools/gpu.inc"
replay="$loadstone replay -b cuda --no-stream --quiet --max-runs 2 --warmups 1 --device-timeout 2s"
if ! ldconfig -p 2>/dev/null | grep -q libcuda.so.1; then
    expect 1 "libcuda.so.1" $replay -p 0,1
    grep -q "comes with NVIDIA's driver\|built without clang" err || { echo "FAIL: remedy"; cat err; failed=1; }
fi
library libcuda.so.1 fake_cuda
"$loadstone" replay --list | sed -n '/^  cuda /,$p' >out
grep -q "built without clang" out && skip "built without clang, which compiles the kernels to PTX"
grep -q "device 0: Made-up 100 (CUDA 12.4, compute capability 7.0)" out || { echo "FAIL: list"; cat out; failed=1; }
export FAKE_CUDA_LOG=$scratch/log

# run OPTION...: valid rows only
run() {
    if ! $replay --csv "$@" >out.csv 2>err || [ -s err ] || [ "$(grep -c ',yes,' out.csv)" -ne $(($(wc -l <out.csv) - 1)) ]; then
        echo "FAIL: $*"
        cat err out.csv
        failed=1
    fi
}
for kernel in "gather -p 0,5,9,2,2" "scatter -p 0,5,9,2,2" "gs -g 0,4,8 -u 7,1,2" "multigather -p 0,5,9,2 -g 3,1,2" \
    "multiscatter -p 0,5,9,2 -u 3,1,2" "gather -p UNIFORM:300:2" "scatter -p 0,1,2 -d 1,7,-2"; do
    for width in "--element-bytes 8" "--element-bytes 4 --index-bits 64"; do
        run -k $kernel $width -l 501 -w 3
    done
done
run -k scatter -p 0,5 --stores add -d 1 -l 100
run -k multiscatter -p 0,5 -u 1,0 --stores exchange -l 100
for operation in "gather -p 0,5,9,2 --operation chase" "multigather -p 0,5,9,2 -g 3,1,2 --operation chase" "gather -p 0,5,9,2 --operation reduce" "multigather -p 0,5,9,2 -g 3,1,2 --operation reduce" \
    "scatter -p 0,5 -d 1 --operation fill --stores exchange" "multiscatter -p 0,5 -u 1,0 --operation update" \
    "scatter -p 0,5 -d 1 --operation update --stores exchange"; do
    run -k $operation -l 501
    run -k $operation -l 501 --element-bytes 4 --index-bits 64
done
grep -q "^gather_reduce_global_w4_v1_regular groups" log || { echo "FAIL: reductions have no variants"; failed=1; }
# all variants of the matrix were tried, and only those
for name in gather_local_w1_v1_regular scatter_global_w4_v1_add multiscatter_local_w1_v1_exchange gs_local_w1_v1_regular; do
    grep -q "^$name groups" log || { echo "FAIL: $name was not tried"; failed=1; }
done
grep -q '_w8_\|_v2_\|_constant_' log && { echo "FAIL: a variant that PTX does not have"; failed=1; }

# groups: rows of 8 elements, 64 work items, so 8 rows each; and the requested local memory
rm log
run -k gather -p UNIFORM:8:1 -l 100 -z 64 --shared-memory 512 --method scalar
grep -q '^gather_global_w1_v1_regular groups 13 items 8x8 shared 512$' log || { echo "FAIL: groups"; cat log; failed=1; }
# many elements: each third one is checked, which a gather collects
rm log
run -k scatter -p UNIFORM:8:1 -l 1100000 -z 64 --method scalar --index-bits 32
run -k gather -p 0,5,3,1,2,4,6,9 -l 1100000 -w 1100000 -z 64 --method scalar --index-bits 32
grep -q '^gather_global_w1_v1_regular groups [0-9]* items 1x64 ' log || { echo "FAIL: no gather of checked elements"; sort log | uniq -c; failed=1; }
# long rows: two columns of 150
rm log
run -k gather -p UNIFORM:300:1 -l 10 -z 256 --method scalar
grep -q '^gather_global_w1_v1_regular groups 20 items 150x1 shared 0$' log || { echo "FAIL: columns"; cat log; failed=1; }

must "$loadstone" stream -b cuda -k sequential,gather,scatter,sg,central,hotspot,stride,chase -n 3000 -r 2 --format csv >out.csv 2>err
[ "$(grep -c ',cuda,' out.csv)" -eq 29 ] || { echo "FAIL: stream"; cat out.csv err; failed=1; }
must "$loadstone" stream -b cuda -k triad -n 3000 -r 2 --type float --index-bits 32 >out 2>err

# with DEFECT STATUS TEXT COMMAND...
with() {
    export FAKE_CUDA=$1
    shift
    expect "$@"
}
with none 1 "cuInit reports" $replay -p 0,1
with old 1 "compute capability 6.0 is needed" $replay -p 0,1
with jit 1 "does not compile the kernels; is it too old?" $replay -p 0,1
with memory 1 "cuMemAlloc reports CUDA_ERROR_OUT_OF_MEMORY (2, out of memory): lower --count" $replay -p 0,1
with stuck 1 "has not ended a kernel after 2.0 s" $replay -p 0,1
with lost 1 "reports CUDA_ERROR_LAUNCH_FAILED (719" $replay -p 0,1
with slow 1 "ended the kernel because it ran too long" $replay -p 0,1
with wrong 1 "results are wrong" $replay -k scatter -p 0,1
with wrong 1 "results are wrong" $replay -k scatter -p UNIFORM:8:1 -l 1100000 --method scalar -z 64 --index-bits 32
with wrong 1 "results are wrong" $replay -k gather -p 0,1 --operation reduce
with wrong 1 "did not come back" "$loadstone" stream -b cuda -k chase -n 3000 -r 2
with wrong 1 "results are wrong" $replay -k scatter -p 0,1 --operation update
with wrong 1 "results are wrong" $replay -k scatter -p 0,1 --operation fill
export FAKE_CUDA_BYTES=4096
with "" 1 "of device memory, but the device has 0.0 MiB: lower --count" $replay -p 0,1 -l 1000
exit $failed
