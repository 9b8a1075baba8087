#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The corpus of the pattern reader, whole, cut and flipped.
exec "$top_builddir/tests/fuzz/fuzz_pattern_file" "$top_srcdir"/tests/fuzz/corpus-patterns/*
