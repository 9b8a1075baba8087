/* SPDX-License-Identifier: BSD-3-Clause */
/* Order statistics by selection, without a full sort. */
#ifndef AN_SELECT_H
#define AN_SELECT_H

#include <stddef.h>
#include <stdint.h>

/* The q-quantile (nearest rank: the smallest value with at least q * len values at or below it); NAN for len
 * 0. values is reordered. */
double an_quantile_u32(uint32_t *values, size_t len, double q);
double an_quantile_i64(int64_t *values, size_t len, double q);

#endif
