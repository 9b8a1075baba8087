#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# record --series and report --series on a made-up tree of counters, which the recorded program itself changes.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
export LOADSTONE_SYSFS=$scratch/sys
rx=$LOADSTONE_SYSFS/class/net/eth9/statistics/rx_bytes
energy=$LOADSTONE_SYSFS/class/powercap/intel-rapl:0/energy_uj
mkdir -p "$(dirname $rx)" "$(dirname $energy)"
echo 100000 >$rx
echo 100000 >"$(dirname $rx)/tx_bytes"
echo 262143000000 >$energy
echo package-0 >"$(dirname $energy)/name"
echo 262143328850 >"$(dirname $energy)/max_energy_range_uj"
value() { # FILE PHASE SERIES MEMBER
    python3 -c 'import json, sys
r = [r for r in json.load(open(sys.argv[1]))["rows"] if r["phase"] == sys.argv[2] and r["series"] == sys.argv[3]]
print(r[0][sys.argv[4]] if r else "none")' "$@"
}
command -v python3 >/dev/null || skip "no python3"

# amounts are exact, whatever happened between two readings; a known range that ends is no gap. The new values
# are as long as the old ones and written in place: a reading sees the one or the other.
expect 3 "next: loadstone report" "$loadstone" record --engine null --series net,power --series-interval 2ms -o run.h5 -- \
    sh -c 'sleep 0.2; printf "750000\n" 1<>'$rx'; printf "671150      \n" 1<>'$energy'; sleep 0.2; exit 3'
must test "$(grep -c warning err)" = 0
must "$loadstone" report --series --json run.h5 >run.json
must test "$(value run.json '' 'eth9 received' amount)" = 650000
must test "$(value run.json '' 'eth9 sent' amount)" = 0
must test "$(value run.json '' 'package-0' amount)" = 1
must test "$(value run.json '' 'package-0' gap_ns)" = 0
expect 0 "series     3 counters, read every 2 ms by a process beside the program" "$loadstone" report --series run.h5
must grep -qE '^\(whole run\) +[0-9.]+ ms +net eth9 received +650 kB +[0-9.]+ MB/s ' out
must grep -qE ' powercap package-0 +1.00 J +[0-9.]+ W ' out

# every interval as CSV: the amounts add up
must "$loadstone" export --table series -o run.csv run.h5 2>err
must grep -q '^source,series,scope,unit,is_level,begin_ns,end_ns,value,gap$' run.csv
must python3 -c 'import csv
rows = list(csv.DictReader(open("run.csv")))
assert sum(float(r["value"]) for r in rows if r["series"] == "eth9 received") == 650000 and len(rows) > 100, len(rows)
assert all(r["gap"] == "" and int(r["end_ns"]) >= int(r["begin_ns"]) for r in rows)'

must "$loadstone" export -o trace.json run.h5 2>err
must python3 -c 'import json
events = [e for e in json.load(open("trace.json"))["traceEvents"] if e["name"] == "net eth9 received"]
assert len(events) > 50 and max(e["args"]["B/s"] for e in events) > 650000, len(events)'

# a counter that disappears and returns: the gap is marked, the program continues, the remedy is printed
expect 0 "bring the device, the service or the CPU back" "$loadstone" record --engine null --series net -o gap.h5 -- \
    sh -c 'sleep 0.1; : >'$rx'; sleep 0.2; echo 800000 >'$rx'; sleep 0.1; printf "900000\n" 1<>'$rx'; sleep 0.1'
must "$loadstone" report --series --json gap.h5 >gap.json
must test "$(value gap.json '' 'eth9 received' amount)" = 100000
must test "$(value gap.json '' 'eth9 received' gap_ns)" -gt 150000000
must test "$(value gap.json '' 'eth9 sent' gap_ns)" = 0
expect 0 "gaps       1, " "$loadstone" report --series gap.h5
must "$loadstone" export --table series -o gap.csv gap.h5 2>err
must grep -q '^net,eth9 received,eth9,B,0,[0-9]*,[0-9]*,,gone$' gap.csv

