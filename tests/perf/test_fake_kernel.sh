#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# record --engine hw to report, with a kernel of ours that plays samples; and every errno at every call of perf_event_open.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
fake=$top_builddir/tests/perf/fake_kernel
victim=$top_builddir/tests/perf/hw_victim
needs_python h5py
"$fake" -- true || skip "the system gives no seccomp listener"

# machine NAME: what its kernel says of its PMUs, from tests/perf/machines
machine() {
    rm -rf sys
    while read -r file content; do
        case $file in ''|'#'*|kernel) continue ;; esac
        mkdir -p "sys/bus/event_source/devices/$(dirname "$file")"
        printf '%s\n' "$content" >"sys/bus/event_source/devices/$file"
    done <"$top_srcdir/tests/perf/machines/$1.sysfs"
    export LOADSTONE_SYSFS="$scratch/sys"
}

# plays NAME KIND [ARGUMENT [OPTION...]]: all that was played is in the profile
plays() {
    machine "$1"
    argument=${3-}
    options=${4-}
    "$fake" $options -- "$loadstone" record -q --force --engine hw --stores --overhead 100% -o "$1.h5" -- "$victim" $argument >out 2>err
    status=$?
    [ $status -eq 9 ] && grep -qx done out || { echo "FAIL: $1: status $status"; cat out err; failed=1; return; }
    "$loadstone" report "$1.h5" >"$1.txt" 2>err || { cat err; failed=1; }
    "$python" - "$1.h5" "$2" $argument <<'P' || { cat "$1.txt"; failed=1; }
import sys, h5py
run = h5py.File(sys.argv[1])
s = {name: data[:] for name, data in run["samples"].items()}
labels, sources = run["nodes"]["label"].asstr()[:], list(run["samples/source"].attrs["sources"])
rows = {label: [i for i in range(len(s["node"])) if labels[s["node"][i]] == label] for label in "ABCDF"}
def must(what, is_true):
    if not is_true: sys.exit(f"FAIL: {sys.argv[1]}: {what}: { {k: v[:8].tolist() for k, v in s.items()} }")
a, b = rows["A"], rows["B"]
must("256 samples of each", len(a) == len(b) == 256)
must("elements in order", [int(s["element"][i]) for i in a] == list(range(256)))
must("latencies", [int(s["latency_cycles"][i]) for i in a] == list(range(100, 356)))
must("loads from memory", all(s["op"][i] == 0 and sources[s["source"][i]] == "memory" and s["level"][i] == 3 for i in a))
must("stores to L1", all(s["op"][i] == 1 and sources[s["source"][i]] == "L1" and s["level"][i] == 0 for i in b))
must("period", len({int(s["events"][i]) for i in a}) == 1 and s["events"][a[0]] > 1)
must("threads", len({int(s["thread"][i]) for i in a}) == 1 and s["thread"][a[0]] != s["thread"][b[0]])
must("losses", run["run"].attrs["lost_records"] == 1234 and run["run"].attrs["throttled"] == 1)
must("engine", run["run"].attrs["engine"] == "hw" and sys.argv[2] in run["run"].attrs["latency_meaning"])
must("weight", s["weight_ns"][a[1]] > s["weight_ns"][a[0]] > 0)
events = {k: sum(int(n) for n, kind in zip(run["events/count"][:], run["events/kind"].asstr()[:]) if kind == k) for k in set(run["events/kind"].asstr()[:])}
if "aux" in sys.argv:
    must("what was told late is of the range that lived then", len(rows["C"]) == len(rows["D"]) == 256)
    must("all of a flood, once", sorted(int(s["element"][i]) for i in rows["F"]) == list(range(60000)))
    must("latencies of a flood", all(int(s["latency_cycles"][i]) == int(s["element"][i]) % 65536 for i in rows["F"]))
    must("page walks", [int(s["tlb"][i]) for i in a[:4]] == [255, 0, 255, 0])
    must("truncated areas", events["AUX_DAMAGED"] >= 3)
else:
    must("no areas", "AUX_DAMAGED" not in events)
P
}
plays skylake PEBS
plays graniterapids PEBS
plays sapphirerapids PEBS
plays alderlake PEBS
plays haswell PEBS
plays zen4 IBS

