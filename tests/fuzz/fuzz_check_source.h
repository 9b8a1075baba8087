/* SPDX-License-Identifier: BSD-3-Clause */
/* What holds for every source of accesses, whatever bytes it was made of. */
#ifndef FUZZ_CHECK_SOURCE_H
#define FUZZ_CHECK_SOURCE_H

#include "patterns/source/pat_source.h"

/* Reads s to its end, an error, or 2^20 accesses (packed data may unpack to very many): what is told names
 * rows that are there. Aborts when it does not. */
void fuzz_check_source(pat_source *s);

#endif
