/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kn_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* At share of the way through sorted[0..len), between neighbours linearly. */
static double quantile(const double *sorted, size_t len, double share)
{
    const double at = share * (double)(len - 1);
    const size_t below = (size_t)at;
    const size_t above = below + 1 < len ? below + 1 : below;
    return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

static double mean_of(const double *values, size_t len)
{
    double sum = 0;
    for (size_t i = 0; i < len; i++)
        sum += values[i];
    return sum / (double)len;
}

static double deviation_of(const double *values, size_t len, double mean)
{
    double sum = 0;
    for (size_t i = 0; i < len; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return len < 2 ? NAN : sqrt(sum / (double)(len - 1));
}

static void set_order(struct kn_stats *s, const double *values, size_t len)
{
    double *sorted = malloc(len * sizeof(*sorted));
    if (!sorted) return;
    memcpy(sorted, values, len * sizeof(*sorted));
    qsort(sorted, len, sizeof(*sorted), by_value);
    s->quartile1 = quantile(sorted, len, 0.25);
    s->median = quantile(sorted, len, 0.5);
    s->quartile3 = quantile(sorted, len, 0.75);
    free(sorted);
}

struct kn_stats kn_stats_of(const double *values, size_t len)
{
    struct kn_stats s = {len, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (len == 0) return s;
    s.min = s.max = values[0];
    for (size_t i = 1; i < len; i++) {
        s.min = fmin(s.min, values[i]);
        s.max = fmax(s.max, values[i]);
    }
    s.mean = mean_of(values, len);
    s.deviation = deviation_of(values, len, s.mean);
    set_order(&s, values, len);
    return s;
}

double kn_harmonic_mean(const double *values, size_t len)
{
    double sum = 0;
    for (size_t i = 0; i < len; i++) {
        if (!(values[i] > 0)) return NAN;
        sum += 1 / values[i];
    }
    return len ? (double)len / sum : NAN;
}

double kn_harmonic_stderr(const double *values, size_t len)
{
    const double hmean = kn_harmonic_mean(values, len);
    if (len < 2 || isnan(hmean)) return NAN;
    double sum = 0;
    for (size_t i = 0; i < len; i++) {
        const double off = 1 / values[i] - 1 / hmean; /* 1/hmean is the mean of the inverses */
        sum += off * off;
    }
    return hmean * hmean * sqrt(sum / (double)(len - 1)) / sqrt((double)len);
}

double kn_pearson_r(const double *x, const double *y, size_t len)
{
    if (len < 2) return NAN;
    const double mx = mean_of(x, len), my = mean_of(y, len);
    double xy = 0, xx = 0, yy = 0;
    for (size_t i = 0; i < len; i++) {
        xy += (x[i] - mx) * (y[i] - my);
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}
