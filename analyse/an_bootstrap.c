/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_bootstrap.h"

#include "common/ls_random.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AN_NO_BLOCK UINT32_MAX

/* The wholes of shares: a metric, or the time as attributed to accesses, which has the same sum but different
 * values per burst. */
enum { AN_DATA_TIME = AN_STALL + 1, AN_WHOLES };

struct an_bootstrap {
    uint32_t *block_of_burst; /* AN_NO_BLOCK for bursts with neither weight nor accesses */
    size_t blocks_len;
    uint8_t (*counts)[AN_RESAMPLES]; /* by block: how often each resample holds it */
    double whole[AN_WHOLES];
    double resampled_whole[AN_WHOLES][AN_RESAMPLES];
    size_t bursts[2];
    bool is_of_job; /* rows are sums over ranks, which cannot be resampled */
    char method[128];
};

/* Knuth's product of uniforms: with mean 1 it takes two draws on average. */
static uint8_t an_random_poisson1(uint64_t *state)
{
    const double limit = exp(-1.0);
    uint8_t k = 0;
    for (double p = 1; k < UINT8_MAX; k++) {
        p *= ls_random_uniform(state);
        if (p <= limit) break;
    }
    return k;
}

static bool an_is_unit(const struct an_costs *costs, const struct prof_burst *b)
{
    return b->samples_len > 0 || an_weight_ns(costs, b) > 0;
}

static void an_deal_blocks(an_bootstrap *b, const struct an_input *in, const struct an_costs *costs,
                           size_t units, uint64_t *random)
{
    size_t next = 0;
    b->blocks_len = units < AN_BLOCKS_MAX ? units : AN_BLOCKS_MAX;
    for (size_t i = 0; i < in->bursts_len; i++) {
        if (!an_is_unit(costs, &in->bursts[i]))
            b->block_of_burst[i] = AN_NO_BLOCK;
        else
            b->block_of_burst[i] =
                (uint32_t)(units <= AN_BLOCKS_MAX ? next++ : ls_random_below(random, AN_BLOCKS_MAX));
    }
}

static void an_draw_plain(an_bootstrap *b, uint64_t *random)
{
    for (size_t r = 0; r < AN_RESAMPLES; r++) {
        for (size_t k = 0; k < b->blocks_len; k++) {
            uint8_t *count = &b->counts[ls_random_below(random, b->blocks_len)][r];
            *count = (uint8_t)(*count + (*count < UINT8_MAX));
        }
    }
}

static void an_draw_poisson(an_bootstrap *b, uint64_t *random)
{
    for (size_t k = 0; k < b->blocks_len; k++)
        for (size_t r = 0; r < AN_RESAMPLES; r++)
            b->counts[k][r] = an_random_poisson1(random);
}

static void an_resample_add(const an_bootstrap *b, double *sums, uint32_t block, double value)
{
    const uint8_t *count = b->counts[block];
    for (size_t r = 0; r < AN_RESAMPLES; r++)
        sums[r] += value * (double)count[r];
}

static void an_resample_wholes(an_bootstrap *b, const struct an_input *in, const struct an_costs *costs)
{
    for (size_t i = 0; i < in->bursts_len; i++) {
        const struct prof_burst *burst = &in->bursts[i];
        if (b->block_of_burst[i] == AN_NO_BLOCK) continue;
        double sum[AN_WHOLES] = {an_weight_ns(costs, burst), 0, an_data_weight_ns(costs, burst)};
        for (uint64_t s = burst->first_sample; s < burst->first_sample + burst->samples_len; s++)
            sum[AN_STALL] += (double)costs->stall_ns[s];
        for (int m = AN_TIME; m < AN_WHOLES; m++) {
            b->whole[m] += sum[m];
            an_resample_add(b, b->resampled_whole[m], b->block_of_burst[i], sum[m]);
        }
    }
}

