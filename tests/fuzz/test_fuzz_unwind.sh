#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The corpus of the unwinder, whole, cut and flipped.
exec "$top_builddir/tests/fuzz/fuzz_unwind" "$top_srcdir"/tests/fuzz/corpus-unwind/*
