#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Many short jobs of ranks, more of them than processors: none hangs or crashes, and every result is valid. JOBS=100 of each kind; make
# check-long runs it.
. "${top_srcdir:-.}/tests/tools/check.sh"
. "$top_srcdir/tests/tools/ranks.inc"
here=$(launchers)
[ -n "$here" ] || skip "no launcher of MPI or OpenSHMEM with its module"
ran=0
for launcher in $here; do
    backend=$(backend_of "$launcher")
    for ranks in 2 4; do
        count=0
        while [ $count -lt "${JOBS:-100}" ] && [ $failed -eq 0 ]; do
            # shellcheck disable=SC2086
            job 0 "validated  all results" "$launcher" $ranks "$loadstone" replay --no-stream $backend -p 0,1,2,3 -l 10007 --strong-scaling -r 3
            # shellcheck disable=SC2086
            job 0 "Solution Validates" "$launcher" $ranks "$loadstone" stream $backend -k all -n 10007 -r 2
            # shellcheck disable=SC2086
            job 0 "Solution Validates" "$launcher" $ranks "$loadstone" stream $backend -k all -n 1009 -r 2 --warmups 1 --indices all
            # shellcheck disable=SC2086
            job 0 "" "$launcher" $ranks "$loadstone" study length -n 4096 -r 2 --warmups 1 $backend --format csv
            rm -rf job.*
            job 0 "" "$launcher" $ranks "$loadstone" record --per-node -o job.h5 -- sh -c 'i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); done'
            must grep -q "loadstone: $ranks ranks, " err
            count=$((count + 1)) ran=$((ran + 5))
        done
        echo "$launcher, $ranks ranks: $count of each"
    done
done
echo "$ran jobs"
exit $failed
