/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for the allocator calls that come while the real allocator is still being looked up (dlsym may call
 * calloc). Never given back. */
#ifndef RT_ARENA_H
#define RT_ARENA_H

#include "common/ls_compat.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RT_ARENA_BYTES = 64 * 1024, RT_ARENA_ALIGN_BYTES = 16 };

/* Zeroed; align_bytes is a power of two. NULL when full or when the length overflows.  Thread: any.  Signal:
 * safe. */
void *rt_arena_alloc(size_t count, size_t len_bytes, size_t align_bytes);
extern uint8_t rt_arena[RT_ARENA_BYTES] LS_HIDDEN;
static inline bool rt_arena_owns(const void *p)
{
    return (uintptr_t)p - (uintptr_t)rt_arena < RT_ARENA_BYTES;
}
/* Usable length of a block of ours. */
size_t rt_arena_len(const void *p);

#endif
