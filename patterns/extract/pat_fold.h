/* SPDX-License-Identifier: BSD-3-Clause */
/* A long sequence that does the same again and again, where it was (the sweeps of an iterative solver, say)
 * or always as far on (one pass over an array): two rounds of it are kept, and how many accesses they stand
 * for. */
#ifndef PAT_FOLD_H
#define PAT_FOLD_H

#include "patterns/extract/pat_ext_stream.h"
#include "patterns/pat_config.h"

/* Zeroed: the sequence is not folded. */
struct pat_fold {
    size_t period; /* of the indices, of which there are two periods; 16 at least */
    size_t len;    /* of all of the sequence: four periods at least; the last one may be cut */
    int64_t shift; /* index i is that of i - period and this, modulo 2^64 */
};

/* Index i of all, by those of two rounds; of a sequence that is not folded its own. */
static inline int64_t pat_fold_index(const struct pat_fold *f, const int64_t *two, size_t i)
{
    if (!f->period) return two[i];
    return (int64_t)((uint64_t)two[i % f->period] + (uint64_t)f->shift * (i / f->period));
}

/* Of the first n accesses, how many are at the same place of the period as access i? */
static inline uint64_t pat_fold_times(const struct pat_fold *f, size_t i, size_t n)
{
    return i < n ? (n - 1 - i) / f->period + 1 : 0;
}

/* The first len accesses of a stream that is one jump and runs. */
struct pat_fold_ask {
    uint64_t base, unit_bytes; /* of its indices */
    size_t len;
    size_t round; /* so many accesses are a round, if any are; 0: not known, then rounds of 2^21 accesses at
                     most are looked for */
    size_t room;  /* indices that there is memory for */
};

/* Do they repeat?
 * Owns:   the caller frees out->data: two periods of indices.
 * Errors: false when they do not, or without memory to tell; nothing is made then. */
bool pat_fold_stream(const struct pat_ext_stream *s, const struct pat_fold_ask *ask, struct pat_indices *out,
                     struct pat_fold *out_fold);

#endif
