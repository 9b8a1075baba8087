/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures of a sequence of accesses: locality, entropy, utilisation. doc/patterns.md has the definitions and
 * their sources. */
#ifndef PAT_MEASURE_H
#define PAT_MEASURE_H

#include "patterns/compact/pat_found.h"
#include "patterns/compact/pat_period.h"

/* ---- reuse ---- */

/* Reuse distances: how many other units (lines, words) were touched since a unit was touched before. Exact by
 * a Fenwick tree over the last touches (Bennett and Kruskal, IBM J. Res. Dev. 19, 1975; n log n). Beyond a
 * limit of accesses, estimated by SHARDS (Waldspurger et al., FAST'15): a fixed share of the units, chosen by
 * a hash, with distances and counts scaled up and its correction of the first bin. */

/* The addresses of a sequence's accesses. */
struct pat_stream {
    struct pat_pieces pieces;
    struct pat_fold fold;       /* pieces are two periods, without a break; all zero: the whole sequence */
    uint64_t elem_size_bytes;   /* bytes per index step, at least 1 */
    uint64_t access_size_bytes; /* bytes an access, at least 1 */
    size_t limit;               /* accesses to evaluate at most; longer sequences are sampled */
};

/* The byte at which access i begins, modulo 2^64. */
static inline uint64_t pat_stream_byte(const struct pat_stream *s, size_t i)
{
    return (uint64_t)s->pieces.sequence->data[i] * s->elem_size_bytes;
}

/* Return the number of accesses of the whole sequence. */
static inline size_t pat_stream_len(const struct pat_stream *s)
{
    return s->fold.period ? s->fold.len : s->pieces.sequence->len;
}

/* Number of accesses that access i represents. Rounds after the second one count like it, because the round
 * before touched the same data (where rounds move on, data at the same distance: struct moved of
 * pat_compact.c). */
static inline uint64_t pat_stream_weight(const struct pat_stream *s, size_t i)
{
    const size_t period = s->fold.period;
    return i < period || !period ? 1 : pat_fold_times(&s->fold, i - period, s->fold.len - period);
}

struct pat_reuse {
    uint64_t bins[PAT_REUSE_BINS]; /* as in struct pat_measures; the last bin has all longer distances */
    uint64_t cold;                 /* first touches, in each piece */
    unsigned rate_shift;           /* one of 2^rate_shift units was evaluated; 0: all */
};

/* Units are 2^unit_shift bytes, the one in which an access begins counts.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_reuse_of(const struct pat_stream *s, unsigned unit_shift, struct pat_reuse *out);

/* ---- measures ---- */

enum {
    PAT_SPATIAL_WINDOW = 32, /* accesses looked back, of 64-bit words (Weinberg et al., SC'05) */
    PAT_TEMPORAL_LOG2 = 17,  /* reuse distances of 2^17 words and more earn nothing (the same) */
    PAT_MEASURE_LIMIT = 1 << 20
};

/* Distances between accesses that follow each other, in indices. */
struct pat_shares {
    uint64_t seen, unique;
    int64_t top; /* the most frequent one, of equals the smallest */
    double top_share, zero_share, one_share;
    double entropy_bits; /* Shannon's, of the distribution of distances */
};

/* Errors: LS_ERR_NOMEM. */
ls_err pat_measure_shares(const struct pat_stream *s, struct pat_shares *out);

/* Compute the shares of a sequence whose order was not kept, from the counts of its distances: `len` of them
 * are listed, `unique` differ, `seen` were counted in all. Unlisted distances are taken as equally
 * frequent. */
struct pat_shares pat_measure_shares_counted(const struct pat_distance *distances, size_t len, uint64_t seen,
                                             uint64_t unique);

/* Compute all measures of s, which has at least one access.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_measure(const struct pat_stream *s, struct pat_measures *out);

#endif
