/* SPDX-License-Identifier: BSD-3-Clause */
/* A row of indices that is a short one several times over, each a step from the one before: what an inner
 * loop makes of constant offsets. */
#ifndef KN_FOLD_H
#define KN_FOLD_H

#include <stddef.h>
#include <stdint.h>

/* Rows of so many elements, or folded to so many, are moved with their indices in registers. */
#define KN_HELD_MAX 8
/* Of a shorter fold some are taken together, this many elements at most: more than these would not stay in
 * registers beside what walks over them. */
#define KN_FOLD_WIDE 4

struct kn_fold {
    size_t len;   /* elements of the short row */
    size_t times; /* 1: the row is not folded */
    int64_t step; /* index j + len is index j + step, for every j */
};

/* The shortest fold of the row, of KN_HELD_MAX elements at most where it is one; or two or four of it at once
 * where that divides the row and is KN_FOLD_WIDE elements at most. */
struct kn_fold kn_fold_find(const int64_t *index, size_t len);

#endif
