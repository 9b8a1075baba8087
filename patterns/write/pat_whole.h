/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns access by access, for formats that have no count: the accesses of the program itself where they
 * are known, also those before and behind what repeats. */
#ifndef PAT_WHOLE_H
#define PAT_WHOLE_H

#include "patterns/write/pat_write.h"

/* The accesses of r, in its elements, the lowest 0, at most accesses_max of them.
 * Owns:   the caller frees out->data.
 * Errors: LS_ERR_NOMEM, LS_ERR_RANGE; *out is then empty. */
ls_err pat_whole(const struct pat_found *r, uint64_t accesses_max, struct pat_indices *out);

/* How many of them that is, and how many accesses the program made there (of one of its threads). */
uint64_t pat_whole_len(const struct pat_found *r, uint64_t accesses_max);
uint64_t pat_whole_made(const struct pat_found *r);

/* One note to o of all patterns of f whose accesses are not all written, with their numbers, and one of those
 * that are drawn. */
void pat_whole_note(const struct pat_findings *f, const struct pat_write_options *o);

#endif
