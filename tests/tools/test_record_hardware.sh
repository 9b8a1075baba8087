#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Options of the hw engine: impossible values are refused before the program starts, with the field and the
# remedy.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
unset LOADSTONE_EVENT LOADSTONE_LDLAT LOADSTONE_STORES LOADSTONE_HW_PERIOD LOADSTONE_HW_FREQ

# unpack NAME: a machine of tests/perf/machines as ./NAME
unpack() {
    while read -r file content; do
        case $file in
        '#' | '' | kernel) continue ;;
        esac
        mkdir -p "$1/bus/event_source/devices/$(dirname "$file")"
        echo "$content" >"$1/bus/event_source/devices/$file"
    done <"$top_srcdir/tests/perf/machines/$1.sysfs"
    LOADSTONE_SYSFS=$scratch/$1
    export LOADSTONE_SYSFS
}

unpack nothing
expect 125 "no hardware PMU visible" "$loadstone" record --engine hw true
expect 0 "has no effect here: no hardware PMU visible" "$loadstone" record -f -o a.h5 --ldlat 30 true
expect 125 "leave one of them out" "$loadstone" record --engine step --event r1cd true
expect 125 "is a time" "$loadstone" record --engine hw --period 20ms true
expect 125 "unknown unit" "$loadstone" record --period 3parsec true
expect 125 "is not one of no|also|only" "$loadstone" record --stores=perhaps true
unpack skylake
expect 125 "a period and a frequency exclude each other" "$loadstone" record --period 1000 --freq 100 true
expect 125 "at most 65535" "$loadstone" record --ldlat 70000 true
expect 125 "neither a field nor an event 'mem-load'" "$loadstone" record --event cpu/mem-load/ true
expect 125 "no PMU has an event 'NO_SUCH'" "$loadstone" record --event NO_SUCH:THING true
expect 125 "LOADSTONE_STORES cannot be read" env LOADSTONE_STORES=perhaps "$loadstone" record --ldlat 30 true
unpack skylake-vm
expect 125 "PEBS is hidden" "$loadstone" record --engine hw true
unpack neoverse-n1
expect 125 "give --period instead of --freq" "$loadstone" record --freq 100 true
unpack nehalem # libpfm4 would use the processor of this machine for an event of stores
expect 125 "samples no stores" env LIBPFM_FORCE_PMU=nhm "$loadstone" record --engine hw --stores=only true
# an engine that is requested by name and cannot be opened: the program is not run (it is run if this machine has such a PMU)
unpack skylake
"$loadstone" record -f -o e.h5 --engine hw touch ran 2>err
status=$?
[ $status -eq 0 ] || { [ $status -eq 125 ] && [ ! -e ran ] && grep -q -- "--engine hw: .*--engine auto takes another engine then" err; } ||
    { echo "FAIL: status $status of an engine that does not open" && cat err && failed=1; }
# values that reach the program: the options as variables, names of libpfm4 as numbers
unpack skylake
expect 0 "" "$loadstone" record -q -f -o b.h5 --ldlat 50 --stores --period 5000 sh -c 'env | grep ^LOADSTONE_ >vars'
for line in LOADSTONE_LDLAT=50 LOADSTONE_STORES=also LOADSTONE_HW_PERIOD=5000; do
    must grep -qx "$line" vars
done
if LIBPFM_FORCE_PMU=skl "$loadstone" record -q -f -o c.h5 --event MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=40 \
    sh -c 'env | grep ^LOADSTONE_EVENT >vars' 2>err; then
    must grep -qx "LOADSTONE_EVENT=raw/config=0x1cd,config1=0x28/pp" vars
else
    must grep -q "libpfm4" err
fi
# a PMU of another machine in libpfm4's notation: the message lists the present ones
LIBPFM_FORCE_PMU=skl "$loadstone" record --event spr::MEM_TRANS_RETIRED:LOAD_LATENCY true >out 2>err
status=$?
must test $status = 125
must grep -q -e "--event: spr.* is not a PMU of this machine, whose cores have skl: name an event of theirs" \
    -e "this build has no libpfm4" err
if ! grep -q "this build has no libpfm4" err; then
    expect 125 "--event: nosuch is not a PMU of this machine" "$loadstone" record --event nosuch::MEM_TRANS_RETIRED true
    expect 125 "libpfm4 does not know 'skl::NO_SUCH' on this processor" \
        env LIBPFM_FORCE_PMU=skl "$loadstone" record --event skl::NO_SUCH true
fi
# IBS takes two events of AMD's cores, the others have no addresses
unpack zen4
if LIBPFM_FORCE_PMU=amd64_fam19h_zen4 "$loadstone" record -f -o d.h5 --event RETIRED_OPS sh -c 'env | grep ^LOADSTONE_EVENT >vars' 2>err; then
    must grep -qx "LOADSTONE_EVENT=raw/config=0xc1/pp" vars
    must grep -q "leave this event to IBS: ibs_op/cnt_ctl=1/ is taken" err
    expect 125 "config=0x129 of AMD's cores has no data addresses" \
        env LIBPFM_FORCE_PMU=amd64_fam19h_zen4 "$loadstone" record --event LS_DISPATCH:LD_DISPATCH true
else
    must grep -q "libpfm4" err
fi
exit $failed
