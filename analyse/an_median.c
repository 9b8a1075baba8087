/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_median.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct an_median {
    const an_bootstrap *bootstrap;
    const struct an_latency *loads; /* sorted by cycles */
    size_t len;
    double *numbers; /* by block: number of its loads in a range, followed by their sums by block */
    int32_t *values; /* distinct, rising */
    size_t values_len;
    double wholes[AN_RESAMPLES];                  /* loads in each resample */
    size_t low[AN_RESAMPLES], high[AN_RESAMPLES]; /* the median is in values[low, high] */
};

static int an_compare_latencies(const void *a, const void *b)
{
    const struct an_latency *x = a, *y = b;
    return (x->cycles > y->cycles) - (x->cycles < y->cycles);
}

/* Add up by_block, weighted by the number of times that each resample holds the block. */
static void an_add_blocks(const struct an_median *m, const double *by_block, double out[AN_RESAMPLES])
{
    memset(out, 0, AN_RESAMPLES * sizeof(*out));
    for (size_t k = 0; k < an_bootstrap_blocks(m->bootstrap); k++) {
        if (by_block[k] == 0) continue;
        const uint8_t *counts = an_bootstrap_counts(m->bootstrap, (uint32_t)k);
        for (size_t r = 0; r < AN_RESAMPLES; r++)
            out[r] += by_block[k] * (double)counts[r];
    }
}

/* Number and sum of the loads in [low, high], in each resample. sums may be NULL. */
static void an_count_within(struct an_median *m, double low, double high, double *numbers, double *sums)
{
    const size_t blocks = an_bootstrap_blocks(m->bootstrap);
    memset(m->numbers, 0, 2 * blocks * sizeof(*m->numbers));
    for (size_t i = 0; i < m->len && m->loads[i].cycles <= high; i++) {
        if (m->loads[i].cycles < low) continue;
        m->numbers[m->loads[i].block]++;
        m->numbers[blocks + m->loads[i].block] += m->loads[i].cycles;
    }
    an_add_blocks(m, m->numbers, numbers);
    if (sums) an_add_blocks(m, m->numbers + blocks, sums);
}

/* Halve the range of every resample whose middle is values[middle]. */
static void an_halve(struct an_median *m, size_t middle)
{
    double below[AN_RESAMPLES];
    an_count_within(m, -INFINITY, m->values[middle], below, NULL);
    for (size_t r = 0; r < AN_RESAMPLES; r++) {
        if (m->low[r] >= m->high[r] || (m->low[r] + m->high[r]) / 2 != middle) continue;
        if (2 * below[r] >= m->wholes[r])
            m->high[r] = middle;
        else
            m->low[r] = middle + 1;
    }
}

static void an_bisect(struct an_median *m)
{
    for (size_t r = 0; r < AN_RESAMPLES; r++)
        while (m->low[r] < m->high[r])
            an_halve(m, (m->low[r] + m->high[r]) / 2); /* the others that ask the same move with it */
}

static void an_median_values(struct an_median *m)
{
    for (size_t i = 0; i < m->len; i++)
        if (m->values_len == 0 || m->values[m->values_len - 1] != m->loads[i].cycles)
            m->values[m->values_len++] = m->loads[i].cycles;
}

/* The mean around each median, as in an_median_refined; resamples with the same median share the work. */
static void an_refine(struct an_median *m, double step, double out[AN_RESAMPLES])
{
    double numbers[AN_RESAMPLES], sums[AN_RESAMPLES];
    for (size_t at = 0; at < m->values_len; at++) {
        const double value = m->values[at];
        bool is_counted = false;
        for (size_t r = 0; r < AN_RESAMPLES; r++) {
            if (m->low[r] != at || isnan(out[r])) continue;
            if (!is_counted) an_count_within(m, value - 1.5 * step, value + 1.5 * step, numbers, sums);
            is_counted = true;
            out[r] = sums[r] / numbers[r];
        }
    }
}

ls_err an_median_resample(const an_bootstrap *b, struct an_latency *loads, size_t len, double step,
                          double out[AN_RESAMPLES])
{
    struct an_median *m = calloc(1, sizeof(*m));
    for (size_t r = 0; r < AN_RESAMPLES; r++)
        out[r] = NAN;
    if (m) {
        m->numbers = calloc(2 * an_bootstrap_blocks(b) + 1, sizeof(*m->numbers));
        m->values = malloc((len + 1) * sizeof(*m->values));
    }
    const ls_err err = m && m->numbers && m->values ? LS_OK : ls_nomem("the median of %zu loads", len);
    if (err == LS_OK && len > 0) {
        qsort(loads, len, sizeof(*loads), an_compare_latencies);
        m->bootstrap = b;
        m->loads = loads;
        m->len = len;
        an_median_values(m);
        an_count_within(m, -INFINITY, INFINITY, m->wholes, NULL);
        for (size_t r = 0; r < AN_RESAMPLES; r++)
            m->high[r] = m->values_len - 1;
        an_bisect(m);
        for (size_t r = 0; r < AN_RESAMPLES; r++)
            if (m->wholes[r] > 0) out[r] = m->values[m->low[r]];
        if (step > 1) an_refine(m, step, out);
    }
    if (m) {
        free(m->numbers);
        free(m->values);
    }
    free(m);
    return err;
}
