#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The corpus of events that users write, whole, cut and flipped.
exec "$top_builddir/tests/fuzz/fuzz_pe_event" "$top_srcdir"/tests/fuzz/corpus-event/*
