/* SPDX-License-Identifier: BSD-3-Clause */
/* How often each distance occurred. Exact up to PAT_EXT_TALLY_MAX different ones; beyond that, or when memory
 * is short, the rare ones are dropped again and again (after Manku and Motwani, "Approximate Frequency Counts
 * over Data Streams", VLDB 2002), and of new ones only every eighth is let in, so that what stays is the
 * frequent ones with at least these counts.
 *
 * Thread: the owner.  Signal: not safe. */
#ifndef PAT_EXT_TALLY_H
#define PAT_EXT_TALLY_H

#include "common/ls_prefetch.h"
#include "patterns/extract/pat_ext_budget.h"

#include <stddef.h>

enum { PAT_EXT_TALLY_MAX = 16384 };

struct pat_ext_count {
    int64_t distance;
    uint64_t count; /* 0: a free slot */
};

/* Zeroed is empty. */
struct pat_ext_tally {
    struct pat_ext_count *slots;
    uint64_t unique;  /* different ones; once is_pruned at least so many */
    uint64_t gcd;     /* greatest common divisor of all distances, 0: all are 0 */
    uint32_t len;     /* slots in use */
    uint8_t log2_cap; /* of slots, 0: none */
    bool is_pruned;
    uint8_t newcomers; /* since it was pruned, of those that were not counted */
};

uint64_t pat_ext_gcd(uint64_t a, uint64_t b); /* of 0 and b: b.  Errors: none. */

/* Multiplicative hashing by the golden ratio (Knuth, The Art of Computer Programming, volume 3, 6.4). */
static inline uint32_t pat_ext_tally_slot(const struct pat_ext_tally *t, int64_t distance)
{
    return (uint32_t)((uint64_t)distance * UINT64_C(0x9e3779b97f4a7c15) >> (64 - t->log2_cap));
}

static inline void pat_ext_tally_prefetch(const struct pat_ext_tally *t, int64_t distance)
{
    if (t->log2_cap) ls_prefetch(&t->slots[pat_ext_tally_slot(t, distance)]);
}

/* The distance occurred so often.
 * Errors: false without memory for the first slots; nothing is counted then. */
bool pat_ext_tally_add(struct pat_ext_tally *t, struct pat_ext_budget *b, int64_t distance, uint64_t count);

/* Releases the counts; unique, gcd and is_pruned stay.  Errors: none. */
void pat_ext_tally_fini(struct pat_ext_tally *t, struct pat_ext_budget *b);

#endif
