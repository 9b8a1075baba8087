/* SPDX-License-Identifier: BSD-3-Clause */
/* A row of indices that repeats a short row, each time shifted by a step, as the constant offsets of an inner
 * loop do. */
#ifndef KN_FOLD_H
#define KN_FOLD_H

#include <stddef.h>
#include <stdint.h>

/* Rows of at most this many elements, also after folding, are moved with their indices in registers. */
#define KN_HELD_MAX 8
/* Shorter folds are merged up to this many elements; more would not stay in registers next to the loop's own
 * variables. */
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
