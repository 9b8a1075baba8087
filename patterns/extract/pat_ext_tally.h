/* SPDX-License-Identifier: BSD-3-Clause */
/* How often each distance occurred. Exact up to PAT_EXT_TALLY_MAX different ones. Beyond that, or when memory
 * is short, it is pruned: then what stays is the frequent ones, with about these counts. A distance has one
 * of four slots there; of those that have none every eighth, or what occurs eight times at once, takes the
 * slot of the rarest of the four, if that is no more frequent, and else leaves that one with less (after
 * Misra and Gries, "Finding Repeated Elements", Science of Computer Programming 2, 1982, and Demaine et al.,
 * "Frequency Estimation of Internet Packet Streams with Limited Space", ESA 2002). Where hardly any distance
 * has a slot, looking for each would cost more than all the rest: then of short runs one batch in eight is
 * counted, eight times; long ones are rare, and are all counted. */
#ifndef PAT_EXT_TALLY_H
#define PAT_EXT_TALLY_H

#include "common/ls_prefetch.h"
#include "patterns/extract/pat_ext_budget.h"
#include "patterns/extract/pat_ext_divisor.h"
#include "patterns/extract/pat_ext_hash.h"
#include "patterns/extract/pat_ext_run.h"
#include "patterns/extract/pat_ext_ways.h"

#include <stddef.h>

enum { PAT_EXT_TALLY_MAX = 16384, PAT_EXT_TALLY_SAMPLE = 8 };

/* Zeroed is empty. */
struct pat_ext_tally {
    struct pat_ext_way *slots;  /* how often, by distance */
    uint32_t unique;            /* different ones; once is_pruned at least so many */
    uint32_t batches;           /* of runs, since it is sampled */
    struct pat_ext_divisor gcd; /* greatest common divisor of all distances, 0: all are 0 */
    uint16_t len;               /* slots in use */
    uint8_t log2_cap;           /* of slots, 0: none */
    bool is_pruned : 1;
    bool is_sampled : 1; /* pruned, and hardly any distance has a slot */
    uint8_t newcomers;   /* since it was pruned, of those that had no slot */
    uint8_t looked, met; /* of those last looked for, and of these that had a slot */
};
_Static_assert(2 * PAT_EXT_TALLY_MAX <= UINT16_MAX, "as many slots as there may be");

/* The first slot where it may be. Multiplicative hashing by the golden ratio (Knuth, The Art of Computer
 * Programming, volume 3, 6.4). */
static inline uint32_t pat_ext_tally_slot(const struct pat_ext_tally *t, int64_t distance)
{
    return (uint32_t)((uint64_t)distance * UINT64_C(0x9e3779b97f4a7c15) >> (64 - t->log2_cap)) &
           -(uint32_t)PAT_EXT_WAYS;
}

static inline void pat_ext_tally_prefetch(const struct pat_ext_tally *t, int64_t distance)
{
    if (t->log2_cap) ls_prefetch(&t->slots[pat_ext_tally_slot(t, distance)]);
}

/* pat_ext_tally_add of a tally that is not pruned, and of one that is.  Errors: as there; none. */
bool pat_ext_tally_add_exact(struct pat_ext_tally *t, struct pat_ext_budget *b, int64_t distance,
                             uint64_t count);
void pat_ext_tally_add_pruned(struct pat_ext_tally *t, struct pat_ext_run run, uint32_t weight);

/* The distance occurred so often.
 * Errors: false without memory for the first slots; then only the divisor knows of it. */
static inline bool pat_ext_tally_add(struct pat_ext_tally *t, struct pat_ext_budget *b, int64_t distance,
                                     uint64_t count)
{
    if (!t->is_pruned) return pat_ext_tally_add_exact(t, b, distance, count);
    pat_ext_tally_add_pruned(t, (struct pat_ext_run){distance, count}, 1);
    return true;
}

/* How often each of the next batch of runs counts, whose memory may then be fetched: 1, or where it is
 * sampled 0 or PAT_EXT_TALLY_SAMPLE, as a hash of the batch's number says: whatever period the program has. */
static inline uint32_t pat_ext_tally_weigh(struct pat_ext_tally *t)
{
    if (!t->is_sampled) return 1;
    return pat_ext_hash(++t->batches) % PAT_EXT_TALLY_SAMPLE ? 0 : PAT_EXT_TALLY_SAMPLE;
}

/* pat_ext_tally_add of a batch of runs.  Errors: as there, of some of them. */
bool pat_ext_tally_add_runs(struct pat_ext_tally *t, struct pat_ext_budget *b, struct pat_ext_runs runs);

/* What was counted in `from` counts in `to`, too.  Errors: as pat_ext_tally_add, of some of them. */
bool pat_ext_tally_join(struct pat_ext_tally *to, const struct pat_ext_tally *from, struct pat_ext_budget *b);

/* Releases the counts; unique, gcd and is_pruned stay. */
void pat_ext_tally_fini(struct pat_ext_tally *t, struct pat_ext_budget *b);

#endif
