#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# record --engine hw to report, with a fake kernel that plays samples; and every errno at every call of
# perf_event_open.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
fake=$top_builddir/tests/perf/fake_kernel
victim=$top_builddir/tests/perf/hw_victim
needs_python h5py
"$fake" -- true || skip "the system gives no seccomp listener"

# machine NAME: the kernel's description of its PMUs, from tests/perf/machines
machine() {
    rm -rf sys
    while read -r file content; do
        case $file in ''|'#'*|kernel) continue ;; esac
        mkdir -p "sys/bus/event_source/devices/$(dirname "$file")"
        printf '%s\n' "$content" >"sys/bus/event_source/devices/$file"
    done <"$top_srcdir/tests/perf/machines/$1.sysfs"
    export LOADSTONE_SYSFS="$scratch/sys"
}

# plays NAME KIND [ARGUMENT [OPTION... [RECORD'S OPTION...]]]: all that was played is in the profile
plays() {
    machine "$1"
    argument=${3-}
    options=${4-}
    more=${5-}
    "$fake" $options -- "$loadstone" record -q --force --engine hw --stores --overhead 100% $more -o "$1.h5" -- "$victim" $argument >out 2>err
    status=$?
    [ $status -eq 9 ] && grep -qx done out || { echo "FAIL: $1: status $status"; cat out err; failed=1; return; }
    "$loadstone" report --how "$1.h5" >"$1.txt" 2>err || { cat err; failed=1; }
    least=100
    case $more in --ldlat*) least=${more#* } ;; esac
    "$python" - "$1.h5" "$2" $least $argument <<'P' || { cat "$1.txt"; failed=1; }
import sys, h5py
run = h5py.File(sys.argv[1])
s = {name: data[:] for name, data in run["samples"].items()}
labels, sources = run["nodes"]["label"].asstr()[:], [s.decode() for s in run["samples/source"].attrs["sources"]]
rows = {label: [i for i in range(len(s["node"])) if labels[s["node"][i]] == label] for label in "ABCDF"}
def must(what, is_true):
    if not is_true: sys.exit(f"FAIL: {sys.argv[1]}: {what}: { {k: v[:8].tolist() for k, v in s.items()} }")
a, b = rows["A"], rows["B"]
first = int(sys.argv[3]) - 100
must("256 samples of each, or those that are slow enough", len(a) == 256 - first and len(b) == 256)
must("elements in order", [int(s["element"][i]) for i in a] == list(range(first, 256)))
must("latencies", [int(s["latency_cycles"][i]) for i in a] == list(range(100 + first, 356)))
must("loads from memory", all(s["op"][i] == 0 and sources[s["source"][i]] == "memory" and s["level"][i] == 3 for i in a))
must("stores to L1", all(s["op"][i] == 1 and sources[s["source"][i]] == "L1" and s["level"][i] == 0 for i in b))
must("plain loads", all(s["locked"][i] == 0 for i in a))
must("locked stores", all(s["locked"][i] == 1 for i in b))
must("period", len({int(s["events"][i]) for i in a}) == 1 and s["events"][a[0]] > 1)
must("threads", len({int(s["thread"][i]) for i in a}) == 1 and s["thread"][a[0]] != s["thread"][b[0]])
must("losses", run["run"].attrs["lost_records"] == 1234 + 77 and run["run"].attrs["throttled"] == 1)
must("engine", run["run"].attrs["engine"] == b"hw" and sys.argv[2] in run["run"].attrs["latency_meaning"].decode())
must("weight", s["weight_ns"][a[1]] > s["weight_ns"][a[0]] > 0)
events = {k: sum(int(n) for n, kind in zip(run["events/count"][:], run["events/kind"].asstr()[:]) if kind == k) for k in set(run["events/kind"].asstr()[:])}
must("each loss is reported", (events["SAMPLES_LOST"], events["HARDWARE_LOST"], events["THROTTLED"], events["UNTHROTTLED"]) == (1234, 77, 1, 1))
if "callback" in sys.argv:
    must("the program's function says where", [int(s["value"][i]) for i in a] == list(range(255, -1, -1)))
    must("and its costs", list(run["fields/line.A/samples"][:]) == [1] * 256 and events["CALLBACK_CALLS"] == 256 and not any(k.startswith("CALLBACK") for k in events if k != "CALLBACK_CALLS"))
if "threads" in sys.argv:
    must("all of 500 threads, once", sorted(int(s["element"][i]) for i in rows["F"]) == list(range(4000)))
    must("each by its own thread", len({int(s["thread"][i]) for i in rows["F"]}) == 500)
    must("sampled by thread", events["BY_THREAD"] == 1 and "EVENTS_REFUSED" not in events)
else:
    must("sampled by CPU", "BY_THREAD" not in events)
if "aux" in sys.argv:
    must("samples that arrive late belong to the range that lived then", len(rows["C"]) == len(rows["D"]) == 256)
    must("all of a flood, once", sorted(int(s["element"][i]) for i in rows["F"]) == list(range(60000)))
    must("latencies of a flood", all(int(s["latency_cycles"][i]) == int(s["element"][i]) % 65536 for i in rows["F"]))
    must("page walks", [int(s["tlb"][i]) for i in a[:4]] == [255, 0, 255, 0])
    must("truncated areas", events["AUX_DAMAGED"] >= 3)
elif sys.argv[2] != "SPE":
    must("no areas", "AUX_DAMAGED" not in events)
P
}
plays skylake PEBS
# locked accesses: as a row of the report, as a filter, in a merged file, beside another run, in CSV
"$loadstone" report --csv --by node,locked --where locked=yes skylake.h5 >locked 2>err || { cat err; failed=1; }
grep -q '^[^,]*B,yes,256,' locked && ! grep -q ',no,' locked && [ "$(grep -c ,yes, locked)" = 1 ] || { echo "FAIL: --where locked=yes:"; cat locked; failed=1; }
plays graniterapids PEBS
plays sapphirerapids PEBS
plays alderlake PEBS
plays haswell PEBS
plays zen4 IBS

