#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The corpus of perf.data files, whole, cut and flipped.
exec "$top_builddir/tests/fuzz/fuzz_perf_data" "$top_srcdir"/tests/data/perf/*.data
