/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_arena.h"

#include "common/ls_checked.h"

#include <string.h>

_Alignas(4096) uint8_t rt_arena[RT_ARENA_BYTES];
static size_t rt_arena_used;

/* The length stands before the block: these blocks are ours, no layout of the program is changed. */
static bool rt_arena_place(size_t len_bytes, size_t align_bytes, size_t *used, size_t *at)
{
    size_t begin = *used + sizeof(size_t);
    if (begin > RT_ARENA_BYTES - align_bytes) return false;
    begin = (begin + align_bytes - 1) & ~(align_bytes - 1);
    if (len_bytes > RT_ARENA_BYTES - begin) return false;
    *at = begin;
    *used = begin + len_bytes;
    return true;
}

void *rt_arena_alloc(size_t count, size_t len_bytes, size_t align_bytes)
{
    size_t len, at, next;
    if (!ls_mul_size(count, len_bytes, &len) || align_bytes > 4096) return NULL;
    if (align_bytes < RT_ARENA_ALIGN_BYTES) align_bytes = RT_ARENA_ALIGN_BYTES;
    size_t used = __atomic_load_n(&rt_arena_used, __ATOMIC_RELAXED);
    do {
        next = used;
        if (!rt_arena_place(len, align_bytes, &next, &at)) return NULL;
    } while (
        !__atomic_compare_exchange_n(&rt_arena_used, &used, next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    memcpy(rt_arena + at - sizeof(size_t), &len, sizeof(len));
    return rt_arena + at;
}

size_t rt_arena_len(const void *p)
{
    size_t len;
    memcpy(&len, (const uint8_t *)p - sizeof(len), sizeof(len));
    return len;
}
