/* SPDX-License-Identifier: BSD-3-Clause */
/* A frozen set of ranges for many look-ups: nesting is flattened into elementary segments, whose starts are
 * stored in one array in Eytzinger order (the breadth-first order of a perfect binary search tree; Khuong and
 * Morin, "Array Layouts for Comparison-Based Searching", 2017), so that the search has no unpredictable
 * branch and prefetches four levels ahead.
 *
 * Unless stated otherwise: Thread: one at a time for one object, any for different ones.  Signal: not
 * safe. */
#ifndef SMR_INDEX_H
#define SMR_INDEX_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SMR_INDEX_NONE UINT32_MAX

typedef struct smr_index smr_index;
struct smr_avl;

/* Make an index of the ranges of t.
 * Owns: *out is freed by smr_index_free and independent of t.  Errors: LS_ERR_NOMEM. */
ls_err smr_index_new(const struct smr_avl *t, smr_index **out);
void smr_index_free(smr_index *x); /* NULL-safe */

/* Find the value of the innermost range that contained addr.
 * Thread: any number at once.  Signal: safe. */
bool smr_index_find(const smr_index *x, uint64_t addr, uint32_t *out_value);

/* Find the value at each addrs[i], or SMR_INDEX_NONE. Several searches advance together, so that their cache
 * misses overlap: use this function for large numbers of addresses. Thread: any number at once.  Signal:
 * safe. */
void smr_index_find_bulk(const smr_index *x, const uint64_t *addrs, size_t len, uint32_t *out_values);

/* Return the number of elementary segments, gaps included. */
size_t smr_index_len(const smr_index *x);

#endif
