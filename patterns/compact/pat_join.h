/* SPDX-License-Identifier: BSD-3-Clause */
/* Sequences that are one: instructions that take turns on one piece of data and go the same distances, as the
 * loads of a stencil's points do, or the load and the store of one place. */
#ifndef PAT_JOIN_H
#define PAT_JOIN_H

#include "patterns/extract/pat_extract.h"

/* Of one member: a sequence by itself. */
struct pat_join {
    const uint32_t *members; /* rows of the sequences, in the order of their accesses */
    size_t len;
    bool is_update; /* each place that is stored was loaded before: half of the members are loads */
};

struct pat_joins {
    struct pat_join *rows; /* every sequence is in one of them; by their first members */
    size_t len;
    uint32_t *members; /* of all rows */
};

/* Which sequences of s go together. None do where something of them is not known: not all accesses were kept,
 * the home is unknown.
 * Owns:   the caller ends out with pat_joins_fini.
 * Errors: LS_ERR_NOMEM; then out is empty. */
ls_err pat_join_find(const struct pat_sequences *s, const struct pat_tables *t, struct pat_joins *out);

/* Every sequence by itself.  Owns and errors: as pat_join_find. */
ls_err pat_join_none(const struct pat_sequences *s, struct pat_joins *out);

void pat_joins_fini(struct pat_joins *j);

/* The sequence that the members of j, two at least, are together: an access of each in turn; of an update
 * its stores.
 * Owns:   the caller frees out->indices.data and out->breaks.
 * Errors: LS_ERR_NOMEM, LS_ERR_RANGE; then out holds nothing. */
ls_err pat_join_sequence(const struct pat_sequences *s, const struct pat_tables *t, const struct pat_join *j,
                         struct pat_sequence *out);

#endif
