#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs that do nothing but allocate and free are sampled all the time, are not slowed down many times, whatever the length of the
# blocks, and the overhead that is printed has everything that recording cost, site tags, too. Where the recording is refused, hooks
# compare a few numbers.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
needs_python json
can_sample || skip "the step engine does not work here"
pairs=$top_builddir/bench/alloc_pairs

for run in 64:4000 4096:1000 65536:1000; do # bytes and rounds, which take some 2 s of CPU time
    len=${run%:*} rounds=${run#*:}
    plain=999999 with=999999
    for round in 1 2 3; do # the least time of a pair: others use the machine, too
        must "$pairs" $len 2 20 $rounds >ns 2>err
        plain=$(printf '%s\n' "$plain" "$(tr -d . <ns)" | sort -n | head -1)
        must "$loadstone" record -q -f -o "$len.h5" -- "$pairs" $len 2 20 $rounds >ns 2>err
        with=$(printf '%s\n' "$with" "$(tr -d . <ns)" | sort -n | head -1)
    done
    echo "$len bytes: $plain ns/100 a pair, recorded $with"
    must test "$with" -le $((4 * plain))
    must "$loadstone" report --json "$len.h5" >json 2>err
    must "$python" - $len <<'P'
import json, sys
report = json.load(open("json"))
run, cpu, bursts = report["run"], report["cpu"], report["estimates"]["bursts"]
overhead_ns = run["overhead_achieved"] * run["duration_ns"]
print("%s bytes: %d bursts, overhead %.0f ms, recording %.0f ms of %.0f ms" % (
    sys.argv[1], bursts, overhead_ns / 1e6, cpu["recording_ns"] / 1e6, cpu["total_ns"] / 1e6))
if bursts < 10:
    sys.exit("FAIL: %s bytes: %d bursts" % (sys.argv[1], bursts))
if overhead_ns < 0.7 * cpu["recording_ns"]: # without the time since the last burst, and before the process began
    sys.exit("FAIL: %s bytes: the overhead of %.0f ms leaves recording out" % (sys.argv[1], overhead_ns / 1e6))
P
done

# Instructions of a pair, with these variables.
instructions() {
    for rounds in 1 3; do
        env "$@" valgrind --tool=callgrind --callgrind-out-file=/dev/null "$pairs" 64 1 20 $rounds >ns 2>err
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p' err
    done | { read -r few && read -r more && echo $(((more - few) / 40000)); }
}
if command -v valgrind >/dev/null; then
    mkdir -m 755 open # a spool is of mode 700
    plain=$(instructions LC_ALL=C)
    refused=$(instructions LC_ALL=C LD_PRELOAD="$top_builddir/.libs/libloadstone-preload.so" LOADSTONE_SPOOL="$PWD/open")
    echo "a pair: $plain instructions, $refused where the recording is refused"
    must test -z "$(ls open)"
    must test "$refused" -le $((plain + 100))
else
    echo "note: without valgrind the hooks of a refused recording are not counted"
fi
exit $failed
