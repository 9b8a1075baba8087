#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The corpus of lines of perf script, whole, cut and flipped.
exec "$top_builddir/tests/fuzz/fuzz_perf_script" "$top_srcdir"/tests/fuzz/corpus-perf-script/*
