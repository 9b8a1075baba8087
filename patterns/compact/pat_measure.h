/* SPDX-License-Identifier: BSD-3-Clause */
/* What a sequence of accesses is like: locality, entropy, utilisation. doc/patterns.md has the definitions
 * and where they are from. */
#ifndef PAT_MEASURE_H
#define PAT_MEASURE_H

#include "patterns/compact/pat_measure_reuse.h"
#include "patterns/pat_distances.h"

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

/* Spatial locality: the sum over strides i > 0 of P(i) / i, where the stride of an access is its least
 * distance to the accesses before it in the window. */
double pat_measure_spatial(const struct pat_stream *s);

/* Temporal locality: the share of accesses whose reuse distance is at most 2^i, weighed by 1 - i / log2 N.
 * accesses: all of those that r was made of. */
double pat_measure_temporal(const struct pat_reuse *r, uint64_t accesses);

/* Errors: LS_ERR_NOMEM. */
ls_err pat_measure_shares(const struct pat_stream *s, struct pat_shares *out);

/* Of a sequence whose order was not kept: from how often its distances, len of them and unique in all, were
 * counted among seen. Those that are not listed are taken as equally frequent. */
struct pat_shares pat_measure_shares_counted(const struct pat_distance *distances, size_t len, uint64_t seen,
                                             uint64_t unique);

/* All measures of s, which has an access at least.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_measure(const struct pat_stream *s, struct pat_measures *out);

#endif
