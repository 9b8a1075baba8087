#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Rings, AUX areas and decoders: 20 million bytes; make check-long reads two billion.
for seed in 1 2 3; do
    "$top_builddir/tests/perf/soak_ring" 2e7 $seed || { echo "FAIL: seed $seed"; exit 1; }
done