# packets in AUX areas: cut over the end of the area, told late, of more operations than find room
plays neoverse-n1 SPE aux
plays neoverse-v2 SPE aux
grep -q 'pieces of the hardware.s trace' neoverse-v2.txt || { echo "FAIL: nothing is said of truncated areas:"; cat neoverse-v2.txt; failed=1; }
# doctor opens it as well
machine neoverse-v2
"$fake" -- "$loadstone" doctor >doctor.txt 2>err
grep -q 'yes *hw' doctor.txt && grep -q 'SPE: arm_spe_0/' doctor.txt || { echo "FAIL: doctor:"; cat doctor.txt err; failed=1; }
# the same where hardly any memory may be locked: rings and areas are halved until they fit
plays neoverse-n1 SPE aux "-l 69632"
grep -q 'perf_event_mlock_kb' neoverse-n1.txt || { echo "FAIL: halved rings are not told:"; cat neoverse-n1.txt; failed=1; }
plays skylake PEBS "" "-l 135168"
grep -q 'perf_event_mlock_kb' skylake.txt || { echo "FAIL: halved rings are not told:"; cat skylake.txt; failed=1; }
# IBS of a kernel that samples whole CPUs only: what others do is left out
plays zen3 IBS "" "-r 6.1.0"

# harmless NAME: the program is as without us, and there is a report
harmless() {
    [ $status -eq 9 ] && grep -qx done out || { echo "FAIL: $1: status $status"; cat out err; failed=1; }
    "$loadstone" report e.h5 >e.txt 2>err || { echo "FAIL: $1"; cat err; failed=1; }
}

# each errno at each call, and at all: the program is as without us, and something else samples or nothing
machine skylake
for errno in 1 2 13 22 24 95; do
    for call in 0 1 3; do
        "$fake" -n $call -e $errno -- "$loadstone" record -q --force -o e.h5 -- "$victim" >out 2>err
        status=$?
        harmless "errno $errno at call $call"
    done
done

# refuses MACHINE CALL ERRNO TEXT: the engine is asked for and cannot be, why and what helps is said, nothing was run
refuses() {
    machine "$1"
    "$fake" -c "$2" -n 0 -e "$3" -- "$loadstone" record -q --force --engine hw -o e.h5 -- "$victim" >out 2>err
    status=$?
    if [ $status -eq 9 ]; then "$loadstone" report e.h5 >>err 2>&1; fi
    tr -s ' \n' '  ' <err >said
    grep -q -e "$4" said || { echo "FAIL: $1, errno $3 of $2: status $status, no '$4':"; cat err; failed=1; }
}
refuses skylake open 2 'host,pmu=on\|driver of this processor'
refuses skylake open 13 'perf_event_paranoid\|security module'
refuses skylake open 24 'ulimit -n'
refuses skylake open 16 'end other profilers'
refuses skylake mmap 1 'sysctl kernel.perf_event_mlock_kb'
refuses skylake mmap 12 'memory limit of the container'
refuses skylake mmap 22 'power of two of pages'
refuses skylake ioctl 22 .
refuses neoverse-n1 aux 1 'sysctl kernel.perf_event_mlock_kb'
refuses neoverse-n1 aux 22 'aux_size'
refuses neoverse-n1 aux 95 .

# later calls: the first ones, by which the engine is chosen, are not
for what in "ioctl 9 22" "ioctl 14 1" "mmap 2 1" "mmap 2 12" "mmap 3 22" "poll 0 22" "poll 0 12" "poll 1 4"; do
    set -- $what
    "$fake" -c "$1" -n "$2" -e "$3" -- "$loadstone" record -q --force --engine hw -o e.h5 -- "$victim" >out 2>err
    status=$?
    harmless "errno $3 of $1 $2"
done
machine neoverse-n1
for what in "aux 2 1" "aux 2 12" "aux 3 22" "ioctl 5 22" "poll 0 22"; do
    set -- $what
    "$fake" -c "$1" -n "$2" -e "$3" -- "$loadstone" record -q --force --engine hw -o e.h5 -- "$victim" >out 2>err
    status=$?
    harmless "errno $3 of $1 $2"
done
exit $failed
