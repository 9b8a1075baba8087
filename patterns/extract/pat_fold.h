/* SPDX-License-Identifier: BSD-3-Clause */
/* A long sequence that comes back to where it began, again and again (the sweeps of an iterative solver,
 * say): two rounds of it are kept and the number of all. Index i of such a sequence is that of i - period.
 *
 * Thread: any. */
#ifndef PAT_FOLD_H
#define PAT_FOLD_H

#include "patterns/extract/pat_ext_stream.h"
#include "patterns/pat_config.h"

/* Zeroed: the sequence is not folded. */
struct pat_fold {
    size_t period; /* of the indices, of which there are two periods; 16 at least */
    size_t len;    /* of all of the sequence: four periods at least; the last one may be cut */
};

/* Of the first n accesses, how many are at the same place of the period as access i?  Errors: none.
 * Signal: safe. */
static inline uint64_t pat_fold_times(const struct pat_fold *f, size_t i, size_t n)
{
    return i < n ? (n - 1 - i) / f->period + 1 : 0;
}

/* Where indices of a stream come from. */
struct pat_fold_unit {
    uint64_t base, unit_bytes;
};

/* Do the first len accesses of s repeat, with a period of 2^21 at most? s is one jump and runs.
 * Owns:   the caller frees out->data: two periods of indices.
 * Errors: false when they do not, or without memory to tell; nothing is made then.  Signal: not safe. */
bool pat_fold_stream(const struct pat_ext_stream *s, const struct pat_fold_unit *unit, size_t len,
                     struct pat_indices *out, struct pat_fold *out_fold);

#endif
