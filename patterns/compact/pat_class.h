/* SPDX-License-Identifier: BSD-3-Clause */
/* What the literature calls a sequence, decided by measures and thresholds in one table (pat_class.c;
 * doc/patterns.md says where they are from). */
#ifndef PAT_CLASS_H
#define PAT_CLASS_H

#include "patterns/compact/pat_measure.h"

struct pat_evidence {
    const struct pat_shares *shares;
    /* Of a sequence with a period: its pattern, before iterations were joined, and its most frequent delta.
     */
    const int64_t *points; /* NULL: no period */
    size_t points_len;
    int64_t delta;
    bool index_is_own;         /* the address comes from what the same instruction loaded */
    bool index_is_of_the_home; /* ... from what another one loaded in the same home */
};

/* Errors: none.  Thread: any.  Signal: not safe. */
enum pat_class pat_classify(const struct pat_evidence *e);

#endif