ls_err an_bootstrap_new(const struct an_input *in, const struct an_costs *costs, uint64_t seed,
                        an_bootstrap **out)
{
    an_bootstrap *b = calloc(1, sizeof(*b));
    size_t units = 0;
    for (size_t i = 0; i < in->bursts_len; i++)
        units += an_is_unit(costs, &in->bursts[i]);
    const size_t blocks = units < AN_BLOCKS_MAX ? units : AN_BLOCKS_MAX;
    if (b) {
        b->block_of_burst = calloc(in->bursts_len + 1, sizeof(*b->block_of_burst));
        b->counts = calloc(blocks + 1, sizeof(*b->counts));
    }
    if (!b || !b->block_of_burst || !b->counts) {
        an_bootstrap_free(b);
        return ls_nomem("the bootstrap over %zu bursts", in->bursts_len);
    }
    uint64_t random = seed;
    b->is_of_job = in->is_of_job;
    b->bursts[AN_TIME] = costs->bursts;
    b->bursts[AN_STALL] = costs->measured_bursts;
    an_deal_blocks(b, in, costs, units, &random);
    const int plain = units <= AN_BLOCKS_MAX;
    (plain ? an_draw_plain : an_draw_poisson)(b, &random);
    an_resample_wholes(b, in, costs);
    snprintf(b->method, sizeof(b->method),
             plain ? "bootstrap over %zu bursts, %d resamples, 95 %%"
                   : "Poisson bootstrap over %zu bursts in "
                     "2048 blocks, %d resamples, 95 %%",
             costs->bursts, AN_RESAMPLES);
    if (in->is_of_job) snprintf(b->method, sizeof(b->method), "none: rows are sums over ranks");
    *out = b;
    return LS_OK;
}

void an_bootstrap_free(an_bootstrap *b)
{
    if (!b) return;
    free(b->block_of_burst);
    free(b->counts);
    free(b);
}

const char *an_bootstrap_method(const an_bootstrap *b)
{
    return b->method;
}

size_t an_bootstrap_bursts(const an_bootstrap *b, enum an_metric metric)
{
    return b->bursts[metric];
}

