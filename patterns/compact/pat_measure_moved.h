/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures of a folded sequence whose rounds move on look at two rounds as if they were all of them. For that
 * its rounds are taken together, so that one moves by whole pages (what it touches lies in lines and pages as
 * what the one before touched does), reaches into the one before it and no farther back, and is longer than
 * any window that is looked back through. */
#ifndef PAT_MEASURE_MOVED_H
#define PAT_MEASURE_MOVED_H

#include "patterns/compact/pat_measure_reuse.h"

struct pat_moved {
    struct pat_stream stream; /* its pieces are of indices */
    struct pat_indices indices;
    bool is_part; /* rounds as long as that would be too long: these are the first accesses, and no rounds */
};

/* Of a stream whose fold has a shift.
 * Owns:   the caller frees out->indices.data; out->stream points into *out, which stays where it is.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_moved_of(const struct pat_stream *s, struct pat_moved *out);

/* How many indices that will be. */
size_t pat_moved_len(const struct pat_stream *s);

#endif
