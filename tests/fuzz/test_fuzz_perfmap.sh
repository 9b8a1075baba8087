#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The corpus of the maps of generated code, whole, cut and flipped.
exec "$top_builddir/tests/fuzz/fuzz_perfmap" "$top_srcdir"/tests/fuzz/corpus-perfmap/*
