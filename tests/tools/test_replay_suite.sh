#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every configuration of Spatter's standard suite runs, with few iterations, on each backend, and gives the right result.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_json
# spinning threads would wait for each other on a loaded machine
export OMP_WAIT_POLICY=passive
configs=0
for file in "$top_srcdir"/tests/data/spatter-suite/*.json; do
    for backend in openmp serial scalar; do
        "$loadstone" replay --list | grep -q "^  $backend .*not built" && continue
        if ! "$loadstone" replay --no-stream --quiet -b $backend --max-count 100 --max-runs 1 --warmups 1 --csv "$file" >out.csv 2>err; then
            echo "FAIL: $backend $file"
            cat err
            failed=1
            continue
        fi
        [ -s err ] && { echo "FAIL: $backend $file says"; cat err; failed=1; }
        wrong=$(grep -vc ',yes,' out.csv)
        [ "$wrong" -eq 1 ] || { echo "FAIL: $backend $file: $((wrong - 1)) results are wrong"; grep -v ',yes,' out.csv; failed=1; }
        configs=$((configs + $(wc -l <out.csv) - 1))
    done
done
echo "$configs configurations ran"
[ $configs -ge 114 ] || { echo "FAIL: too few"; failed=1; }
exit $failed
