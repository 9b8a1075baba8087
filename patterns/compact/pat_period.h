/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the repetition in a sequence of indices: a loop nest becomes a pattern, a delta (or the list of
 * deltas of an outer level), and a count; every result reproduces the sequence index by index.
 *
 * Indices and distances are taken modulo 2^64, so that any sequence is allowed. */
#ifndef PAT_PERIOD_H
#define PAT_PERIOD_H

#include "patterns/extract/pat_fold.h"
#include "patterns/pat_config.h"

#include <stdbool.h>

/* Index start + i * len + j of the sequence is its index start + j, moved by the base of iteration i; the
 * first `turns` differences between the bases repeat. */
struct pat_period {
    size_t start; /* number of indices before it */
    size_t len;   /* length of the pattern */
    size_t turns; /* deltas of the outer level; 1: one delta serves all */
    size_t count; /* iterations: it ends before index start + len * count */
};

/* Find the period of a sequence: among the patterns that end where a loop does, the one with the shortest
 * description (indices, and changes among the deltas) that gives every index; else one that leaves out a few
 * at the ends (at most an eighth on each side). *out_found is false when there is none that needs at most a
 * quarter of the sequence's numbers. Errors: LS_ERR_NOMEM. */
ls_err pat_period_find(const struct pat_indices *sequence, struct pat_period *out, bool *out_found);

/* Find the period of a folded sequence, given as two periods: search loop bodies whose length divides the
 * period. There is always one. Errors: as above. */
ls_err pat_period_of_fold(const struct pat_indices *two, const struct pat_fold *fold, struct pat_period *out,
                          bool *out_found);

/* Join iterations until the pattern has 8 to 16 indices, because replays of very short patterns measure the
 * loop around them. Done where that divides the count or costs at most a 64th of the indices (these are then
 * left out at the end). */
void pat_period_join(struct pat_period *p, const struct pat_indices *sequence);

/* True if p gives data[start .. start + len * count). */
bool pat_period_holds(const struct pat_period *p, const struct pat_indices *sequence);

/* Set pattern, delta or deltas, and count of c from a period of sequence; element 0 of c is element `zero` of
 * sequence. Owns:   the old lists of c are freed. Errors: LS_ERR_NOMEM; c then has no pattern. */
ls_err pat_period_write(const struct pat_period *p, const struct pat_indices *sequence, int64_t zero,
                        struct pat_config *c);

/* The shortest period of whole[0 .. len) in the sense of strings: the least p with whole[i] = whole[i + p]
 * for all i. By the failure function (Knuth, Morris, Pratt, SIAM J. Comput. 6, 1977). scratch has room for
 * len, which is not 0. */
size_t pat_period_of_string(const int64_t *whole, size_t len, uint32_t *scratch);

/* ---- pieces ---- */

/* The period that explains most of a sequence if only pieces of it were seen (bursts). A piece begins
 * anywhere in the period: pieces vote for their cycle of distances, whatever distance they begin with. */
enum { PAT_PIECES_CYCLE_MAX = 256 }; /* distances of a cycle: a burst has some hundred accesses */

/* Consecutive indices between breaks. */
struct pat_pieces {
    const struct pat_indices *sequence;
    const size_t *breaks; /* ascending: a piece begins at each */
    size_t breaks_len;
};

/* Return the bounds [*out_from, *out_until) of piece i; false after the last one. Pieces may be empty. */
bool pat_pieces_at(const struct pat_pieces *p, size_t i, size_t *out_from, size_t *out_until);

struct pat_cycle {
    int64_t distances[PAT_PIECES_CYCLE_MAX]; /* in the rotation that is the least */
    size_t len;                              /* 0: not found */
    uint64_t seen, explained;                /* distances inside pieces; the ones in stretches of the cycle */
    size_t pieces;                           /* pieces with a stretch of the cycle */
    size_t with_turn, with_turns; /* the ones with one, and with several, gaps between two stretches */
};

/* Find the cycle with the most votes. Every piece of at least two whole periods votes with its distances.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_pieces_cycle(const struct pat_pieces *p, struct pat_cycle *out);

/* Start of the least rotation of a cycle (Shiloach, J. Algorithms 2, 1981). */
size_t pat_least_rotation(const int64_t *cycle, size_t len);

#endif
