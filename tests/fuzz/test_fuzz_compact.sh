#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The corpus of compaction, whole, cut and flipped.
exec "$top_builddir/tests/fuzz/fuzz_compact" "$top_srcdir"/tests/fuzz/corpus-compact/*