# packets in AUX areas: across the end of the area, announced late, with more operations than fit
plays neoverse-n1 SPE aux
plays neoverse-v2 SPE aux
grep -q 'pieces of the hardware.s trace' neoverse-v2.txt || { echo "FAIL: nothing is said of truncated areas:"; cat neoverse-v2.txt; failed=1; }
# doctor opens it as well
machine neoverse-v2
"$fake" -- "$loadstone" doctor >doctor.txt 2>err
grep -q 'yes *hw' doctor.txt && grep -q 'SPE: arm_spe_0/' doctor.txt || { echo "FAIL: doctor:"; cat doctor.txt err; failed=1; }
# failures after the opening are found too: locked memory, sizes, switching on; and rings that had to be
# halved
doctor_says() { # MACHINE CALL ERRNO YES-OR-NO TEXT
    machine "$1"
    "$fake" -c "$2" -n 0 -e "$3" -- "$loadstone" doctor >doctor.txt 2>err
    tr -s ' \n' '  ' <doctor.txt >said
    grep -q "^ *$4 *hw" doctor.txt && grep -q -e "$5" said || { echo "FAIL: doctor, $1, errno $3 of $2: not '$4' with '$5':"; cat doctor.txt err; failed=1; }
}
doctor_says skylake mmap 1 no 'sysctl kernel.perf_event_mlock_kb'
doctor_says skylake mmap 22 no 'power of two of pages'
doctor_says skylake ioctl 22 no 'does not take config'
doctor_says neoverse-n1 aux 1 no 'sysctl kernel.perf_event_mlock_kb'
doctor_says neoverse-n1 aux 22 no 'aux_size'
doctor_says skylake poll 22 yes 'a ring of 256 KiB'
doctor_says neoverse-n1 poll 22 yes 'a ring of 64 KiB and an AUX area of 1024 KiB'
machine neoverse-n1
"$fake" -l 69632 -- "$loadstone" doctor >doctor.txt 2>err
tr -s ' \n' '  ' <doctor.txt >said
grep -q 'yes *hw' doctor.txt && grep -q 'AUX area of 64 KiB: the ring of .* for more: sudo sysctl kernel.perf_event_mlock_kb' said ||
    { echo "FAIL: doctor does not tell of halved rings:"; cat doctor.txt err; failed=1; }
