/* SPDX-License-Identifier: BSD-3-Clause */
/* The configuration that stands for one sequence: exact where the sequence repeats, else as near as the
 * length limit allows, and marked as what it is. */
#ifndef PAT_FORM_H
#define PAT_FORM_H

#include "patterns/compact/pat_compact.h"

/* What repeats, before iterations were joined. */
struct pat_basis {
    int64_t *points; /* NULL: nothing does */
    size_t len;
    int64_t delta; /* the most frequent one */
    int64_t outer; /* what its list of deltas comes to; 0: there is none */
};

/* Set pattern, deltas, count of f's configuration, its form and what that leaves out, in two steps: what
 * repeats, which takes no measures (*out_done: it does); else, once the measures of f are known, the rest.
 * Owns:   the caller frees out->points, which are NULL at first. Errors: LS_ERR_NOMEM. */
ls_err pat_form_repeating(const struct pat_sequence *s, const struct pat_compact_options *o,
                          struct pat_found *f, struct pat_basis *out, bool *out_done);
ls_err pat_form_other(const struct pat_sequence *s, const struct pat_compact_options *o, struct pat_found *f,
                      struct pat_basis *out);

#endif
