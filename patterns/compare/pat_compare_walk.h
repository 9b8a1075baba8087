/* SPDX-License-Identifier: BSD-3-Clause */
/* The accesses of a pattern by number, however it is written: UNIFORM:8:1 with delta 8 and count 2 walks as
 * UNIFORM:16:1 with count 1 does. Comparison sees patterns through this only. */
#ifndef PAT_COMPARE_WALK_H
#define PAT_COMPARE_WALK_H

#include "patterns/pat_config.h"
#include "patterns/pat_extent.h"

#include <stdbool.h>

struct pat_walk {
    const struct pat_indices *list;   /* of one iteration: indices, or positions in inner */
    const struct pat_indices *inner;  /* NULL: one level */
    const struct pat_indices *deltas; /* NULL: delta alone */
    int64_t delta;
    uint64_t len;         /* accesses in all */
    const size_t *breaks; /* accesses that do not follow the one before, ascending; NULL: none */
    size_t breaks_len;
};

/* What c reads (PAT_SIDE_GATHER) or writes of its sparse array; all kernels but gs have one side only.
 * Owns:   c must outlive *out.
 * Errors: LS_ERR_RANGE for an element or a number of accesses beyond 63 bits, and no indices; *out is then
 * unchanged. */
ls_err pat_walk_config(const struct pat_config *c, enum pat_side side, struct pat_walk *out);

/* A list as it is, with breaks where something is missing (struct pat_sequence).
 * Owns:   p and breaks must outlive what is returned. */
struct pat_walk pat_walk_list(const struct pat_indices *p, const size_t *breaks, size_t breaks_len);

/* Accesses [from, from + len) of w, which has that many. */
void pat_walk_read(const struct pat_walk *w, uint64_t from, size_t len, int64_t *out);

/* a and b make the same accesses but for one distance between all of them, with the same breaks. */
bool pat_walk_same(const struct pat_walk *a, const struct pat_walk *b);

#endif