/* Sort NAN after all numbers. */
static int an_compare_double(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

void an_bootstrap_limits(double values[AN_RESAMPLES], double *low, double *high)
{
    qsort(values, AN_RESAMPLES, sizeof(*values), an_compare_double);
    size_t len = AN_RESAMPLES;
    while (len > 0 && isnan(values[len - 1]))
        len--;
    *low = *high = NAN;
    if (2 * len < AN_RESAMPLES) return;
    const size_t tail = (size_t)((1 - AN_CONFIDENCE) / 2 * (double)len);
    *low = values[tail];
    *high = values[len - 1 - tail];
}

/* Parts of bursts; by_origin selects the whole that they are shares of. */
struct an_parts {
    const struct an_part *rows;
    size_t len;
    bool by_origin;
};

static double an_part_value(const struct an_part *p, enum an_metric metric)
{
    return (double)(metric == AN_TIME ? p->time_ns : p->stall_ns);
}

static double an_parts_sum(const struct an_parts *parts, enum an_metric metric)
{
    double sum = 0;
    for (size_t i = 0; i < parts->len; i++)
        sum += an_part_value(&parts->rows[i], metric);
    return sum;
}

static void an_parts_resample(const an_bootstrap *b, const struct an_parts *parts, enum an_metric metric,
                              double out[AN_RESAMPLES])
{
    memset(out, 0, AN_RESAMPLES * sizeof(*out));
    for (size_t i = 0; i < parts->len; i++) {
        const double value = an_part_value(&parts->rows[i], metric);
        if (value != 0) an_resample_add(b, out, b->block_of_burst[parts->rows[i].burst], value);
    }
}

/* Limit stall to time, because in views by origin the loads of a line may stall in bursts that began
 * elsewhere. */
static void an_parts_sums(const an_bootstrap *b, const struct an_parts *parts, enum an_metric metric,
                          double out[AN_RESAMPLES])
{
    double time[AN_RESAMPLES];
    an_parts_resample(b, parts, metric, out);
    if (metric == AN_TIME) return;
    an_parts_resample(b, parts, AN_TIME, time);
    for (size_t r = 0; r < AN_RESAMPLES; r++)
        out[r] = fmin(out[r], time[r]);
}

void an_bootstrap_sums(const an_bootstrap *b, const an_table *t, uint32_t group, enum an_metric metric,
                       double out[AN_RESAMPLES])
{
    struct an_parts parts = {.by_origin = an_table_is_by_origin(t)};
    parts.rows = an_table_parts(t, group, &parts.len);
    an_parts_sums(b, &parts, metric, out);
}

static int an_whole_of(enum an_metric metric, bool by_origin)
{
    return metric == AN_TIME && !by_origin ? AN_DATA_TIME : (int)metric;
}

const double *an_bootstrap_wholes(const an_bootstrap *b, enum an_metric metric, bool by_origin)
{
    return b->resampled_whole[an_whole_of(metric, by_origin)];
}

uint32_t an_bootstrap_block(const an_bootstrap *b, uint32_t burst)
{
    return b->block_of_burst[burst];
}

static size_t an_bootstrap_blocks(const an_bootstrap *b)
{
    return b->blocks_len;
}

const uint8_t *an_bootstrap_counts(const an_bootstrap *b, uint32_t block)
{
    return b->counts[block];
}

/* Parts are single precision: their sum may exceed the whole by rounding. */
static double an_fraction(double part, double whole)
{
    return fmin(part / whole, 1);
}

/* whole: the metric whose whole is 1. */
static struct an_interval an_parts_share(const an_bootstrap *b, const struct an_parts *parts,
                                         enum an_metric metric, enum an_metric whole)
{
    const int of = an_whole_of(whole, parts->by_origin);
    struct an_interval out = {.share = NAN, .low = NAN, .high = NAN};
    if (b->whole[of] <= 0) return out;
    double sums[AN_RESAMPLES];
    out.share = an_fraction(fmin(an_parts_sum(parts, metric), an_parts_sum(parts, AN_TIME)), b->whole[of]);
    if (b->bursts[metric] < AN_BURSTS_MIN || b->is_of_job) return out;
    an_parts_sums(b, parts, metric, sums);
    for (size_t r = 0; r < AN_RESAMPLES; r++)
        sums[r] = b->resampled_whole[of][r] > 0 ? an_fraction(sums[r], b->resampled_whole[of][r]) : out.share;
    an_bootstrap_limits(sums, &out.low, &out.high);
    return out;
}

struct an_interval an_bootstrap_share(const an_bootstrap *b, const an_table *t, uint32_t group,
                                      enum an_metric metric)
{
    struct an_parts parts = {.by_origin = an_table_is_by_origin(t)};
    parts.rows = an_table_parts(t, group, &parts.len);
    return an_parts_share(b, &parts, metric, metric);
}

struct an_interval an_bootstrap_share_self(const an_bootstrap *b, const an_table *t, uint32_t group,
                                           enum an_metric metric)
{
    struct an_parts parts = {.by_origin = an_table_is_by_origin(t)};
    parts.rows = an_table_parts_self(t, group, &parts.len);
    return an_parts_share(b, &parts, metric, metric);
}

struct an_interval an_bootstrap_gain(const an_bootstrap *b, const an_table *t, uint32_t group)
{
    struct an_parts parts = {.by_origin = an_table_is_by_origin(t)};
    parts.rows = an_table_parts_self(t, group, &parts.len);
    return an_parts_share(b, &parts, AN_STALL, AN_TIME);
}

/* --- medians of resamples --- */

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
            an_halve(m, (m->low[r] + m->high[r]) / 2); /* resamples with the same range move together */
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
