#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# loadstone stream: STREAM's table, other formats, refusals.
. "${top_srcdir:-.}/tests/tools/check.sh"
small="-n 20000 -r 3 --warmups 3"

# The table of STREAM 5.10, line by line; figures are whatever this machine gives.
must "$loadstone" stream $small >table 2>messages
must grep -q "run rule" messages
sed -n '/^Function/,/^---/p' table | sed -E 's/ *[0-9]+\.[0-9]+ +[0-9]+\.[0-9]{6} +[0-9]+\.[0-9]{6} +[0-9]+\.[0-9]{6}$/ RATE AVG MIN MAX/' >shape
golden stream-table.txt shape
must grep -q "^Solution Validates" table
must grep -q "Array size = 20000 (elements)" table
must grep -q "^Triad: .* stores" table

# Every kernel once, and both ways of counting.
must "$loadstone" stream $small -k all --format csv >all.csv 2>/dev/null
must test "$(wc -l <all.csv)" -eq 30
must grep -q '^gather-triad,.*,480000,800000,' all.csv
must "$loadstone" stream $small -k copy,chase --format json --index-bits 32 --type float >two.json 2>/dev/null
if command -v jq >/dev/null; then
    must test "$(jq -r '.results[0].kernel, .results[1].kernel, .keeps_run_rule, .results[0].element_bytes' two.json | tr '\n' ' ')" = "copy chase false 4 "
    must test "$(jq '[.results[] | .valid and (.run_s | length == 3) and .mb_per_s > 0] | all' two.json)" = true
fi
expect 0 "scalar" "$loadstone" stream $small -k sg -b scalar
expect 0 "SG Triad:" "$loadstone" stream $small -k sg-triad --bytes code
expect 0 "c[j] = a[I1[j]] + b[I2[j]]" "$loadstone" stream --list

expect 2 "no kernel or group 'quad'" "$loadstone" stream -k copy,quad
expect 2 "no kernel or group 'gs'" "$loadstone" stream -k gs
expect 2 "give 1 or more" "$loadstone" stream -n 0
expect 2 "is no method" "$loadstone" stream -m fast
expect 0 "100000 threads asked for, " "$loadstone" stream $small -k copy -t 100000
expect 0 "4096 threads asked for by OMP_NUM_THREADS, " env OMP_NUM_THREADS=4096 "$loadstone" stream $small -k copy
expect 1 "there are" "$loadstone" stream -b abacus
expect 1 "GiB are available" "$loadstone" stream -n 1000000000000
expect 1 "are allowed" "$loadstone" stream --memory 1M
expect 1 "do not fit 32-bit indices" "$loadstone" stream -n 3000000000 --index-bits 32
expect 1 "has no loop" "$loadstone" stream --stores atomic
exit $failed
