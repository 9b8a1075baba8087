/* SPDX-License-Identifier: BSD-3-Clause */
/* A sequence drawn from what is known of another one: the distribution of its distances, and of its reuse
 * distances where no distance is known (all other distances, or one that would leave the range). */
#ifndef PAT_SYNTHETIC_H
#define PAT_SYNTHETIC_H

#include "patterns/pat_distances.h"
#include "patterns/compact/pat_measure_reuse.h"

struct pat_likeness {
    const struct pat_distance *distances; /* the most frequent ones */
    size_t distances_len;
    uint64_t distances_seen; /* all distances that were counted, those that are not listed too */
    const uint64_t *reuse;   /* PAT_REUSE_BINS, in lines */
    uint64_t cold;
    uint64_t range_elements; /* indices are below, at least 1 */
    uint64_t elem_size_bytes;
};

/* len indices; the same seed gives the same.
 * Owns:   the caller frees out->data.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_synthetic_draw(const struct pat_likeness *like, size_t len, uint64_t seed,
                          struct pat_indices *out);

#endif
