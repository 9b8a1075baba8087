/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of keys and values in buckets of four, one cache line each. The four are compared at once: in which
 * slot a key is, if it is there, no processor could foresee, and where most keys are new that is what
 * look-ups wait for. */
#ifndef PAT_EXT_WAYS_H
#define PAT_EXT_WAYS_H

#include "patterns/extract/pat_ext_budget.h"

#include <stddef.h>

enum { PAT_EXT_WAYS = 4 };

struct pat_ext_way {
    uint64_t key, value; /* value 0: free; the free slots of a bucket are its last ones, and their keys 0 */
};

/* 2^log2_cap slots (4 at least), all free. They count for b, whether they fit or not.
 * Owns:   the caller ends them with pat_ext_ways_free.  Errors: NULL without memory. */
struct pat_ext_way *pat_ext_ways_new(struct pat_ext_budget *b, uint8_t log2_cap);
/* NULL-safe. */
void pat_ext_ways_free(struct pat_ext_way *slots, struct pat_ext_budget *b, uint8_t log2_cap);

/* Slots of a table; log2_cap 0: there is none yet. */
static inline size_t pat_ext_ways_cap(uint8_t log2_cap)
{
    return log2_cap ? (size_t)1 << log2_cap : 0;
}

static inline uint64_t pat_ext_ways_bytes(uint8_t log2_cap)
{
    return pat_ext_ways_cap(log2_cap) * sizeof(struct pat_ext_way);
}

/* The key's slot in the bucket, or, as if it were that, a free one whose key is the same; NULL: there is
 * neither. */
static inline struct pat_ext_way *pat_ext_ways_match(struct pat_ext_way *bucket, uint64_t key)
{
    unsigned same = (unsigned)(bucket[0].key == key) | (unsigned)(bucket[1].key == key) << 1 |
                    (unsigned)(bucket[2].key == key) << 2 | (unsigned)(bucket[3].key == key) << 3;
    __asm__("" : "+r"(same)); /* else GCC may branch on the last of them */
    return same ? &bucket[__builtin_ctz(same)] : NULL;
}

/* The key's slot, or the free one that it can have; there must be a free one. From the bucket of slot `at`
 * on, modulo 2^log2_cap. */
static inline struct pat_ext_way *pat_ext_ways_find(struct pat_ext_way *slots, uint8_t log2_cap, uint64_t at,
                                                    uint64_t key)
{
    const uint64_t mask = (UINT64_C(1) << log2_cap) - PAT_EXT_WAYS;
    for (;; at += PAT_EXT_WAYS) {
        struct pat_ext_way *bucket = &slots[at & mask], *way = pat_ext_ways_match(bucket, key);
        if (way) return way;
        const unsigned used = (unsigned)(bucket[0].value != 0) + (unsigned)(bucket[1].value != 0) +
                              (unsigned)(bucket[2].value != 0) + (unsigned)(bucket[3].value != 0);
        if (used < PAT_EXT_WAYS) return &bucket[used];
    }
}

#endif
