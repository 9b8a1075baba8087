/* SPDX-License-Identifier: BSD-3-Clause */
/* Extraction in its simplest form: all accesses in arrays, every question answered by searching them. The
 * real one is compared with it. */
#ifndef TESTS_PATTERNS_NAIVE_EXTRACT_H
#define TESTS_PATTERNS_NAIVE_EXTRACT_H

#include "patterns/extract/pat_extract.h"
#include "tests/patterns/memory_source.h"

/* Fails the test where s differs from the contents of m: for every site, home and thread, nothing left out.
 * Needs all sequences complete (keep_trivial, accesses_min 1, top high) and no object far from the others. */
void naive_compare(const struct memory_source *m, const struct pat_sequences *s);

#endif
