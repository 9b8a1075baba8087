/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples small blocks: a Poisson process runs over the allocated bytes with one point each period_bytes on
 * average, and the blocks that contain a point are recorded. A block of n bytes is hit with the chance 1 -
 * exp(-n / period), whatever was allocated before it, so dividing by that chance estimates all of them
 * without bias. */
#ifndef RT_POISSON_SIGSAFE_H
#define RT_POISSON_SIGSAFE_H

#include <stdint.h>

/* State of one thread. Zeroed: nothing drawn yet. */
struct rt_poisson {
    uint64_t random;       /* state of the generator, 0 before it is seeded */
    uint32_t period_bytes; /* period of the last gap drawn, 0: none was */
};

/* -ln(u) with an error below 1e-9, for 0 < u <= 1. */
double rt_negative_log(double u);

/* Bytes to the next point: exponential with this mean, at least 0. Seeds p when it is new.
 * Thread: the owner of p. */
int64_t rt_poisson_gap(struct rt_poisson *p, uint32_t period_bytes, uint64_t seed);

#endif
