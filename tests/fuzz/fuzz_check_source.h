/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks for every source of accesses, whatever bytes it was made of. */
#ifndef FUZZ_CHECK_SOURCE_H
#define FUZZ_CHECK_SOURCE_H

#include "patterns/source/pat_source.h"

/* Read s to its end, an error, or 2^20 accesses (packed data may unpack to very many), and check that all
 * rows it names exist. Abort if one does not. */
void fuzz_check_source(pat_source *s);

#endif