# phases of a program
must "$loadstone" record -q --engine null --series net -o phases.h5 -- "$top_builddir/tests/cases/proc_victim" grow
must "$loadstone" report --series --json phases.h5 >phases.json
must test "$(value phases.json grow 'eth9 received' amount)" = 0
must test "$(value phases.json grow 'eth9 received' phase_ns)" -gt 0

# a picture: a panel for each quantity, phases above them; the line is highest where the counter grew
picture() { # FILE: prints width and height; with CSV: checks where the line of the first panel is highest
    python3 - "$@" <<'P'
import csv, struct, sys, zlib
data, packed, at = open(sys.argv[1], "rb").read(), b"", 8
width, height = struct.unpack(">II", data[16:24])
if len(sys.argv) < 3:
    print(width, height)
    sys.exit()
while at < len(data):
    length, kind = struct.unpack(">I4s", data[at:at + 8])
    packed += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
    at += 12 + length
raw, stride, rows = zlib.decompress(packed), 3 * width, [bytearray(3 * width)]
for y in range(height): # PNG 1.2, section 6: filters of rows
    kind, row, up = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)]), rows[-1]
    for i in range(stride):
        a, b, c = row[i - 3] if i > 2 else 0, up[i], up[i - 3] if i > 2 else 0
        p = a + b - c
        paeth = a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c
        row[i] = row[i] + (0, a, b, (a + b) // 2, paeth)[kind] & 255
    rows.append(row)
r = [r for r in csv.DictReader(open(sys.argv[2])) if r["series"] == "eth9 received"]
end = max(int(x["end_ns"]) for x in r)
most = max(r, key=lambda x: float(x["value"] or 0))
left, right, blue = 2 * (22 + 84), width - 2 * (22 + 20), bytes((0, 114, 178))
for row in rows[1 + 2 * (62 + 24):]: # below the legend
    xs = [x for x in range(left, right) if row[3 * x:3 * x + 3] == blue]
    if xs:
        break
at = (sum(xs) / len(xs) - left) / (right - left) * end
# the axis ends with the run, shortly after the last reading
assert int(most["begin_ns"]) - 0.05 * end <= at <= int(most["end_ns"]) + 0.05 * end, (at, most)
print(width, height)
P
}
if "$loadstone" export --table series -o series.png run.h5 2>err; then
    must test "$(picture series.png run.csv)" = "1920 $((2 * (62 + 2 * 158 + 46)))"
    must "$loadstone" export --table series -o phases.png phases.h5 2>err
    must test "$(picture phases.png)" = "1920 $((2 * (62 + 2 * 18 + 158 + 46)))"
    expect 2 "a picture is of fields or series" "$loadstone" export --table nodes -o nodes.png run.h5
    expect 2 "has no series: record with --series" "$loadstone" export --table series -o none.png $(must "$loadstone" record -q --engine null -o bare.h5 true >&2; echo bare.h5)
    must test ! -e none.png
else
    grep -q 'without cairo' err || { cat err; failed=1; }
fi

# unknown names: an error before the program starts
for names in trafic net, net:eth0 pcp; do
    expect 125 "loadstone: --series: " "$loadstone" record -o bad.h5 --series $names -- touch started
done
expect 125 "give 1ms to 100ms" "$loadstone" record -o bad.h5 --series net --series-interval 200ms -- touch started
must test ! -e started -a ! -e bad.h5
expect 2 "has no series: record with --series" "$loadstone" report --series $(must "$loadstone" record -q --engine null -o none.h5 true >&2; echo none.h5)

# a missing source: a warning, and the run continues; a group warns only if none of its sources is available
expect 0 "warning: series perf: no counters of memory controllers" "$loadstone" record --engine null --series traffic,net -o some.h5 -- touch started
must test -e started
must test "$(grep -c 'series infiniband' err)" = 0
expect 0 "warning: series infiniband" "$loadstone" record --engine null --series infiniband -o none.h5 -f -- true

