#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# record --engine faults: pages that programs touch, counted exactly, by node and thread; fork, exec, many threads, system calls.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
victim=$top_builddir/tests/cases/faults_victim

"$loadstone" record -q --force --engine faults -o can.h5 -- "$victim" two 1 1 >/dev/null 2>err ||
    { grep -q 'faults does not work here' err && skip "$(cat err)"; cat err; exit 1; }
# the default report lists first touches; engines that were asked for by name fail where they do not work
expect 0 "Who touched which memory first" "$loadstone" report can.h5
must grep -qE '^faults  .* % of the [0-9,]* page faults' out
must grep -qE '^trust  *engine faults' out
expect 0 "more, not shown)" "$loadstone" report --min-share 60% can.h5
expect 0 " samples in " "$loadstone" record --force -e faults -o can.h5 -- "$victim" two 1 1
expect 125 "record --watch NAME" "$loadstone" record -e watch -o no.h5 -- "$victim" two 1 1
no_perf=$top_builddir/tests/step/step_no_perf # where stepping is built
if [ -x "$no_perf" ]; then
    expect 125 "--engine faults does not work here: " "$no_perf" "$loadstone" record -o no.h5 -e faults -- "$victim" two 1 1
    expect 125 "--watch does not work here: " "$no_perf" "$loadstone" record -o no.h5 --watch 'A[17]' -- "$victim" two 1 1
fi
must test ! -e no.h5

# faults NAME ARGUMENT...: record the victim and write the rows "PROCESS THREADS NODE FAULTS PAGES BYTES" of ranges to the file rows
faults() {
    name=$1
    shift
    "$loadstone" record -q --force --engine faults --overhead 100% $options -o "$name.h5" -- "$victim" "$@" >out 2>err
    status=$?
    [ $status -eq 0 ] || { echo "FAIL: $name: status $status"; cat err; failed=1; }
    grep -qx "done" out || { echo "FAIL: $name: the program's output"; cat out; failed=1; }
    "$loadstone" report --first-touch --json --by node,process,thread "$name.h5" >"$name.json" 2>err || { cat err; failed=1; }
    "$loadstone" report --first-touch "$name.h5" >"$name.txt" 2>err || { cat err; failed=1; }
}
# says NAME PYTHON: an expression over rows (of ranges, innermost: dicts with node, process, thread, faults,
# pages, bytes) is true
says() {
    python3 - "$1.json" "$2" <<'P' || failed=1
import json, sys
report = json.load(open(sys.argv[1]))
rows = [r for r in report["rows"] if r.get("thread") and r["node"].split("/")[-1] in ("A", "B")]
total = lambda key, node, **more: sum(r[key] for r in rows if r["node"] == node and all(r[k].startswith(v) for k, v in more.items()))
threads = lambda node: len({r["thread"] for r in rows if r["node"] == node})
if report["lost"] == 0 and not eval(sys.argv[2]):
    sys.exit(f"FAIL: {sys.argv[1]}: not {sys.argv[2]}: {json.dumps(rows, indent=1)}")
if report["lost"]:
    print(f"{sys.argv[1]}: {report['lost']} samples lost on a busy machine: not compared")
P
}

options=
faults two two 1000 300
says two 'report["numbers_are"] == "counted"'
says two 'total("pages", "A") == total("faults", "A") == 1000 and total("bytes", "A") == 1000 * 4096 and threads("A") == 1'
says two 'total("pages", "B") == total("faults", "B") == 300 and threads("B") == 1'
says two '{r["thread"] for r in rows if r["node"] == "A"} != {r["thread"] for r in rows if r["node"] == "B"}'
grep -q "Every page fault was taken" two.txt || { echo "FAIL: two.txt:"; cat two.txt; failed=1; }

faults again again 500
says again 'total("faults", "A") == 1000 and total("pages", "A") == 500'

faults many many 50
says many 'total("pages", "A") == 40 * 50 and threads("A") == 40 and all(r["pages"] == 50 for r in rows)'

# 500 short threads with few descriptors: by CPU, and by thread where a CPU's counter is busy (fake_kernel -b)
tool=$loadstone
printf '#!/bin/sh\nulimit -n 64\nexec "%s" "$@"\n' "$tool" >few
printf '#!/bin/sh\nexec "%s" -b -- "%s" "$@"\n' "$top_builddir/tests/perf/fake_kernel" "$scratch/few" >busy
chmod +x few busy
loadstone=$scratch/few
faults short short 2
says short 'total("pages", "A") == total("faults", "A") == 1000 and threads("A") == 500'
if "$top_builddir/tests/perf/fake_kernel" -- true 2>/dev/null; then
    loadstone=$scratch/busy
    faults busy short 2
    loadstone=$tool
    says busy 'total("pages", "A") == total("faults", "A") == 1000 and threads("A") == 500'
    "$loadstone" report --how busy.h5 2>/dev/null | grep -q 'sampled one by one' || { echo "FAIL: busy: not by thread"; "$loadstone" report --how busy.h5; failed=1; }
