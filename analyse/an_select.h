/* SPDX-License-Identifier: BSD-3-Clause */
/* Order statistics by selection, without a full sort. */
#ifndef AN_SELECT_H
#define AN_SELECT_H

#include <stddef.h>
#include <stdint.h>

/* The q-quantile (nearest rank: the smallest value with at least q * len values at or below it); NAN for len
 * 0. values is reordered. */
double an_quantile_i32(int32_t *values, size_t len, double q);
double an_quantile_i64(int64_t *values, size_t len, double q);

/* The median, refined where values are multiples of a step, as from a coarse clock: the mean of all values
 * within 1.5 steps of it. A time between two steps is read as either of the two, in proportions whose mean is
 * the true time. With step <= 1 the plain median; NAN for len 0. values is reordered. */
double an_median_refined(int32_t *values, size_t len, double step);

#endif
