/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads of indices, whose place in a replay is taken by the index list that it reads. */
#ifndef PAT_FEEDS_H
#define PAT_FEEDS_H

#include "patterns/compact/pat_found.h"

/* Drop from f, which was made of s, the loads that do nothing but run through the indices of another row of
 * f: element by element, and not more often than that row accesses something. *out_dropped: how many. Errors:
 * LS_ERR_NOMEM; then f is as it was. */
ls_err pat_feeds_drop(struct pat_findings *f, const struct pat_sequences *s, size_t *out_dropped);

#endif
