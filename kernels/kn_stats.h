/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of repeated measurements. */
#ifndef KN_STATS_H
#define KN_STATS_H

#include <stddef.h>

/* All NAN when there is nothing to describe. */
struct kn_stats {
    size_t len;
    double min, quartile1, median, quartile3, max, mean, deviation;
};

/* Describe values[0..len). Quartiles by linear interpolation between order statistics; deviation is the
 * sample's (n - 1). Owns:   sorts nothing of the caller's. Errors: none; without memory for a sorted copy
 * only min, max and mean are set. */
struct kn_stats kn_stats_of(const double *values, size_t len);

/* len / sum(1/v); NAN when len is 0 or a value is not positive. */
double kn_harmonic_mean(const double *values, size_t len);
/* hmean^2 * sigma(1/v) / sqrt(len), as Spatter 1 prints it as H.StdErr; NAN when len < 2. */
double kn_harmonic_stderr(const double *values, size_t len);
/* Pearson's R = cov(x, y) / (std(x) std(y)) (Spatter paper, equation 1); NAN when len < 2 or one of them is
 * constant. */
double kn_pearson_r(const double *x, const double *y, size_t len);

#endif
