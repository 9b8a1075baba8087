#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Fuzz targets are fast enough to test anything: inputs a second of CPU time, without sanitizers.
. "${top_srcdir:-.}/tests/tools/check.sh"

# rate TARGET CORPUS BYTES GOAL: an input of BYTES bytes is replayed cut and with flipped bits (fuzz_replay.c)
rate() {
    : >input
    while [ "$(wc -c <input)" -lt "$3" ]; do cat "$top_srcdir/tests/fuzz/corpus-$2"/* >>input; done
    truncate -s "$3" input
    step=$((1 + $3 / 500))
    inputs=$((1 + 9 * (($3 + step - 1) / step)))
    limit_s=$((inputs / $4 + 1))
    if { (ulimit -t $limit_s; exec "$top_builddir/tests/fuzz/$1" input >out 2>err); } 2>killed; then
        echo "$1: $inputs inputs in less than $limit_s s"
    else
        echo "FAIL: $1: $inputs inputs take more than $limit_s s, or it failed: $(tail -1 err)"
        failed=1
    fi
}
rate fuzz_run_h5 run-h5 256 1000
rate fuzz_resolve spool 3000 1000
rate fuzz_spool_reader spool 3000 5000
rate fuzz_compact compact 2000 5000
exit $failed
