#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every configuration of Spatter's standard suite gives the right result on a device, with few iterations.
. "${top_srcdir:-.}/tests/tools/check.sh"
. "$top_srcdir/tests/tools/gpu.inc"
needs_json
needs_pocl
configs=0
for file in "$top_srcdir"/tests/data/spatter-suite/*.json; do
    if ! "$loadstone" replay -b opencl --no-stream --quiet --max-count 20 --max-runs 1 --warmups 1 --method scalar -z 64 --csv "$file" >out.csv 2>err ||
        [ -s err ]; then
        echo "FAIL: $file"
        cat err
        failed=1
        continue
    fi
    wrong=$(grep -vc ',yes,' out.csv)
    [ "$wrong" -eq 1 ] || { echo "FAIL: $file: $((wrong - 1)) results are wrong"; grep -v ',yes,' out.csv; failed=1; }
    configs=$((configs + $(wc -l <out.csv) - 1))
done
echo "$configs configurations ran"
[ $configs -ge 55 ] || { echo "FAIL: too few"; failed=1; }
exit $failed
