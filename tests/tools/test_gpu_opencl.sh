#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Backend opencl: each kernel, type and kind of store gives the right result on PoCL, results name the device, and refusals their remedy.
. "${top_srcdir:-.}/tests/tools/check.sh"
. "$top_srcdir/tests/tools/gpu.inc"
needs_pocl
replay="$loadstone replay -b opencl --no-stream --quiet --max-runs 2 --warmups 1"

# run OPTION...: valid rows only
run() {
    if ! $replay --csv "$@" >out.csv 2>err || [ -s err ] || [ "$(grep -c ',yes,' out.csv)" -ne $(($(wc -l <out.csv) - 1)) ]; then
        echo "FAIL: $*"
        cat err out.csv
        failed=1
    fi
}

# 37 elements do not fill a group of 64 work items, 300 take several; rows end inside of a group. The driver compiles for some tenths
# of a second for each kernel and shape of its groups.
long=$(seq -s, 0 3 897)
for kernel in "gather -p 0,5,9,2,2" "gs -g 0,4,8 -u 7,1,2" "multigather -p 0,5,9,2 -g 3,1,2" \
    "multiscatter -p 0,5,9,2 -u 3,1,2" "gather -p $long" "scatter -p UNIFORM:37:2"; do
    run -k $kernel -l 1001 -w 3 --method scalar -z 64
done
run -k gather -p 0,5,9,2 -l 1000 -w 4 --index-bits 64 --element-bytes 4 --method scalar -z 32
run -k gather -p 0,5,9,2 -d -3 -l 1000 --method scalar -z 32
run -k scatter -p 0,5,9,2 -d 1,7,-2 -l 1000 --method scalar -z 32
run -k gs -g 0,1 -u 5,3 -x 2,4 -y -3 -l 777 --method scalar -z 32
for stores in exchange add; do
    run -k scatter -p 0,5,9,2 -d 1 -l 500 -w 2 --stores $stores --method scalar -z 32
done
run -k scatter -p 0,5,9,2 -d 1 -l 500 -w 2 --stores add --element-bytes 4 --shared-memory 1024 --method scalar -z 32
run -k gs -g 0,1 -u 5,3 -l 500 --atomic-writes --method scalar -z 32
printf '[{"kernel":"gather","pattern":[0,3],"count":500},{"kernel":"scatter","pattern":[0,3],"count":500}]' >mixed.json
run -f mixed.json --atomic-writes=add --method scalar -z 32

# operations without a dense buffer: the sum of all loads, stored rows, tags that updates set; the last with atomics
run -k gather -p 0,5,9,2,2 -l 1001 --operation reduce --method scalar -z 64
run -k multigather -p 0,5,9,2 -g 3,1,2 -d -3 -l 777 --operation reduce --element-bytes 4 --method scalar -z 32
run -k gather -p 0,5,9,2,2 -d 1,7 -l 1001 --operation chase
run -k multigather -p 0,5,9,2 -g 3,1,2 -d -3 -l 777 --operation chase --element-bytes 4 -t 1
run -k scatter -p 0,5,9,2 -d 1 -l 1001 --operation fill --method scalar -z 64
run -k multiscatter -p 0,5,9,2 -u 3,1,2 -l 501 --operation fill --stores exchange --method scalar -z 32
run -k scatter -p 0,5,9,2 -d 1 -l 1001 --operation update --method scalar -z 64
run -k scatter -p 0,5,9,2 -d 1 -l 1001 --operation update --stores exchange --method scalar -z 64
run -k multiscatter -p 0,5,9,2 -u 3,1,2 -d 1 -l 301 --operation update --stores exchange --element-bytes 4 --method scalar -z 32

# the fastest of several variants; its name and the device are results
must $replay -k gather -p UNIFORM:8:1:NR -l 4096 --json >out.json
grep -q '"backend": "opencl"' out.json && grep -q '"variant": "[0-9]* items x [148] x [124], [a-z]* [36][24]-bit\(, [0-9]*\( spread\)* rows\)*"' out.json &&
    grep -q '"topology": ".* compute units.*backend opencl, Portable Computing Language' out.json && grep -q '"valid": true' out.json ||
    { echo "FAIL: result"; cat out.json; failed=1; }
must $replay --format spatter -p UNIFORM:8:1 >out
grep -q '^Backend: OpenCL' out || { echo "FAIL: banner"; cat out; failed=1; }

# STREAM
must "$loadstone" stream -b opencl -k triad,gather-sum,scatter-copy,sg-scale,central-copy,hotspot-copy,stride-triad,chase -n 5000 -z 64 -m scalar -r 2 --format csv >out.csv 2>err
[ "$(grep -c ',opencl,' out.csv)" -eq 8 ] || { echo "FAIL: stream"; cat out.csv err; failed=1; }
must "$loadstone" stream -b opencl -k sg-triad -n 5000 -z 64 -m scalar -r 2 --type float --index-bits 32 >out 2>err
grep -q "Solution Validates" out || { echo "FAIL: floats"; cat out; failed=1; }

# devices by number and name
must $replay --device 0 -p 0,1 -z 32 --method scalar >out
must $replay --device PTHREAD -p 0,1 -z 32 --method scalar >out
# studies describe the device, and stay within its memory
must "$loadstone" study throughput -b opencl -n 600000 -r 2 --warmups 1 -m scalar --type float >out 2>err
grep -q "backend opencl" out && [ "$(grep -c '^gather \|^scatter ' out)" -ge 4 ] || { echo "FAIL: study"; cat out err; failed=1; }
expect 1 "no such device; there are 0 (" $replay --device abacus -p 0,1

# refusals
expect 1 "lower --count or --delta" $replay -p UNIFORM:8:1 -d 1000000000 -l 1000000
expect 1 "of device memory, but --memory allows 0.0 MiB" $replay -p UNIFORM:8:1 -l 1000 --memory 1000
expect 1 "takes groups of" $replay -p 0,1 -z 65536
expect 1 "a group has" $replay -p 0,1 -m 2000000000
expect 1 "has methods auto and scalar, not avx2" $replay -p 0,1 --method avx2
expect 1 "has stores regular, exchange and add" $replay -p 0,1 --stores nontemporal
expect 1 "no method has add stores for gather" $replay -p 0,1 --stores add
expect 1 "no method has add stores for scatter" $replay -k scatter -p 0,1 --operation fill --stores add
expect 1 "has no dense buffer for each thread" $replay -p 0,1 --dense-buffers
expect 1 "do not fit 32 bits" $replay -p 0,5000000000 --index-bits 32 -l 1 --memory 100
expect 1 "--together runs on threads" $replay -p 0,1 --together
OCL_ICD_VENDORS=$scratch/none
expect 1 "no driver is installed" $replay -p 0,1
must "$loadstone" replay --list >out
sed -n '/^  opencl /,/^  cuda /p' out | grep -q "not here: .*no driver" || { echo "FAIL: list"; cat out; failed=1; }
exit $failed
