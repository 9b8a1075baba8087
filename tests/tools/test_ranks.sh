#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks of MPI and OpenSHMEM: replay, stream and study run together, and rank 0 prints the sums.
. "${top_srcdir:-.}/tests/tools/check.sh"
. "$top_srcdir/tests/tools/ranks.inc"
here=$(launchers)
[ -n "$here" ] || skip "no launcher of MPI or OpenSHMEM with its module"
pattern="-p 0,1,2,3 -l 1001 -r 3 --warmups 1 --no-stream"

# the programs themselves link none of the libraries
must test -z "$(ldd "$top_builddir/tools/loadstone" "$top_builddir/tools/full/loadstone" | grep -iE 'libmpi|libmpich|liboshmem')"

for launcher in $here; do
    backend=$(backend_of "$launcher")
    # weak scaling: each rank moves 4 * 1001 * 8 bytes
    # shellcheck disable=SC2086
    job 0 "" "$launcher" 2 "$loadstone" replay $pattern $backend --format spatter -v 0
    must test "$(wc -l <out)" -eq 2
    must grep -qE '^config +average bytes per rank +total bytes +average time per rank\(s\) +average bw per rank\(MB/s\) +total bw\(MB/s\) *$' out
    must grep -qE '^0 {14}32032 {25}64064 {25}[0-9.e-]+ +[0-9.e+]+ +[0-9.e+]+ *$' out

    # strong scaling: 1001 iterations of four ranks are 250 and 251, and none is lost
    # shellcheck disable=SC2086
    job 0 "" "$launcher" 4 "$loadstone" replay $pattern $backend --strong-scaling --json
    if command -v jq >/dev/null; then
        must test "$(jq -c '.results[0] | [.bytes, .valid, .by_rank.count, .by_rank.nodes]' out)" = "[32032,true,4,1]"
        must test "$(jq -c '[.results[0].by_rank.rows[] | .bytes / 32] | [add, min, max]' out)" = "[1001,250,251]"
        must test "$(jq -c '[.results[0].by_rank.rows[] | .valid and .seconds_min > 0 and .mb_per_s > 0] | all' out)" = true
        must test "$(jq '.results[0].configuration.count' out)" = 1001
    fi
done

# as in Spatter 1, each rank has a part of the indices
set -- $here
first=$1 backend=$(backend_of "$1")
# shellcheck disable=SC2086
job 0 "" "$first" 3 "$loadstone" replay -p 0,1,2,3,4,5,6 -l 100 -r 2 --no-stream $backend --strong-scaling=pattern --json
if command -v jq >/dev/null; then
    must test "$(jq -c '[.results[0].by_rank.rows[].bytes / 800]' out)" = "[2,2,3]"
fi

# every kernel of stream, each validated on all ranks, with a number of elements that the ranks cannot split evenly
for launcher in $here; do
    # shellcheck disable=SC2046
    job 0 "" "$launcher" 2 "$loadstone" stream -k all -n 10001 -r 2 --warmups 1 --format csv $(backend_of "$launcher")
    must test "$(wc -l <out)" -eq 30
    must grep -qE '^triad,.*,2,1,[0-9]+,[a-z]+,240024,' out
done
# indices that reach the elements of all ranks, with communication in the kernels, and a chase over all of them
for launcher in $here; do
    # shellcheck disable=SC2046
    job 0 "" "$launcher" 3 "$loadstone" stream -k all --indices all -n 301 -r 2 --warmups 1 --format csv $(backend_of "$launcher")
    must test "$(wc -l <out)" -eq 30
    must test "$(grep -cE '"one-sided, [0-9]+ % of the accesses to other ranks"' out)" -eq 25
    # two of three elements are in other ranks, also with a stride
    must test "$(grep -cE '^(sg|stride|central)-.*"one-sided, 6[67] % ' out)" -eq 12
    must grep -qE '^gather-triad,.*,3,1,1,[a-z]+,7224,' out
done
for launcher in $here; do
    # shellcheck disable=SC2046
    job 0 "one-sided, 0 % of the accesses" "$launcher" 1 "$loadstone" stream -k gather-copy,chase --indices all -n 301 -r 2 --warmups 1 --format csv $(backend_of "$launcher")
done
expect 1 "under a launcher only" "$loadstone" stream -n 1000 --indices all

# shellcheck disable=SC2086
job 0 "Solution Validates" "$first" 2 "$loadstone" stream -n 10001 -r 2 $backend
must grep -qE '^ranks +2 on 1 node by ' out
must grep -q '2 ranks: each ' out

# Each rank of a node has separate processors, where there are enough of them.
processors=$(nproc)
if [ "$processors" -ge 2 ]; then
    # shellcheck disable=SC2086
    job 0 "" "$first" 2 "$loadstone" stream -n 10001 -r 2 $backend -k copy --format json
    if command -v jq >/dev/null; then
        must test "$(jq -r '[.results[0].by_rank.rows[].processors] | (.[0] != .[1]) and (index("") == null)' out)" = true
        must test "$(jq '.results[0].by_rank.rows[0].threads' out)" -eq $((processors / 2))
    fi
fi

# shellcheck disable=SC2086
job 0 "" "$first" 2 "$loadstone" study length -n 4096 -r 2 --warmups 1 $backend --format csv
must grep -qE '^[^,]*,.*,2,1,' out
exit $failed
