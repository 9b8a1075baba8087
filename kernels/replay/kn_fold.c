/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/replay/kn_fold.h"

#include <stdbool.h>

/* Distances wrap: one that overflows gives the correct index again when it is added. */
static int64_t distance(const int64_t *index, size_t j, size_t len)
{
    return (int64_t)((uint64_t)index[j + len] - (uint64_t)index[j]);
}

static bool folds(const int64_t *index, size_t len, size_t fold)
{
    if (len % fold != 0) return false;
    for (size_t j = 1; j + fold < len; j++)
        if (distance(index, j, fold) != distance(index, 0, fold)) return false;
    return true;
}

/* Merge pairs of short rows while the overhead of a turn exceeds the cost of its accesses. */
static struct kn_fold widened(struct kn_fold f)
{
    while (2 * f.len <= KN_FOLD_WIDE && f.times % 2 == 0 && f.times > 2) {
        f.len *= 2;
        f.times /= 2;
        f.step = (int64_t)(2 * (uint64_t)f.step);
    }
    return f;
}

struct kn_fold kn_fold_find(const int64_t *index, size_t len)
{
    for (size_t fold = 1; fold <= KN_HELD_MAX && fold <= len / 2; fold++)
        if (folds(index, len, fold))
            return widened((struct kn_fold){fold, len / fold, distance(index, 0, fold)});
    return (struct kn_fold){len, 1, 0};
}
