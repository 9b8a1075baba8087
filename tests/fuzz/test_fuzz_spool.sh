#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The corpus of the spool reader, whole, cut and flipped.
exec "$top_builddir/tests/fuzz/fuzz_spool_reader" "$top_srcdir"/tests/fuzz/corpus-spool/*