# the same where hardly any memory may be locked: rings and areas are halved until they fit
plays neoverse-n1 SPE aux "-l 69632"
grep -q 'perf_event_mlock_kb' neoverse-n1.txt || { echo "FAIL: halved rings are not reported:"; cat neoverse-n1.txt; failed=1; }
plays skylake PEBS "" "-l 135168"
grep -q 'perf_event_mlock_kb' skylake.txt || { echo "FAIL: halved rings are not reported:"; cat skylake.txt; failed=1; }
# the same where there is room for the first CPU's rings, if it takes all: each CPU gets its part
cpus=$(getconf _NPROCESSORS_CONF)
plays neoverse-n1 SPE aux "-L $((cpus > 8 ? cpus * 131072 : 1048576))"
grep -q 'perf_event_mlock_kb' neoverse-n1.txt || { echo "FAIL: halved rings are not reported:"; cat neoverse-n1.txt; failed=1; }
plays skylake PEBS "" "-L $((cpus > 32 ? cpus * 139264 : 4198400))"
[ "$cpus" -eq 1 ] || grep -q 'perf_event_mlock_kb' skylake.txt || { echo "FAIL: shared memory is not reported:"; cat skylake.txt; failed=1; }
# by thread, where events of whole CPUs do not open, and with few descriptors: channels are closed when their threads end
loadstone_tool=$loadstone
printf '#!/bin/sh\nulimit -n 64\nexec "%s" "$@"\n' "$loadstone" >few && chmod +x few
loadstone=$scratch/few
plays skylake PEBS threads -b
grep -q 'sampled one by one' skylake.txt || { echo "FAIL: nothing is said of threads:"; cat skylake.txt; failed=1; }
loadstone=$loadstone_tool
# a natural-domain function of the program's sees each sample of its range
plays skylake PEBS callback
plays neoverse-n1 SPE callback
# IBS of a kernel that samples whole CPUs only: samples of other processes and of the kernel are left out
plays zen3 IBS "" "-r 6.1.0 -k"
# the registers of IBS, where the kernel does not decode them
plays zen2 IBS "" "-r 5.10.0 -k"
# faster loads are not sampled, or left out by the reader
plays skylake PEBS "" "" "--ldlat 200"
plays zen4 IBS "" "-k" "--ldlat 300"
# more samples than the budget allows: another gear, whose samples represent more
machine skylake
"$fake" -- "$loadstone" record -q --force --engine hw --overhead 0.1% -o slower.h5 -- "$victim" slower >out 2>err
status=$?
[ $status -eq 9 ] && "$python" - <<'P' || { echo "FAIL: over the budget: status $status"; cat err; failed=1; }
import h5py
run = h5py.File("slower.h5")
periods = sorted(set(run["samples/events"][:].tolist()))
assert len(periods) >= 2 and periods[1] % periods[0] == 0, periods
assert "RATE_LOWERED" in run["events/kind"].asstr()[:]
P
# a PMU that only the last CPU has, tried from another one
last=$(($(getconf _NPROCESSORS_ONLN) - 1))
if [ $last -gt 0 ] && taskset -c 0 true 2>/dev/null; then
    machine alderlake
    taskset -c 0 "$fake" -a 10:$last -- "$loadstone" record -q --force --engine hw --event cpu_atom/mem-loads/P -o atom.h5 -- "$victim" >out 2>err
    status=$?
    [ $status -eq 9 ] && "$loadstone" report --how atom.h5 2>/dev/null | grep -q '^engine  *hw' || { echo "FAIL: a PMU of other CPUs: status $status"; cat err; failed=1; }
fi

