/* SPDX-License-Identifier: BSD-3-Clause */
/* Prefix sums over positions that change, in n log n, whereas counting would take n squared (Fenwick,
 * Software: Practice and Experience 24, 1994). Positions hold 0 or 1. */
#ifndef PAT_MEASURE_FENWICK_H
#define PAT_MEASURE_FENWICK_H

#include <stddef.h>
#include <stdint.h>

struct pat_fenwick {
    uint32_t *sums; /* zeroed and owned by the caller */
    size_t len;
};

/* Subtract by adding UINT32_MAX: sums are modulo 2^32, and never that large. */
static inline void pat_fenwick_add(struct pat_fenwick *f, size_t at, uint32_t what)
{
    for (size_t i = at + 1; i <= f->len; i += i & -i)
        f->sums[i - 1] += what;
}

/* Return the sum of the positions before `at`. */
static inline uint64_t pat_fenwick_sum(const struct pat_fenwick *f, size_t at)
{
    uint64_t sum = 0;
    for (size_t i = at; i > 0; i -= i & -i)
        sum += f->sums[i - 1];
    return sum;
}

/* Return the position of the one that has `before` ones in front of it; the tree must hold more than
 * `before`. */
static inline size_t pat_fenwick_find(const struct pat_fenwick *f, uint64_t before)
{
    size_t at = 0, step = 1;
    while (2 * step <= f->len)
        step *= 2;
    for (; step > 0; step /= 2)
        if (at + step <= f->len && f->sums[at + step - 1] <= before) {
            at += step;
            before -= f->sums[at - 1];
        }
    return at;
}

#endif
