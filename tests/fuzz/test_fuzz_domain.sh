#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The corpus of natural domains, whole, cut and flipped.
exec "$top_builddir/tests/fuzz/fuzz_domain" "$top_srcdir"/tests/fuzz/corpus-domain/*
