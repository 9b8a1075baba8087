#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# All bursts of a program that is bound to a processor have the number of this processor.
set -u
loadstone=$(realpath "${top_builddir:-.}/tools/loadstone")
. "$top_srcdir/tests/needs.inc"
needs_step
command -v taskset >/dev/null || skip "no taskset"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
for cpu in $(taskset -cp $$ | sed 's/.*: //; s/[,-]/ /g'); do
    for engine in step translate; do
        taskset -c "$cpu" "$loadstone" record -q -f --engine $engine --overhead 30% -o "$work/run.h5" -- \
            sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done' 2>"$work/err" || { cat "$work/err"; failed=1; }
        "$loadstone" report --by cpu --csv "$work/run.h5" >"$work/rows" 2>"$work/err" || { cat "$work/err"; failed=1; }
        tail -n +2 "$work/rows" | cut -d, -f1 >"$work/cpus"
        [ "$(cat "$work/cpus")" = "CPU $cpu" ] || { echo "FAILED: engine $engine, processor $cpu:"; cat "$work/rows"; failed=1; }
    done
done
exit $failed
