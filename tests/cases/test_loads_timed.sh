#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Reports print how many loads were timed, as the profile has them; where too few were, there is no stall, and nothing is called an
# upper bound.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
needs_python h5py
can_sample || skip "the step engine does not work here"

# single steps are preempted on a busy machine before they come to timed loads: with a higher priority, where that is allowed
first=
[ "$(nice -n -10 nice 2>/dev/null)" != -10 ] || first="nice -n -10"

# recorded ENGINE MODE: record a mode of step_timed, print its report in each form, and count the timed loads of the profile
recorded() {
    must $first "$loadstone" record -q -f -o run.h5 --engine "$1" --overhead 50% -- "$top_builddir/tests/step/step_timed" "$2" >out 2>err
    must "$loadstone" report run.h5 >short 2>err
    must "$loadstone" report --how run.h5 >how 2>err
    must "$loadstone" report --json run.h5 >json 2>err
    must "$python" - "$1 $2" <<'P'
import json, re, sys
import h5py
run = h5py.File("run.h5", "r")["samples"]
loads = (run["op"][:] == 0)
timed = int(((run["latency_valid"][:] == 1) & loads).sum())
loads = int(loads.sum())
printed = json.load(open("json"))
short, how = (" ".join(open(name).read().split()) for name in ("short", "how"))
problems = []
if (printed["loads"], printed["loads_timed"]) != (loads, timed):
    problems.append("JSON has %s of %s loads timed" % (printed["loads_timed"], printed["loads"]))
share = " (%.1f %%)" % (100.0 * timed / loads) if loads else "no loads"
if "; %.1f %% of the loads timed; " % (100.0 * timed / loads) not in short:
    problems.append("the report's line of trust: " + short[short.find("trust"):][:150])
number = re.search(r"; ([0-9.]+)([kM]?) loads timed", how)
value = float(number[1]) * {"": 1, "k": 1e3, "M": 1e6}[number[2]] if number else -1
if abs(value - timed) > timed / 100 or share not in how:
    problems.append("report --how: " + how[how.find("engine"):][:150])
if timed < loads / 20 and sys.argv[1].startswith("step"):
    if "stall not estimated: too few loads were timed" not in how or re.search(r"at most [0-9]", how + short):
        problems.append("a stall of few loads: " + how[how.find("stall"):][:150])
    if printed["estimates"]["stall_ns"] is not None or printed["estimates"]["stall_most_ns"] is not None:
        problems.append("JSON has a stall of few loads")
print("%s: %d of %d loads timed" % (sys.argv[1], timed, loads))
for problem in problems:
    print("FAIL: %s: %s" % (sys.argv[1], problem))
open("timed", "w").write("%d\n" % timed)
sys.exit(bool(problems))
P
}

# each load follows an instruction that is stepped in place
recorded step in-place
must test "$(cat timed)" -eq 0
recorded step call
must test "$(cat timed)" -gt 100
recorded translate call
exit $failed
