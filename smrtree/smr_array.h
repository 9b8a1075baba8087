/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for arrays with random look-ups: aligned to cache lines, and with huge pages where the kernel
 * provides them if the array is large, because otherwise every step down a tree in it would miss the TLB too.
 *
 * Thread: the owner of the array.  Signal: not safe. */
#ifndef SMR_ARRAY_H
#define SMR_ARRAY_H

#include <stddef.h>

#define SMR_ARRAY_LINE_BYTES 64u

/* Allocate uninitialised memory; NULL without memory. Owns: the caller frees it by free(). */
void *smr_array_alloc(size_t len_bytes);

#endif