# a counter that does not count known traffic is not used; the result of the comparison is kept until the next boot, and doctor
# prints it
export XDG_CACHE_HOME=$scratch/cache
mkdir -p $LOADSTONE_SYSFS/fs/resctrl/mon_data/mon_L3_00
echo 4096 >$LOADSTONE_SYSFS/fs/resctrl/mon_data/mon_L3_00/mbm_total_bytes
lies="series resctrl: counts 0.00 of known traffic: not used"
"$loadstone" doctor >text 2>err
must grep -q "^  yes  resctrl " text
expect 0 "$lies" "$loadstone" record --engine null --series resctrl -o lies.h5 -- true
must test "$(ls cache/loadstone | grep -c '^counters-.*-resctrl$')" = 1
expect 2 "has no series" "$loadstone" report --series lies.h5
expect 0 "$lies" "$loadstone" record -f --engine null --series resctrl -o lies.h5 -- true
"$loadstone" doctor >text 2>err
must grep -q "^  no   resctrl " text
must grep -q "; counts 0.00 of known traffic" text
sed -i '4s/.*/-1 -1 1021 50000000000 end/' cache/loadstone/counters-*-resctrl
expect 0 "next: " "$loadstone" record -f --engine null --series traffic -o good.h5 -- \
    sh -c 'sleep 0.1; printf "9096\n" 1<>'$LOADSTONE_SYSFS/fs/resctrl/mon_data/mon_L3_00/mbm_total_bytes'; sleep 0.1'
must test "$(grep -c warning err)" = 0
expect 0 "resctrl    counts 1.02 of known traffic" "$loadstone" report --series good.h5
must grep -qE ' resctrl memory, all +5.00 kB ' out

# one reader for the ranks of a machine
rank() { env OMPI_COMM_WORLD_RANK=$1 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=$1 "$loadstone" record -q --engine null --series net -o rank.h5 true; }
must rank 0
must rank 1
expect 0 "eth9 received" "$loadstone" report --series rank.0.h5
expect 2 "has no series" "$loadstone" report --series rank.1.h5

# if the launcher does not number the ranks of a machine: the first one that asks
env PMI_RANK=0 PMI_SIZE=2 "$loadstone" record -q --engine null --series net -o turn.h5 -- sh -c 'touch first; i=0; while [ ! -e second ] && [ $i -lt 1200 ]; do sleep 0.05; i=$((i + 1)); done' &
turn=$!
i=0
while [ ! -e first ] && [ $i -lt 1200 ]; do sleep 0.05; i=$((i + 1)); done
must env PMI_RANK=1 PMI_SIZE=2 "$loadstone" record -q --engine null --series net -o turn.h5 true
touch second
wait $turn
expect 0 "eth9 received" "$loadstone" report --series turn.0.h5
expect 2 "has no series" "$loadstone" report --series turn.1.h5

# the program is not affected: its environment, open files and children are the same
for series in "" "--series net,pcp:kernel.all.load"; do
    "$loadstone" record -q --engine null $series -o same.h5 -f -- sh -c 'env | sed "s/LOADSTONE_START=.*//; s/LOADSTONE_SPOOL=.*//" | sort; ls /proc/self/fd; wc -w </proc/$$/task/$$/children' >"seen$(echo "$series" | wc -c)" 2>/dev/null
done
must diff seen*

# the launcher is killed: the reader ends, and the spool has the series
"$loadstone" record -q --engine null --spool kept --series net -o kept.h5 -- sh -c 'touch running; sleep 60' &
launcher=$!
i=0
while [ ! -e running ] && [ $i -lt 1200 ]; do sleep 0.05; i=$((i + 1)); done
sleep 0.5
reader=$(cat /proc/$launcher/task/$launcher/children | tr ' ' '\n' | while read -r p; do grep -l series-reader /proc/$p/comm 2>/dev/null; done | cut -d/ -f3)
must test -n "$reader"
program=$(cat /proc/$launcher/task/$launcher/children | tr ' ' '\n' | grep -v "^$reader\$" | head -1)
kill -KILL $launcher
wait $launcher 2>/dev/null
i=0
while [ -e /proc/$reader ] && ! grep -q '^State:.Z' /proc/$reader/status 2>/dev/null && [ $i -lt 1200 ]; do sleep 0.05; i=$((i + 1)); done
must test $i -lt 1200
kill -KILL $program
must "$loadstone" resolve -q -o kept.h5 kept/*
expect 0 "eth9 received" "$loadstone" report --series kept.h5
exit $failed
