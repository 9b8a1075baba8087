#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Memory of GPUs and copies are recorded with their call sites: on a made-up library of CUDA and HIP, and on PoCL.
. "${top_srcdir:-.}/tests/cases/proc.inc"
victim=$top_builddir/tests/cases/devices_victim
library=$top_builddir/tests/cases/.libs/libfake_devices.so
[ -e "$library" ] || skip "the made-up library of a GPU was not built as a shared library"
can_unwind=$(ls "$top_builddir"/runtime/core/.libs/*rt_unwind_x86_64_sigsafe.o 2>/dev/null)
[ "$can_unwind" ] || skip "there are no call paths here (needs x86-64 and glibc 2.35)"

over_budget=
# devices NAME COMMAND...: the same output as without recording; blocks and copies are in the file lines
devices() {
    name=$1
    shift
    "$@" >plain
    must "$loadstone" record -q --force -o "$name.h5" --engine null $over_budget -- "$@" >out 2>err </dev/null
    must cmp plain out
    "$python" "$top_srcdir/tests/cases/devices_lines.py" "$name.h5" >lines || { echo "FAIL: $name.h5 cannot be read"; failed=1; }
}
mib=$((1 << 20))

devices cuda "$victim" cuda
holds 1 "^block 'input' CUDA device bytes $mib dead in $((3 * mib)) out $mib parent 'device memory'\$"
holds 1 "^block 'output' CUDA device bytes $mib dead in $((3 * mib / 2)) out $((mib / 2)) "
holds 1 "^block 'image' CUDA device bytes 65536 alive in 64000 out 0 "
holds 1 "^block 'pinned' CUDA host bytes $((mib / 2)) dead in 0 out $((mib / 2)) " # the outer call of two
holds 4 "^block "                                                                # none of the call that failed
holds 1 "^copy 'to device' CUDA waits calls 3 bytes $((3 * mib)) 'host' -> 'input' cuda devices_victim.c:"
holds 1 "^copy 'on device' CUDA queued calls 1 bytes $mib 'input' -> 'output' cuda "
holds 1 "^copy 'to device' CUDA waits calls 1 bytes 64000 'host' -> 'image' cuda "
holds 1 "^copy 'from device' CUDA waits calls 1 bytes $((mib / 2)) 'output' -> 'host' cuda " # its kind is "default"
holds 1 "^copy 'to device' CUDA waits calls 1 bytes $((mib / 2)) 'pinned' -> 'output' cuda "
holds 1 "^copy 'wait' CUDA waits calls 1 bytes 0 'host' -> 'host' cuda "
holds 6 "^copy "
holds 0 "disordered"

expect 0 '' "$loadstone" report --devices cuda.h5
grep -qE '^ +1\.00 MiB +1 +1\.00 MiB .* 3\.00 MiB +1\.00 MiB  device +CUDA +input$' out || { echo "FAIL: no input in:"; cat out; failed=1; }
grep -qE '^ +3\.00 MiB +3 .* to device +host -> input  cuda  devices_victim.c:[0-9]+$' out || { echo "FAIL: no copy in:"; cat out; failed=1; }
grep -qE '^ +1\.00 MiB +1 .* - +on device +q input -> output ' out || { echo "FAIL: a rate of a queued copy in:"; cat out; failed=1; }
grep -q '^At most 2.06 MiB of device' out || { echo "FAIL: most in:"; cat out; failed=1; }
expect 0 '"direction": "to device"' "$loadstone" report --devices --json cuda.h5
expect 0 'of its memory at once, 3.56 MiB copied to it and 512 KiB back' "$loadstone" report cuda.h5
expect 0 '(device memory)' "$loadstone" report --allocations cuda.h5

# a trace of warps in the same memory has the names of the blocks
"$python" - cuda.h5 <<'T' || failed=1
import struct, sys
import h5py
run = h5py.File(sys.argv[1])
base = {str(run["nodes/label"].asstr()[n]): int(b) for n, b in zip(run["device_blocks/node"][:], run["device_blocks/base"][:])}
record = lambda ip, addrs: struct.pack("<Q10iQ32Q", 1, 0, 0, 0, 0, 0, 0, 1, 0, 4, 0, ip, *addrs)
records = [record(0x10, [base["input"] + 4 * i for i in range(32)]), record(0x20, [base["image"] + 256 * i for i in range(32)])]
name = struct.pack("<24sH94s", b"ID_TO_OPCODE", 0, b"LDG.E")
open("warps.nv", "wb").write(struct.pack("<3Q", 1, 1, len(records)) + name + b"".join(records))
T
expect 0 'input ' "$loadstone" patterns sectors warps.nv --arrays cuda.h5
grep -qE '^input +1 +32\.0 +4\.0 +128 B +100\.0 % +coalesced' out && grep -qE '^image +1 +32\.0 +32\.0 +1\.00 KiB +12\.5 % +strided' out || { echo "FAIL: arrays in:"; cat out; failed=1; }

devices hip "$victim" hip
holds 1 "^block 'field' HIP device bytes $mib dead in $mib out $mib "
holds 1 "^block 'staging' HIP host bytes $mib dead in $mib out 0 "
holds 1 "^copy 'from device' HIP queued calls 1 bytes $mib 'field' -> 'staging' hip "
holds 1 "^copy 'to device' HIP waits calls 1 bytes $mib 'host' -> 'field' hip "
holds 1 "^copy 'wait' HIP "

# functions that the program looks up, in the library or by the driver
for way in driver proc; do
    devices $way "$victim" $way "$library"
    holds 1 "^block 'driver:[0-9]+' CUDA driver device bytes $mib dead in $mib out $((mib / 4 * 5)) "
    holds 1 "^block 'driver:[0-9]+' CUDA driver device bytes $((mib / 4)) dead in $((mib / 4)) out $((mib / 4)) "
    holds 1 "^copy 'to device' CUDA driver waits calls 1 bytes $mib 'host' -> 'driver:[0-9]+' driver devices_victim.c:"
    holds 1 "^copy 'on device' CUDA driver queued calls 1 bytes $((mib / 4)) 'driver:[0-9]+' -> 'driver:[0-9]+' driver "
    holds 2 "^copy 'from device' CUDA driver waits " # the driver finds the direction of one
    holds 1 "^copy 'wait' CUDA driver "
done
# frames of a runtime that is linked statically are left out of names and places; the first calls have paths also over the budget
over_budget="--overhead 0.01%"
devices static "$victim" static "$library"
over_budget=
holds 1 "^block 'input' CUDA driver device bytes $mib alive in $mib out 0 "
holds 1 "^copy 'to device' CUDA driver waits calls 1 bytes $mib 'host' -> 'input' static_runtime devices_victim.c:"
devices absent "$victim" absent
holds 0 "^block"
expect 2 'no memory of devices' "$loadstone" report --devices absent.h5

# a profile of several has the rows of both
expect 0 '' "$loadstone" merge -o both.h5 cuda.h5 hip.h5
"$python" "$top_srcdir/tests/cases/devices_lines.py" both.h5 >lines || { echo "FAIL: both.h5 cannot be read"; failed=1; }
name=both
holds 6 "^block "
holds 1 "^copy 'to device' HIP waits calls 1 bytes $mib 'host' -> 'field' hip "

# the processor's accesses to managed memory are in its block
if can_sample; then
    for seconds in 0.3 3; do # a machine that is busy samples little
        must "$loadstone" record -q --force -o managed.h5 $sampled -- "$victim" managed "$library" $seconds >out
        "$python" "$top_srcdir/tests/cases/devices_lines.py" managed.h5 >lines || failed=1
        ! grep -q "^sampled 'shared' [1-9]" lines || break
    done
    name=managed
    holds 1 "^sampled 'shared' [1-9][0-9]*\$"
    expect 0 'device memory' "$loadstone" report --tree managed.h5
else
    echo "not tried: no sampling here"
fi

# a real library: buffers of OpenCL on the processor
export POCL_CACHE_DIR=$scratch/pocl OCL_ICD_VENDORS=pocl.icd
mkdir -p "$POCL_CACHE_DIR"
"$top_builddir/tests/cases/opencl_victim" >plain
status=$?
if [ $status -eq 77 ]; then
    echo "not tried: OpenCL ($(cat plain)): install pocl-opencl-icd and ocl-icd-libopencl1"
    exit $failed
fi
must test $status -eq 0
devices opencl "$top_builddir/tests/cases/opencl_victim"
holds 1 "^block 'source' OpenCL device bytes $mib dead in $((mib + 1000)) out $((mib / 2)) "
holds 1 "^block 'target' OpenCL device bytes $((mib / 2 * 3)) dead in $((mib / 2)) out $((mib / 2)) "
holds 2 "^block "
holds 1 "^copy 'to device' OpenCL waits calls 1 bytes $mib 'host' -> 'source' main opencl_victim.c:"
holds 1 "^copy 'on device' OpenCL queued calls 1 bytes $((mib / 2)) 'source' -> 'target' main "
holds 1 "^copy 'from device' OpenCL queued calls 1 bytes $((mib / 2)) 'target' -> 'host' main "
holds 1 "^copy 'wait' OpenCL waits calls 1 "
exit $failed
