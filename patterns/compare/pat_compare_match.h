/* SPDX-License-Identifier: BSD-3-Clause */
/* Which pattern of A is which of B: by key first, then what is left over by distance. */
#ifndef PAT_COMPARE_MATCH_H
#define PAT_COMPARE_MATCH_H

#include "patterns/compare/pat_compare_assign.h"
#include "patterns/compare/pat_compare_item.h"

enum pat_matched {
    PAT_MATCHED_KEY,      /* the same place and data, however far apart */
    PAT_MATCHED_DISTANCE, /* near enough */
    PAT_MATCHED_NONE      /* in one of them only */
};

struct pat_match {
    size_t a, b; /* PAT_UNASSIGNED: there is none */
    enum pat_matched by;
    double distance; /* NAN: PAT_MATCHED_NONE */
};

struct pat_match_options {
    double within;    /* what is left over is matched up to this distance */
    bool ignore_keys; /* match all by distance */
};

/* Each item of a and of b is in one row: of one kind and key the assignment with the least sum of distances;
 * then of one kind and name; then the same of what is left over, of one kind, where no pair is further apart
 * than within. Rows follow a's order, then b's.
 * Owns:   the caller frees *out.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_items_match(struct pat_items *a, struct pat_items *b, const struct pat_match_options *o,
                       struct pat_match **out, size_t *out_len);

#endif
