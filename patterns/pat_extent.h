/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements that a configuration touches, and the memory it needs, computed before any allocation. */
#ifndef PAT_EXTENT_H
#define PAT_EXTENT_H

#include "patterns/pat_config.h"

enum pat_side { PAT_SIDE_GATHER, PAT_SIDE_SCATTER };

/* Elements [low, high] of one sparse array, which contain index + base of any iteration; low may have either
 * sign. An array of high - low + 1 elements whose element 0 is low holds them all. */
struct pat_extent {
    int64_t low, high;
};

/* Find the elements that side of c touches: for gs the array it gathers from or the one it scatters to; the
 * other kernels have one sparse array and side is ignored. Errors: LS_ERR_RANGE when c has no indices, a
 * level of a multi kernel points outside the pattern, or an element does not fit 64 bits; *out is
 * unchanged. */
ls_err pat_extent_of(const struct pat_config *c, enum pat_side side, struct pat_extent *out);

/* The same for the only sparse array of c where its threads are apart (pat_config_is_apart). */
ls_err pat_extent_apart(const struct pat_config *c, struct pat_extent *out);

/* Elements in e: 1 at least. */
uint64_t pat_extent_elements(const struct pat_extent *e);

/* Elements of the dense array, len * wrap: 0 for gs and where values stay in registers.
 * Errors: LS_ERR_RANGE when the product does not fit; *out is unchanged. */
ls_err pat_dense_elements(const struct pat_config *c, uint64_t *out);

/* Element of iteration i, before an index is added. The caller has checked c by pat_extent_of. */
int64_t pat_base(int64_t delta, const struct pat_indices *deltas, uint64_t i);

#endif
