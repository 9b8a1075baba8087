/* SPDX-License-Identifier: BSD-3-Clause */
/* The median latency of a group in every resample of the bootstrap over bursts. */
#ifndef AN_MEDIAN_H
#define AN_MEDIAN_H

#include "analyse/an_bootstrap.h"

/* A measured load: its latency, and the resampled unit of its burst. */
struct an_latency {
    int32_t cycles;
    uint32_t block;
};

/* The median of the loads in each resample, refined by step as in an_median_refined; NAN in resamples without
 * loads. Sorts loads. All resamples bisect over the values at once: they meet near the median, so few values
 * are counted.  Errors: LS_ERR_NOMEM. */
ls_err an_median_resample(const an_bootstrap *b, struct an_latency *loads, size_t len, double step,
                          double out[AN_RESAMPLES]);

#endif
