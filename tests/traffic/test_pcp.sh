#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Metrics of a real pmcd as time series; pmcd ends and is restarted while the program runs.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
command -v python3 >/dev/null || skip "no python3"
. "$top_srcdir/tests/traffic/pmcd.inc"
value() { # FILE SERIES MEMBER
    python3 -c 'import json, sys
r = [r for r in json.load(open(sys.argv[1]))["rows"] if r["phase"] == "" and r["series"] == sys.argv[2]]
print(int(r[0][sys.argv[3]]) if r else "none")' "$@"
}
start_pmcd
trap 'stop_pmcd; rm -rf "$scratch"' EXIT
"$loadstone" doctor >text 2>err
must grep -q "^  yes  pcp " text

# a counter, one with instances, and levels
expect 0 "" "$loadstone" record --engine null -o run.h5 --series pcp:kernel.all.pswitch,pcp:network.interface.in.bytes,pcp:kernel.all.load -- \
    sh -c 'i=0; while [ $i -lt 40 ]; do sleep 0.01; i=$((i + 1)); done'
must test "$(grep -c warning err)" = 0
must "$loadstone" report --series --json run.h5 >run.json
must test "$(value run.json kernel.all.pswitch amount)" -ge 40 # context switches of the machine: each sleep of the program causes at least one
must test "$(value run.json kernel.all.pswitch gap_ns)" = 0
must test "$(value run.json 'network.interface.in.bytes[lo]' amount)" -ge 0
expect 0 "pcp kernel.all.load[15 minute]" "$loadstone" report --series run.h5

# unknown metrics, and metrics that are texts: an error before the program starts
expect 125 "PCP has no metric 'kernel.all.lode'" "$loadstone" record -o bad.h5 --series pcp:kernel.all.lode -- touch started
expect 125 "the metric kernel.uname.release is not a number" "$loadstone" record -o bad.h5 --series pcp:kernel.uname.release -- touch started
must test ! -e started

# pmcd ends during the run: a gap, the remedy, and the program's status
cat >ends.sh <<'T'
sleep 0.3
kill $1
sleep 0.5
exit 4
T
expect 4 "bring the device, the service or the CPU back" "$loadstone" record --engine null -o ends.h5 --series pcp:kernel.all.pswitch -- sh ends.sh $pmcd_pid
wait $pmcd_pid 2>/dev/null
must "$loadstone" report --series --json ends.h5 >ends.json
must test "$(value ends.json kernel.all.pswitch gap_ns)" -gt 300000000
must test "$(value ends.json kernel.all.pswitch known_ns)" -gt 100000000

# it is restarted a moment later: the series continues
start_pmcd
cat >back.sh <<'T'
sleep 0.3
kill $1
while kill -0 $1 2>/dev/null && ! grep -q '^State:.Z' /proc/$1/status 2>/dev/null; do sleep 0.01; done
: >gone
i=0
while [ ! -e back ] && [ $i -lt 600 ]; do sleep 0.05; i=$((i + 1)); done
sleep 2.5
T
"$loadstone" record -q --engine null -o back.h5 --series pcp:kernel.all.pswitch -- sh back.sh $pmcd_pid &
launcher=$!
i=0
while [ ! -e gone ] && [ $i -lt 600 ]; do sleep 0.05; i=$((i + 1)); done
start_pmcd
: >back
wait $launcher
must "$loadstone" report --series --json back.h5 >back.json
must test "$(value back.json kernel.all.pswitch gap_ns)" -gt 0
must test "$(value back.json kernel.all.pswitch known_ns)" -gt 1000000000
stop_pmcd

# without a pmcd: a warning, and the run continues
expect 0 "warning: series pcp: pmcd of local: does not answer" "$loadstone" record --engine null -o none.h5 --series pcp:kernel.all.load -- true
exit $failed
