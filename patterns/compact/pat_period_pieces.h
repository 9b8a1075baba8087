/* SPDX-License-Identifier: BSD-3-Clause */
/* The period that explains most of a sequence of which only pieces were seen (bursts). A piece begins
 * anywhere in the period: pieces vote for their cycle of distances, whatever distance they begin with. */
#ifndef PAT_PERIOD_PIECES_H
#define PAT_PERIOD_PIECES_H

#include "patterns/pat_config.h"

#include <stdbool.h>

enum { PAT_PIECES_CYCLE_MAX = 256 }; /* distances of a cycle: a burst has some hundred accesses */

/* Consecutive indices between breaks. */
struct pat_pieces {
    const struct pat_indices *sequence;
    const size_t *breaks; /* ascending: a piece begins at each */
    size_t breaks_len;
};

/* [*out_from, *out_until) of piece i; false behind the last. Pieces may be empty. */
bool pat_pieces_at(const struct pat_pieces *p, size_t i, size_t *out_from, size_t *out_until);

struct pat_cycle {
    int64_t distances[PAT_PIECES_CYCLE_MAX]; /* in the rotation that is the least */
    size_t len;                              /* 0: none was found */
    uint64_t seen, explained; /* distances inside pieces; those that lie in stretches of the cycle */
};

/* The cycle with the most votes. Every piece of two whole periods at least votes with its distances.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_pieces_cycle(const struct pat_pieces *p, struct pat_cycle *out);

/* Where the least rotation of a cycle begins (Shiloach, J. Algorithms 2, 1981). */
size_t pat_least_rotation(const int64_t *cycle, size_t len);

#endif
