#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Small ELF files, whole, cut and flipped, read in process, then by a process of its own as resolve does.
"$top_builddir/tests/fuzz/fuzz_elf" "$top_srcdir"/tests/fuzz/corpus-elf/* || exit 1
FUZZ_WORKER=1 exec "$top_builddir/tests/fuzz/fuzz_elf" "$top_srcdir"/tests/fuzz/corpus-elf/*
