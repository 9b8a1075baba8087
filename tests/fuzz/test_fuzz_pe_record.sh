#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The corpus, whole, cut and flipped.
exec "$top_builddir/tests/fuzz/fuzz_pe_record" "$top_srcdir"/tests/fuzz/corpus-pe-record/*
