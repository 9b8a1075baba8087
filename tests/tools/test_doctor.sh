#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
. "${top_srcdir:-.}/tests/tools/check.sh"
"$loadstone" doctor >text 2>err
status=$?
[ $status -le 1 ] || { echo "FAIL: doctor ends with $status"; cat err; failed=1; }
for word in Engines faults watch kernel perf_event_paranoid single-step trigger-perf trigger-timer; do
    must grep -q "$word" text
done
# what it says and how it ends agree
if [ $status -eq 0 ]; then must grep -q "Loads can be sampled here" text; else must grep -q "cannot be sampled" text; fi
"$loadstone" doctor --json >json 2>err
if command -v python3 >/dev/null; then
    must python3 -c 'import json; d = json.load(open("json")); assert d["schema"] == 1 and len(d["tries"]) == 5 and [e["name"] for e in d["engines"]] == ["hw", "step", "faults", "watch"]
for t in d["tries"] + d["engines"]: assert t["works"] or t["detail"], t'
fi
# a PMU that sysfs describes and the kernel does not open is named, with what helps
mkdir -p spe/bus/event_source/devices
while read -r file content; do
    case $file in '' | '#'* | kernel) continue ;; esac
    mkdir -p "spe/bus/event_source/devices/$(dirname "$file")"
    echo "$content" >"spe/bus/event_source/devices/$file"
done <"$top_srcdir/tests/perf/machines/neoverse-n1.sysfs"
LOADSTONE_SYSFS=$scratch/spe "$loadstone" doctor >text 2>err
must grep -q "arm_spe_0" text
expect 1 "which is not there" env LOADSTONE_PRELOAD=/no/such/file "$loadstone" doctor
exit $failed
