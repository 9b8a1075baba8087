#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# record --engine hw to report, with a kernel of ours that plays samples; and every errno at every call of perf_event_open.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
fake=$top_builddir/tests/perf/fake_kernel
victim=$top_builddir/tests/perf/hw_victim
for python in "${PYTHON-}" python3 /usr/bin/python3 ""; do
    [ -n "$python" ] && "$python" -c 'import h5py' 2>/dev/null && break
done
[ -n "$python" ] || skip "no Python with h5py (Debian: python3-h5py)"
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

# plays NAME KIND: all that was played is in the profile
plays() {
    machine "$1"
    "$fake" -- "$loadstone" record -q --force --engine hw --stores --overhead 100% -o "$1.h5" -- "$victim" >out 2>err
    status=$?
    [ $status -eq 9 ] && grep -qx done out || { echo "FAIL: $1: status $status"; cat out err; failed=1; return; }
    "$loadstone" report "$1.h5" >"$1.txt" 2>err || { cat err; failed=1; }
    "$python" - "$1.h5" "$2" <<'P' || { cat "$1.txt"; failed=1; }
import sys, h5py
run = h5py.File(sys.argv[1])
s = {name: data[:] for name, data in run["samples"].items()}
labels, sources = run["nodes"]["label"].asstr()[:], list(run["samples/source"].attrs["sources"])
rows = {label: [i for i in range(len(s["node"])) if labels[s["node"][i]] == label] for label in "AB"}
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
P
}
plays skylake PEBS
plays graniterapids PEBS
plays sapphirerapids PEBS
plays alderlake PEBS
plays haswell PEBS
plays zen4 IBS

# errors ERRNO...: each of them at each call, and at all: the program is as without us, and something else samples or nothing
machine skylake
for errno in 1 2 13 22 24 95; do
    for call in 0 1 2 3 5; do
        "$fake" -n $call -e $errno -- "$loadstone" record -q --force -o e.h5 -- "$victim" >out 2>err
        status=$?
        [ $status -eq 9 ] && grep -qx done out || { echo "FAIL: errno $errno at call $call: status $status"; cat out err; failed=1; }
        "$loadstone" report e.h5 >e.txt 2>err || { echo "FAIL: errno $errno at call $call"; cat err; failed=1; }
    done
done
exit $failed