# harmless NAME: the program runs as without Loadstone, and there is a report
harmless() {
    [ $status -eq 9 ] && grep -qx done out || { echo "FAIL: $1: status $status"; cat out err; failed=1; }
    "$loadstone" report e.h5 >e.txt 2>err || { echo "FAIL: $1"; cat err; failed=1; }
}

# each errno at each call, and at all: the program runs as without Loadstone, and another engine samples or
# none. Here each call has one specific errno, `make check-errnos` (part of check-long) tries all, and errnos
# of the other calls too.
fails() { # CALL NUMBER ERRNO
    "$fake" -c "$1" -n "$2" -e "$3" -- "$loadstone" record -q --force -o e.h5 -- "$victim" >out 2>err
    status=$?
    harmless "errno $3 at $1 $2 of $machine"
    tried=$((tried + 1))
}
fails_each() { # CALL LAST ERRNO...: all calls fail, and each of the first ones
    call=$1
    last=$2
    shift 2
    for number in $(seq 0 "$last"); do
        for errno in "$@"; do fails "$call" "$number" "$errno"; done
    done
}
tried=0
machine=skylake
machine $machine
if [ -n "${LS_LONG-}" ]; then
    # every errno that has advice (perf/pe_advice.c), then the ones that the kernel's ioctl, mmap and ppoll
    # can return
    fails_each open 13 1 2 3 6 7 12 13 16 19 22 23 24 28 38 61 75 95
    fails_each ioctl 14 1 12 22
    fails_each mmap 5 1 12 22
    fails_each poll 3 4 12 22
    machine=neoverse-n1
    machine $machine
    fails_each open 5 1 2 13 16 22 24 95
    fails_each ioctl 6 1 22
    fails_each mmap 5 1 12 22
    fails_each aux 5 1 12 22 95
    fails_each poll 3 4 22
    machine=zen4
    machine $machine
    fails_each open 9 1 2 13 16 22 24 95
    fails_each mmap 3 1 12
    machine=alderlake
    machine $machine
    fails_each open 9 1 2 13 16 19 22 61
    fails_each mmap 3 1 12
    echo "$tried calls failed, one a run"
else
    number=0
    for errno in 1 2 13 22 24 95 1 2 13 22 24 95 1 2; do
        fails open $number $errno
        number=$((number + 1))
    done
fi

# refuses MACHINE CALL ERRNO TEXT: the requested engine cannot start, the cause and a remedy are printed, and
# nothing runs
refuses() {
    machine "$1"
    "$fake" -c "$2" -n 0 -e "$3" -- "$loadstone" record -q --force --engine hw -o e.h5 -- "$victim" >out 2>err
    status=$?
    if [ $status -eq 9 ]; then
        "$loadstone" report e.h5 >>err 2>&1
    elif grep -q done out; then
        echo "FAIL: $1, errno $3 of $2: refused with status $status, but the program ran"
        failed=1
    fi
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
refuses skylake ioctl 22 'does not take config'
refuses neoverse-n1 aux 1 'sysctl kernel.perf_event_mlock_kb'
refuses neoverse-n1 aux 22 'aux_size'
refuses neoverse-n1 aux 95 'lacks a filter'

# later calls, because record tries the first ones itself when the engine is requested by name
for what in "ioctl 9 22" "ioctl 14 1" "mmap 2 1" "mmap 2 12" "mmap 3 22" "poll 0 22" "poll 0 12" "poll 1 4"; do
    set -- $what
    "$fake" -c "$1" -n "$2" -e "$3" -- "$loadstone" record -q --force -o e.h5 -- "$victim" >out 2>err
    status=$?
    harmless "errno $3 of $1 $2"
done
machine neoverse-n1
for what in "aux 2 1" "aux 2 12" "aux 3 22" "ioctl 5 22" "poll 0 22"; do
    set -- $what
    "$fake" -c "$1" -n "$2" -e "$3" -- "$loadstone" record -q --force -o e.h5 -- "$victim" >out 2>err
    status=$?
    harmless "errno $3 of $1 $2"
done
exit $failed