fi
loadstone=$tool

# accesses of the kernel inside of system calls, where they may be sampled
faults read read 64
says read 'total("pages", "A") in (0, 64)'
# CAP_PERFMON or CAP_SYS_ADMIN, but not of a name space of users, where anybody is root
capabilities=0x$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)
is_privileged=$(((capabilities >> 38 | capabilities >> 21) & 1))
grep -qE '^ *0 +0 +4294967295$' /proc/self/uid_map || is_privileged=0
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 1 ] && [ $is_privileged -eq 0 ] || says read 'total("pages", "A") == 64'

# the child's own faults, on the parent's range
faults fork fork 200 150
says fork 'total("pages", "A") == 350 and sorted(r["pages"] for r in rows) == [150, 200] and len({r["process"] for r in rows}) == 2'

# faults before exec are not lost, and the next image starts counting at zero
faults exec exec 120 80
says exec 'sum(r["pages"] for r in rows if r["node"].endswith("A")) == 240 and len({r["thread"] for r in rows}) == 3'

# call stacks
options=--callstack
faults stacks two 50 20
"$loadstone" report --by calls stacks.h5 >calls.txt 2>err || { cat err; failed=1; }
grep -q touch calls.txt || { echo "FAIL: no stack with touch:"; cat calls.txt; failed=1; }
options=

# the NUMA node of each page, on a machine configured with two; and the measured cost of a sample
mkdir -p sys/devices/system/node && echo 0-1 >sys/devices/system/node/has_memory
LOADSTONE_SYSFS=$scratch/sys "$loadstone" record -q --force --engine faults --overhead 100% -o numa.h5 -- "$victim" two 500 300 >out 2>err || { cat err; failed=1; }
"$loadstone" report --first-touch --json --by node,numa numa.h5 >numa.json 2>err || { cat err; failed=1; }
python3 - numa.json <<'P' || { cat numa.json; failed=1; }
import ctypes, json, sys
page, node = ctypes.create_string_buffer(b"x" * 8192), ctypes.c_int(-1)
pages = ctypes.c_void_p((ctypes.addressof(page) + 4095) & ~4095)
can_ask = ctypes.CDLL(None).syscall(279, 0, 1, ctypes.byref(pages), None, ctypes.byref(node), 0) == 0 and node.value >= 0
report = json.load(open(sys.argv[1]))
counted = sum(r["pages"] for r in report["rows"] if r["node"] == "A" and r.get("numa", "").startswith("NUMA node"))
if not can_ask: print("the kernel tells no NUMA nodes here: not compared")
elif not report["lost"] and counted < 400: sys.exit(f"FAIL: NUMA nodes of {counted} of 500 pages")
P
"$loadstone" report --how numa.h5 2>/dev/null | tr -s ' \n' '  ' | grep -q 'one costs [0-9.]* us, \(measured\|assumed\)' || { echo "FAIL: no cost of a sample"; failed=1; }

# thinned out: the figures are marked as estimates and are of the right size. The last faults of a thread on a
# processor are lost when it ends, up to a period of 61: its 40 threads are kept on four processors, or they
# could lose more than the tolerance here
cat >on_four.py <<'P'
import os, sys
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:4])
os.execv(sys.argv[1], sys.argv[1:])
P
"$loadstone" record -q --force --engine faults --overhead 0.1% -o thin.h5 -- python3 on_four.py "$victim" many 10000 >out 2>err || { cat err; failed=1; }
"$loadstone" report --first-touch --json thin.h5 >thin.json 2>err || { cat err; failed=1; }
"$loadstone" report --first-touch thin.h5 >thin.txt 2>err
python3 - thin.json <<'P' || failed=1
import json, sys
r = json.load(open(sys.argv[1]))
a = next(row for row in r["rows"] if row["label"] == "A")
if r["lost"]: print(f"thin: {r['lost']} samples lost on a busy machine: not compared")
elif r["numbers_are"] != "estimated": sys.exit("FAIL: thin: not thinned out")
elif not 390000 < a["pages"] < 410000: sys.exit(f"FAIL: thin: {a['pages']} of 400000 pages")
P
grep -q '"lost": 0' thin.json || grep -q '"numbers_are": "estimated"' thin.json || exit $failed
grep -q "^Estimates: " thin.txt || { echo "FAIL: thin.txt:"; head thin.txt; failed=1; }
exit $failed
