/* SPDX-License-Identifier: BSD-3-Clause */
/* Extraction as one would write it down: all accesses in arrays, every question answered by looking through
 * them. What the real one says is compared with it. */
#ifndef TESTS_PATTERNS_NAIVE_EXTRACT_H
#define TESTS_PATTERNS_NAIVE_EXTRACT_H

#include "patterns/extract/pat_extract.h"
#include "tests/patterns/memory_source.h"

/* Fails the test where s differs from what m holds: of every site, home and thread, nothing left out. Wants
 * all sequences whole (keep_trivial, accesses_min 1, top high) and no object far from the others. */
void naive_compare(const struct memory_source *m, const struct pat_sequences *s);

#endif
