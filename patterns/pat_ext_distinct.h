/* SPDX-License-Identifier: BSD-3-Clause */
/* How many different things there were: exact up to PAT_EXT_DISTINCT_MAX, beyond that, or when memory is
 * short, from a sample that halves itself (adaptive sampling: Flajolet, "On adaptive sampling", Computing 43,
 * 1990), whose standard error is about 1 %.
 *
 * Thread: the owner.  Signal: not safe. */
#ifndef PAT_EXT_DISTINCT_H
#define PAT_EXT_DISTINCT_H

#include "patterns/pat_ext_budget.h"

#include <stddef.h>

enum { PAT_EXT_DISTINCT_MAX = 65536 };

/* Zeroed is empty. */
struct pat_ext_distinct {
    uint64_t *slots; /* hashes, 0: free */
    uint32_t len;
    uint8_t log2_cap; /* 0: none */
    uint8_t halvings; /* only hashes with so many leading zeros are kept */
};

/* A hash that is different for different things: the finalizer of MurmurHash3 (Appleby), a bijection. Things
 * are below 2^64 - 1. */
static inline uint64_t pat_ext_hash(uint64_t thing)
{
    uint64_t h = thing + 1; /* 0 would become 0, which stands for a free slot */
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

void pat_ext_distinct_insert(struct pat_ext_distinct *d, struct pat_ext_budget *b, uint64_t hash);

/* The thing of this pat_ext_hash was seen. Without memory it counts for less precision.  Errors: none. */
static inline void pat_ext_distinct_add(struct pat_ext_distinct *d, struct pat_ext_budget *b, uint64_t hash)
{
    if (d->halvings && hash >> (64 - d->halvings)) return;
    pat_ext_distinct_insert(d, b, hash);
}

/* Everything that was seen by `from` was seen by `to` as well.  Errors: none. */
void pat_ext_distinct_join(struct pat_ext_distinct *to, const struct pat_ext_distinct *from,
                           struct pat_ext_budget *b);

uint64_t pat_ext_distinct_count(const struct pat_ext_distinct *d);                /* Errors: none. */
void pat_ext_distinct_fini(struct pat_ext_distinct *d, struct pat_ext_budget *b); /* Errors: none. */

#endif
