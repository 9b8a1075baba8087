/* SPDX-License-Identifier: BSD-3-Clause */
/* Names a sequence by the classes of the literature, decided by measures and thresholds in one table
 * (pat_class.c; doc/patterns.md gives their sources). */
#ifndef PAT_CLASS_H
#define PAT_CLASS_H

#include "patterns/compact/pat_measure.h"

struct pat_evidence {
    const struct pat_shares *shares;
    /* For a sequence with a period: its pattern, before iterations were joined, and its most frequent
     * delta. */
    const int64_t *points; /* NULL: no period */
    size_t points_len;
    int64_t delta;
    int64_t outer;             /* sum of its list of deltas, the step to the next row; 0: there is none */
    size_t span;               /* elements of an access, 0: not known */
    bool index_is_own;         /* the address comes from a value that the same instruction loaded */
    bool index_is_of_the_home; /* ... that another instruction loaded from the same home */
};

enum pat_class pat_classify(const struct pat_evidence *e);

/* Classify a list of indices that has neither one distance nor runs of one index (patterns/pat_describe.h
 * recognises these exactly): mostly stride-1, random or complex, by the same thresholds. period: the list
 * itself where iterations repeat it, NULL otherwise. */
enum pat_class pat_classify_list(const struct pat_shares *shares, const struct pat_indices *period);

#endif
