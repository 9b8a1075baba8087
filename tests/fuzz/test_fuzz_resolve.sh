#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Most of the corpus of the spool reader, whole, cut and flipped, through resolve.
corpus=$top_srcdir/tests/fuzz/corpus-spool
exec "$top_builddir/tests/fuzz/fuzz_resolve" "$corpus/empty" "$corpus/example-main" "$corpus/example-worker" "$corpus/threads"
