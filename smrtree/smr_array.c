/* SPDX-License-Identifier: BSD-3-Clause */
#include "smrtree/smr_array.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define ARRAY_HUGE_BYTES ((size_t)2 << 20)

void *smr_array_alloc(size_t len_bytes)
{
    const size_t align = len_bytes >= ARRAY_HUGE_BYTES ? ARRAY_HUGE_BYTES : SMR_ARRAY_LINE_BYTES;
    if (len_bytes > SIZE_MAX - align) return NULL;
    const size_t room = (len_bytes + align - 1) / align * align;
    void *p = aligned_alloc(align, room);
    if (p && align == ARRAY_HUGE_BYTES)
        madvise(p, room, MADV_HUGEPAGE); /* a hint: failure costs only speed */
    return p;
}
