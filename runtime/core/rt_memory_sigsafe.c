/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime's own memcpy, memmove and memset, which are not exported. Those of the process may belong to the
 * program: a thread sanitizer's versions do not see in which order threads use our memory, and report races that
 * are none. */
#include "common/ls_compat.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t __attribute__((may_alias, aligned(1))) word;
typedef uint32_t __attribute__((may_alias, aligned(1))) half;
typedef uint16_t __attribute__((may_alias, aligned(1))) quarter;

enum { WORD_BYTES = sizeof(word), SHORT_BYTES = 4 * WORD_BYTES };

/* One value from each end: they meet or overlap. Both are read before one is written, for ranges that overlap. */
#define RT_COPY_ENDS(type, to, from, n)                                  \
    do {                                                                 \
        const type first_ = *(const type *)(from);                       \
        const type last_ = *(const type *)((from) + (n) - sizeof last_); \
        *(type *)(to) = first_;                                          \
        *(type *)((to) + (n) - sizeof last_) = last_;                    \
    } while (0)

static void copy_short(uint8_t *to, const uint8_t *from, size_t n)
{
    if (n > 2 * WORD_BYTES) {
        const word second = ((const word *)from)[1], *tail = (const word *)(from + n - 2 * WORD_BYTES);
        const word before_last = *tail;
        RT_COPY_ENDS(word, to, from, n);
        ((word *)to)[1] = second;
        *(word *)(to + n - 2 * WORD_BYTES) = before_last;
    } else if (n >= sizeof(word)) {
        RT_COPY_ENDS(word, to, from, n);
    } else if (n >= sizeof(half)) {
        RT_COPY_ENDS(half, to, from, n);
    } else if (n >= sizeof(quarter)) {
        RT_COPY_ENDS(quarter, to, from, n);
    } else if (n) {
        *to = *from;
    }
}

static void copy_down(uint8_t *to, const uint8_t *from, size_t n)
{
    for (; n; n--) {
        to[n - 1] = from[n - 1];
        LS_KEEP_LOOP();
    }
}

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    if (n <= SHORT_BYTES)
        copy_short(to, from, n);
    else
        ls_copy_bytes(to, from, n);
    return to;
}

void *memmove(void *to, const void *from, size_t n)
{
    if (n <= SHORT_BYTES)
        copy_short(to, from, n);
    else if ((uintptr_t)to - (uintptr_t)from >= n)
        ls_copy_bytes(to, from, n);
    else
        copy_down(to, from, n);
    return to;
}

void *memset(void *to, int value, size_t n)
{
    ls_fill_bytes(to, (uint8_t)value, n);
    return to;
}
