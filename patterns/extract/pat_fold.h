/* SPDX-License-Identifier: BSD-3-Clause */
/* Folding: a long sequence that repeats itself, at the same addresses (such as the sweeps of an iterative
 * solver) or each time shifted by the same amount (one pass over an array), is stored as two rounds and the
 * total number of accesses. */
#ifndef PAT_FOLD_H
#define PAT_FOLD_H

#include "patterns/extract/pat_ext_stream.h"
#include "patterns/pat_config.h"

/* Zeroed: the sequence is not folded. */
struct pat_fold {
    size_t period; /* indices in one period, 16 at least; two periods are stored */
    size_t len;    /* length of the whole sequence: four periods at least; the last one may be cut */
    int64_t shift; /* index i is index i - period plus this, modulo 2^64 */
};

/* Return index i of the whole sequence from its two stored rounds; without folding, two[i]. */
static inline int64_t pat_fold_index(const struct pat_fold *f, const int64_t *two, size_t i)
{
    if (!f->period) return two[i];
    return (int64_t)((uint64_t)two[i % f->period] + (uint64_t)f->shift * (i / f->period));
}

/* Count the accesses among the first n that are at the same position of the period as access i. */
static inline uint64_t pat_fold_times(const struct pat_fold *f, size_t i, size_t n)
{
    return i < n ? (n - 1 - i) / f->period + 1 : 0;
}

/* A search for repeats in the first len accesses of a stream that is one jump and runs. */
struct pat_fold_ask {
    uint64_t base, unit_bytes; /* base and unit of the indices */
    size_t len;
    size_t round; /* accesses in a round, if already known; 0: search for rounds of at most 2^21 accesses */
    size_t room;  /* number of indices that fit in memory */
};

/* Find out whether the accesses repeat.
 * Owns:   the caller frees out->data: two periods of indices.
 * Errors: false if they do not repeat, or without memory; nothing is allocated then. */
bool pat_fold_stream(const struct pat_ext_stream *s, const struct pat_fold_ask *ask, struct pat_indices *out,
                     struct pat_fold *out_fold);

#endif
