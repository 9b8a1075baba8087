#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# loadstone study: each study's curves have the expected points; formats, refusals. One thread is used, because the machine may be
# busy.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_json
quick="-t 1 -r 2 --warmups 2" small="-t 1 -r 2 --warmups 2 --span 256K"

# points SERIES X...: the study in study.csv has these points of the series and no others
points() {
    series=$1
    shift
    have=$(awk -F, -v s="$series" '$2 == s { printf "%s%s", n++ ? " " : "", $3 }' study.csv)
    [ "$have" = "$*" ] || { echo "FAIL: series $series has points '$have', wanted '$*'"; failed=1; }
}

must "$loadstone" study stride $small --format csv >study.csv
points gather 1 2 4 8 16 32 64 128
points scatter 1 2 4 8 16 32 64 128

must "$loadstone" study simd $small --format csv >study.csv
points "gather scalar" 1 2 4 8 16 32 64 128
points "scatter auto" 1 2 4 8 16 32 64 128

# registers are files of the test, which are restored at the end; without them the reason is named
for cpu in $(seq 0 $(($(getconf _NPROCESSORS_CONF) - 1))); do
    mkdir -p msr/$cpu
    head -c 1024 /dev/zero >msr/$cpu/msr
done
must env LOADSTONE_MSR=$PWD/msr "$loadstone" study prefetch $small --format csv >study.csv
points gather 1 2 4 8 16 32 64 128
points "scatter without prefetch" 1 2 4 8 16 32 64 128
must test -z "$(cat msr/*/msr | tr -d '\0')"
expect 1 "load the kernel's module msr" env LOADSTONE_MSR=$PWD/none "$loadstone" study prefetch $small

must "$loadstone" study size $quick --size 4096 --format csv >study.csv
points triad 4096 2048 1024
points chase 4096 2048 1024

must "$loadstone" study threads $small --size 4096 --format csv >study.csv
points triad 1
points scatter 1

# The study's own pattern has the requested length and extent.
must "$loadstone" study length -t 1 -r 2 --warmups 2 --size 256 --format csv >study.csv
points gather 256 128 64 32 16 8
must "$loadstone" study length -t 1 -r 2 --warmups 2 --size 4096 --span 512 --format csv >study.csv
points scatter 64 32 16 8

# A pattern of 16 indices, four times as long to half as long; every point moves as many elements.
cat >long.json <<'J'
[{"name": "long", "kernel": "scatter", "pattern": [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45], "delta": 48, "count": 400}]
J
must "$loadstone" study length $quick --format csv long.json >study.csv
points "0 long" 64 32 16 8
must test "$(grep -c ',51200,' study.csv)" -eq 4
sed 's/"long"/"=\\"long\\", =1"/' long.json >quoted.json
must "$loadstone" study length $quick --format csv quoted.json >study.csv
must grep -q '^length,"0 =""long"", =1",64,' study.csv

# The own pattern is truncated to 1 MiB and expanded up to the requested size; the plateau, or the reason why there is none, is
# printed.
must "$loadstone" study throughput -t 1 -r 2 --warmups 1 --size 2097152 --format csv >study.csv
points gather 1024 2048 4096 8192 16384
points scatter 1024 2048 4096 8192 16384
must "$loadstone" study throughput -t 1 -r 2 --warmups 1 --size 524288 long.json >study.txt
must grep -qE '^0 long +1024 ' study.txt
must grep -q '^plateau: 0 long: none' study.txt

if command -v jq >/dev/null; then
    must "$loadstone" study threads $quick --size 4096 --format json long.json >study.json
    must test "$(jq -r '.study, .axis, (.points | length), ([.points[].results[0].valid] | all)' study.json | tr '\n' ' ')" = "threads threads 2 true "
    must test "$(jq -r '.machine.topology' study.json)" != ""
fi
expect 0 "of scalar" "$loadstone" study simd $small
expect 0 "needs three numbers of threads" "$loadstone" study threads $small --size 4096
expect 0 "RaiderSTREAM, figures 5 and 6" "$loadstone" study --list

# an option without an effect, and a value that would be changed
cp long.json l.json
expect 2 "--size has no effect in study length with pattern files" "$loadstone" study length -n 64 l.json
expect 2 "--span has no effect in study length with pattern files" "$loadstone" study length --span 1K l.json
expect 2 "--max-count has no effect in study length without pattern files" "$loadstone" study length --max-count 64
expect 2 "--max-count has no effect in study throughput" "$loadstone" study throughput --max-count 64 l.json
expect 2 "--size has no effect in study stride" "$loadstone" study stride -n 4096
expect 2 "--max-count has no effect in study weak without pattern files" "$loadstone" study weak --max-count 64
expect 2 "--size: 7 is too little for study length; give 32 or more" "$loadstone" study length -n 7
expect 2 "--span: 3 is too little for study length; give 256 or more" "$loadstone" study length --span 3
expect 2 "give 128 or more" "$loadstone" study length --span 3 --type float
expect 2 "--size: 1023 is too little for study size; give 1024 or more" "$loadstone" study size -n 1023
expect 2 "give 8192 or more" "$loadstone" study stride --span 8191
expect 0 "the longest pattern has 40 indices instead of 43: a multiple of 4" "$loadstone" study length -t 1 -r 2 --warmups 2 -n 43
expect 1 "the longest pattern needs 931322.57 GiB" "$loadstone" study length -n 99999999999999

expect 2 "no study 'speed'" "$loadstone" study speed
expect 2 "STUDY is missing" "$loadstone" study
expect 2 "takes no file" "$loadstone" study stride long.json
expect 2 "give 1 or more" "$loadstone" study stride -r 0
expect 0 "100000 threads asked for, " "$loadstone" study length -n 64 -r 1 --warmups 1 -t 100000
expect 0 "4096 threads asked for by OMP_NUM_THREADS, " env OMP_NUM_THREADS=4096 "$loadstone" study length -n 64 -r 1 --warmups 1
expect 3 "nowhere.json" "$loadstone" study length nowhere.json
printf '[{"kernel": "gs", "pattern-gather": [0], "pattern-scatter": [0]}]' >gs.json
expect 1 "varies gathers and scatters" "$loadstone" study length gs.json
# memory that is refused ends the sweep, not the study
expect 0 "gather ends here: out of memory" sh -c 'ulimit -v 900000; exec "$0" study throughput -t 1 -r 1 --warmups 1 --size 134217728 --format csv' "$loadstone"
must grep -q '^throughput,scatter,' out
expect 1 "varies gathers and scatters" "$loadstone" study throughput gs.json
exit $failed
