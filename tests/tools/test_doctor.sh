#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
. "${top_srcdir:-.}/tests/tools/check.sh"
"$loadstone" doctor >text 2>err
status=$?
[ $status -le 1 ] || { echo "FAIL: doctor ends with $status"; cat err; failed=1; }
for word in Engines faults watch kernel perf_event_paranoid single-step trigger-perf trigger-timer; do
    must grep -q "$word" text
done
# output and status agree
if [ $status -eq 0 ]; then must grep -q "Loads can be sampled here" text; else must grep -q "cannot be sampled" text; fi
"$loadstone" doctor --json >json 2>err
if command -v python3 >/dev/null; then
    must python3 -c 'import json; d = json.load(open("json")); assert d["schema"] == 1 and len(d["tries"]) == 5 and [e["name"] for e in d["engines"]] == ["hw", "translate", "step", "faults", "watch"]
assert [s["name"] for s in d["series"]] == ["perf", "resctrl", "net", "infiniband", "powercap", "nvml", "pcp"]
for t in d["tries"] + d["engines"] + d["series"]: assert t["works"] or t["detail"], t'
fi
# files that killed launchers left are listed with a remedy; no process has such a number
gone=2000000000
for spool in loadstone-spool-$gone-ab loadstone-spool-${gone}1-ab loadstone-spool-$$-ab loadstone-spool-x$gone-ab; do
    mkdir -p $spool
    head -c 2048 /dev/zero >$spool/p1.0.t1.0
done
rm -r loadstone-spool-${gone}1-ab
mkdir loadstone-spool-2000000001-ab
touch loadstone-spool-2000000001-ab/p1.0.t0.0
printf 'command=./solver 3\n' >loadstone-spool-$gone-ab/spool.conf
"$loadstone" doctor >text 2>err
must grep -q "Left by launchers that were killed:" text
must grep -qF "$PWD/loadstone-spool-$gone-ab (2.02 KiB, of ./solver 3)" text
must grep -qF "loadstone resolve -o FILE.h5 $PWD/loadstone-spool-$gone-ab" text
must grep -qF "to remove it: rm -r $PWD/loadstone-spool-$gone-ab" text
must grep -qF "to remove it (of a trace, and of no more use): rm -r $PWD/loadstone-spool-2000000001-ab" text
must test "$(grep -c "^  $PWD/loadstone-spool-" text)" = 2
"$loadstone" doctor --json >json 2>err
if command -v python3 >/dev/null; then
    must python3 -c 'import json; import os; l = [s for s in json.load(open("json"))["left_spools"] if s["path"].startswith(os.getcwd())]; assert [(s["bytes"], s["command"], s["is_recording"]) for s in l] == [(2067, "./solver 3", True), (0, "", False)], l'
fi
rm -r loadstone-spool-*
"$loadstone" doctor >text 2>err
! grep -q "$PWD/loadstone-spool-" text || { echo "FAIL: nothing was left"; failed=1; }
# a PMU that sysfs describes and the kernel does not open is named, with a remedy
mkdir -p spe/bus/event_source/devices
while read -r file content; do
    case $file in '' | '#'* | kernel) continue ;; esac
    mkdir -p "spe/bus/event_source/devices/$(dirname "$file")"
    echo "$content" >"spe/bus/event_source/devices/$file"
done <"$top_srcdir/tests/perf/machines/neoverse-n1.sysfs"
LOADSTONE_SYSFS=$scratch/spe "$loadstone" doctor >text 2>err
must grep -q "arm_spe_0" text
# each source of series is listed with its findings or its needs
mkdir -p sys/class/net/eth7/statistics sys/class/powercap/intel-rapl:0
echo 5 >sys/class/net/eth7/statistics/rx_bytes
echo 5 >sys/class/net/eth7/statistics/tx_bytes
echo 5 >sys/class/powercap/intel-rapl:0/energy_uj
LOADSTONE_SYSFS=$scratch/sys "$loadstone" doctor >text 2>err
must grep -q "^  yes  net  *bytes received and sent" text
must grep -q "^  yes  powercap " text
must grep -q "^  no   resctrl " text
must grep -q "needs: resctrl mounted, root" text
must grep -q "^  no   perf  *bytes that the memory controllers" text
expect 1 "which is not there" env LOADSTONE_PRELOAD=/no/such/file "$loadstone" doctor
exit $failed
