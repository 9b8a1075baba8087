/* SPDX-License-Identifier: BSD-3-Clause */
/* The pattern generators of Spatter (paper, section 3.3; version 2 for the third field of UNIFORM). */
#ifndef PAT_GENERATE_H
#define PAT_GENERATE_H

#include "patterns/pat_config.h"

#include <stdbool.h>

enum { PAT_NOTE_BYTES = 160 };

struct pat_generated {
    struct pat_indices indices;
    bool sets_delta; /* the text sets the delta of the configuration too */
    int64_t delta;
    char note[PAT_NOTE_BYTES]; /* what the user should know of a doubtful text, "" for nothing */
};

/* Indices of text:
 *   UNIFORM:LENGTH:STRIDE[:DELTA|:NR]        i * STRIDE; NR (no reuse): delta is LENGTH * STRIDE
 *   MS1:LENGTH:LOCATIONS:GAPS                mostly stride 1: from -1 on, + gap at each location, else + 1
 *   LAPLACIAN:DIMENSIONS:ORDER:SIZE          the stencil with ORDER points on each branch; delta is 1
 *   0,4,8,12                                 itself
 * Names in any case, blanks around numbers allowed. Indices are never negative.
 * Owns:   the caller frees out->indices.data.
 * Errors: LS_ERR_ARG for any other text, with the form that was expected; LS_ERR_RANGE for numbers below
 * their minimum or beyond 64 bits; LS_ERR_NOMEM with what is needed. *out is then empty. */
ls_err pat_generate(const char *text, struct pat_generated *out);

/* The same, but LS_ERR_RANGE for more than limit indices; 0: no limit.
 * Owns, Errors: as pat_generate. */
ls_err pat_generate_within(const char *text, size_t limit, struct pat_generated *out);

#endif
