#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Devices that lack a feature, fail or hang: each is reported with a remedy, and no command waits for ever.
. "${top_srcdir:-.}/tests/tools/check.sh"
. "$top_srcdir/tests/tools/gpu.inc"
library libOpenCL.so.1 fake_opencl
replay="$loadstone replay -b opencl --no-stream --quiet --method scalar -z 64 --device-timeout 200ms"
stream="$loadstone stream -b opencl -n 1000"

# with DEFECT STATUS TEXT COMMAND...
with() {
    export FAKE_OPENCL=$1
    shift
    expect "$@"
}
with empty 1 "finds no device here" $replay -p 0,1
with plain 1 "has no atomics of 64 bits for exchange stores: take --element-bytes 4" $replay -k scatter -p 0,1 --stores exchange
with plain 1 "has no arithmetic on doubles (fp64): take --type float" $stream
with small 1 "takes arrays of 1.0 MiB at most: lower --count" $replay -p 0,1 -l 1000000
with memory 1 "clCreateBuffer reports error -4: out of device memory" $replay -p 0,1
with build 1 "does not compile the kernels (error -11): line 1: no such word" $replay -p 0,1
with stuck 1 "has not ended a kernel after 0.2 s" $replay -p 0,1
with lost 1 "a kernel reports error -5: out of resources" $replay -p 0,1
with idle 1 "1 of 1 results are wrong" $replay -p 0,1
with idle 1 "WRONG RESULT" $replay -k scatter -p 0,1
# the same copies are correct on a device without defect
with plain 1 "results are wrong" $replay -p 0,1
with plain 1 "study threads varies the threads" "$loadstone" study threads -b opencl
exit $failed
