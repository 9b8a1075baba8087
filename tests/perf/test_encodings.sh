#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The opened events on each machine of tests/perf/machines, field by field, compared with values that were
# checked by hand against the kernel's sources. LS_UPDATE=1 rewrites the expectations.
top_builddir=$(cd "${top_builddir:-.}" && pwd)
top_srcdir=$(cd "${top_srcdir:-.}" && pwd)
machines=$top_srcdir/tests/perf/machines
show=$top_builddir/tests/perf/show_encodings
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
export TMPDIR="$scratch" LC_ALL=C.UTF-8
unset LOADSTONE_SYSFS LOADSTONE_EVENT LOADSTONE_LDLAT LOADSTONE_STORES LOADSTONE_HW_PERIOD LOADSTONE_HW_FREQ
failed=0 seen=0

# same NAME: the output in $scratch/out equals NAME.expected
same() {
    if [ -n "${LS_UPDATE-}" ]; then
        cp "$scratch/out" "$machines/$1.expected"
    elif ! diff -u "$machines/$1.expected" "$scratch/out"; then
        echo "FAIL: $1"
        failed=1
    fi
}

for fixture in "$machines"/*.sysfs; do
    name=$(basename "$fixture" .sysfs)
    "$show" "$fixture" >"$scratch/out" || failed=1
    same "$name"
    seen=$((seen + 1))
done
[ $seen -ge 33 ] || { echo "FAIL: only $seen machines"; failed=1; }

# a kernel that lists no memory events: the table of micro-architectures gives the same as sysfs did
for fixture in "$machines"/*.sysfs; do
    name=$(basename "$fixture" .sysfs)
    grep -q 'events/mem-loads event=0x\(0b\|cd\|d0\)' "$fixture" || continue
    grep -v events/mem- "$fixture" >"$scratch/stripped"
    "$show" "$scratch/stripped" | diff "$machines/$name.expected" - >"$scratch/out" && continue
    echo "FAIL: the table differs from sysfs on $name:"
    cat "$scratch/out"
    failed=1
done

# user-defined events, valid and invalid, on a machine that supports them
: >"$scratch/all"
events() {
    machine=$1
    shift
    echo "== $machine" >>"$scratch/all"
    "$show" "$machines/$machine.sysfs" "$@" >>"$scratch/all" || failed=1
}
events skylake cpu/mem-loads,ldlat=30/P cpu/mem-loads,ldlat=30/pp r1cd r1cd:pp mem-stores:p mem-loads \
    cpu/event=0xd1,umask=0x20/pp cpu/event=0xd1,umask=0x20/ 'cpu/mem-loads,ldlat=50,period=5000/uk' cpu/config=0x1cd,config1=5/pppu \
    cpu/mem-load/ cpu/ldlat=70000/ cpu/ldlat=x/ cpu/mem-loads cpux/mem-loads/ nosuch 'cpu/mem-loads/q' '{cpu/mem-loads/' \
    'cpu/mem-loads/,cpu/mem-stores/' '' ../cpu/type/ cpu/pc/pppp raw/config=0x1cd,config1=0x1e/pp 'cpu/mem-loads,name=lat/P' \
    '{cpu/event=0xd1,umask=1/pp,cpu/event=0xc0/}:u' cpu/mem-loads,freq=2000/P
events sapphirerapids cpu/mem-loads,ldlat=30/P '{cpu/mem-loads-aux/,cpu/mem-loads,ldlat=30/}:P' r1cd:u
events alderlake mem-loads:P cpu_atom/mem-loads/P cpu/mem-loads/P '{cpu_core/mem-loads/,cpu_atom/mem-loads/}'
events lunarlake cpu_core/event=0xd0,umask=0x181,eq=1/pp mem-stores:pp
events arrowlake-h mem-loads cpu_lowpower/mem-loads,ldlat=60/P
events sierraforest mem-loads cpu/mem-stores/pp
events zen4 ibs_op// ibs_op/cnt_ctl=1,l3missonly=1/ ibs_op/cnt_ctl=1/k ibs_op//I '{ibs_op//,ibs_op//}' ibs_op/period=1000/ \
    cpu/event=0x1ff,umask=0x1/u cpu/event=0xc1/pp r76:u cpu-cycles:P raw/config=0x129/pp '{cpu/event=0xc1/pp,cpu/event=0x76/}'
events zen5 rc1:ppu cpu/event=0x76,period=1000/pp ibs_op/swfilt=1/u ibs_op/ldlat=200,l3missonly=1/u
events neoverse-v2 arm_spe_0/ts_enable=1,load_filter=1,min_latency=100/ arm_spe_0/load_filter=1,freq=100/
events power9 mem-loads mem-stores:u cpu/mem-loads/
cp "$scratch/all" "$scratch/out"
same events
exit $failed
