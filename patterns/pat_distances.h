/* SPDX-License-Identifier: BSD-3-Clause */
/* Distances from each index to the next, and how often each occurs. */
#ifndef PAT_DISTANCES_H
#define PAT_DISTANCES_H

#include "patterns/pat_config.h"

struct pat_distance {
    int64_t distance;
    size_t count;
};

/* Every distance once, the most frequent first, equally frequent ones ascending.
 * Owns:   the caller frees *out. It is NULL and *out_len 0 when p has fewer than two indices.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_distances(const struct pat_indices *p, struct pat_distance **out, size_t *out_len);

#endif
