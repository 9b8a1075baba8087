/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AN_NEVER_SEEN 3.0 /* 95 % upper bound of a mean when 0 was observed: -ln(0.05) */

struct an_run {
    struct an_diff_run given;
    an_table *table;
    an_bootstrap *bootstrap;
};

struct an_side {
    struct an_run *runs;
    size_t len;
    double whole_ns; /* CPU time, the mean over the runs */
};

struct an_diff {
    struct an_side sides[2];
};

/* Values of one side's runs, NAN left out. */
struct an_spread {
    size_t len;
    double mean, variance; /* NAN below 1 value and 2 values */
};

bool an_change_is_significant(const struct an_change *c)
{
    return c->low > 0 || c->high < 0;
}

double an_change_margin(const struct an_change *c)
{
    const double change = c->b - c->a;
    return isnan(c->low) ? NAN : fmax(change < 0 ? c->high - change : change - c->low, 0);
}

static ls_err an_run_init(struct an_run *r, const struct an_diff_run *given, uint32_t rows_len, uint64_t seed)
{
    const struct an_grouping by = {.group_of_sample = given->row_of_sample,
                                   .group_of_burst = given->row_of_burst,
                                   .groups_len = rows_len,
                                   .by_origin = given->by_origin};
    r->given = *given;
    LS_TRY(an_table_new(given->in, given->costs, &by, &r->table));
    return an_bootstrap_new(given->in, given->costs, seed, &r->bootstrap);
}

/* The seeds of no two runs are equal, so that their resamples are independent. */
static ls_err an_side_init(struct an_side *s, const struct an_diff_side *given, uint32_t rows_len,
                           uint64_t seed)
{
    s->runs = calloc(given->len, sizeof(*s->runs));
    if (!s->runs) return ls_nomem("a comparison of %zu runs", given->len);
    s->len = given->len;
    for (size_t i = 0; i < s->len; i++) {
        LS_TRY(an_run_init(&s->runs[i], &given->runs[i], rows_len, seed + 2 * i));
        s->whole_ns += given->runs[i].costs->weight_ns / (double)s->len;
    }
    return LS_OK;
}

ls_err an_diff_new(const struct an_diff_side sides[2], uint32_t rows_len, an_diff **out)
{
    an_diff *d = calloc(1, sizeof(*d));
    if (!d) return ls_nomem("a comparison");
    ls_err err = an_side_init(&d->sides[0], &sides[0], rows_len, 1);
    if (err == LS_OK) err = an_side_init(&d->sides[1], &sides[1], rows_len, 2);
    if (err != LS_OK) {
        an_diff_free(d);
        return err;
    }
    *out = d;
    return LS_OK;
}

void an_diff_free(an_diff *d)
{
    if (!d) return;
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < d->sides[side].len; i++) {
            an_table_free(d->sides[side].runs[i].table);
            an_bootstrap_free(d->sides[side].runs[i].bootstrap);
        }
        free(d->sides[side].runs);
    }
    free(d);
}

size_t an_diff_bursts(const an_diff *d, int side)
{
    size_t bursts = 0;
    for (size_t i = 0; i < d->sides[side].len; i++)
        bursts += an_bootstrap_bursts(d->sides[side].runs[i].bootstrap, AN_TIME);
    return bursts;
}

bool an_diff_has_intervals(const an_diff *d)
{
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < d->sides[side].len; i++)
            if (d->sides[side].runs[i].given.in->is_of_job) return false;
    return true;
}

/* ---- how runs vary ---- */

typedef double an_run_value(const struct an_run *r, uint32_t row);

static double an_value_time(const struct an_run *r, uint32_t row)
{
    return an_table_total(r->table, row)->time_ns;
}

static double an_value_stall(const struct an_run *r, uint32_t row)
{
    return an_table_total(r->table, row)->stall_ns;
}

static double an_value_share(const struct an_run *r, uint32_t row)
{
    const double whole = r->given.costs->weight_ns;
    return whole > 0 ? an_value_time(r, row) / whole : NAN;
}

static double an_value_median(const struct an_run *r, uint32_t row)
{
    return an_table_total(r->table, row)->median_cycles;
}

static struct an_spread an_spread_of(const struct an_side *s, uint32_t row, an_run_value *value)
{
    struct an_spread out = {0, NAN, NAN};
    double sum = 0, squares = 0;
    for (size_t i = 0; i < s->len; i++) {
        const double x = value(&s->runs[i], row);
        sum += isnan(x) ? 0 : x;
        out.len += !isnan(x);
    }
    if (out.len > 0) out.mean = sum / (double)out.len;
    for (size_t i = 0; i < s->len; i++) {
        const double x = value(&s->runs[i], row);
        squares += isnan(x) ? 0 : (x - out.mean) * (x - out.mean);
    }
    if (out.len > 1) out.variance = squares / (double)(out.len - 1);
    return out;
}

/* The 97.5 % quantile of Student's distribution: below 5 degrees of freedom the exact value of the whole number
 * below, else the expansion 26.7.5 of Abramowitz and Stegun, "Handbook of Mathematical Functions". */
static double an_student(double freedom)
{
    static const double exact[] = {12.7062, 4.3027, 3.1824, 2.7764};
    static const double terms[] = {1.95996, 2.37227, 2.82250, 2.55585, 1.58953};
    const size_t exact_len = sizeof(exact) / sizeof(exact[0]);
    if (freedom < (double)exact_len + 1) return exact[freedom < 1 ? 0 : (size_t)freedom - 1];
    double sum = 0;
    for (size_t i = sizeof(terms) / sizeof(terms[0]); i > 0; i--)
        sum = sum / freedom + terms[i - 1];
    return sum;
}

/* Widen c to hold the interval of the difference of the runs' means, where runs can be compared. */
static void an_hold_variation(const struct an_spread *a, const struct an_spread *b, struct an_change *c)
{
    if (a->len == 0 || b->len == 0 || a->len + b->len < 3) return;
    const double of_a = (a->len > 1 ? a->variance : b->variance) / (double)a->len,
                 of_b = (b->len > 1 ? b->variance : a->variance) / (double)b->len;
    if (of_a + of_b <= 0) return;
    const double spread = of_a + of_b;
    double freedom = (double)(a->len > 1 ? a->len : b->len) - 1; /* one side of one run */
    if (a->len > 1 && b->len > 1)
        freedom = spread * spread / (of_a * of_a / ((double)a->len - 1) + of_b * of_b / ((double)b->len - 1));
    const double half = an_student(freedom) * sqrt(spread);
    c->low = fmin(c->low, c->b - c->a - half);
    c->high = fmax(c->high, c->b - c->a + half);
}

/* ---- the sampling error ---- */

/* Resamples of one run, added to the sums of its side; NAN adds nothing. */
struct an_mean {
    double sums[AN_RESAMPLES], numbers[AN_RESAMPLES];
};

static void an_mean_add(struct an_mean *m, const double values[AN_RESAMPLES], double scale)
{
    for (size_t i = 0; i < AN_RESAMPLES; i++) {
        m->sums[i] += isnan(values[i]) ? 0 : values[i] * scale;
        m->numbers[i] += !isnan(values[i]);
    }
}

static void an_mean_take(const struct an_mean *m, double out[AN_RESAMPLES])
{
    for (size_t i = 0; i < AN_RESAMPLES; i++)
        out[i] = m->numbers[i] > 0 ? m->sums[i] / m->numbers[i] : NAN;
}

/* The metric of a row as a part of the run's time, in each resample. */
static void an_resample_parts(const struct an_run *r, uint32_t row, enum an_metric metric,
                              double out[AN_RESAMPLES])
{
    const double *wholes = an_bootstrap_wholes(r->bootstrap, AN_TIME, an_table_is_by_origin(r->table));
    an_bootstrap_sums(r->bootstrap, r->table, row, metric, out);
    for (size_t i = 0; i < AN_RESAMPLES; i++)
        out[i] = wholes[i] > 0 ? out[i] / wholes[i] : NAN;
}

/* The mean times and shares over a side's runs in each resample. */
static void an_resample_side(const struct an_side *s, uint32_t row, enum an_metric metric,
                             double ns[AN_RESAMPLES], double shares[AN_RESAMPLES])
{
    struct an_mean of_ns = {{0}, {0}}, of_shares = {{0}, {0}};
    double parts[AN_RESAMPLES];
    for (size_t i = 0; i < s->len; i++) {
        an_resample_parts(&s->runs[i], row, metric, parts);
        an_mean_add(&of_ns, parts, s->runs[i].given.costs->weight_ns);
        an_mean_add(&of_shares, parts, 1);
    }
    an_mean_take(&of_ns, ns);
    an_mean_take(&of_shares, shares);
}

static bool an_has_evidence(const an_diff *d, const struct an_difference *row)
{
    return row->has_interval && an_diff_bursts(d, 0) >= AN_BURSTS_MIN &&
           an_diff_bursts(d, 1) >= AN_BURSTS_MIN && row->bursts[0] + row->bursts[1] >= AN_DIFF_BURSTS_MIN;
}

/* Limits of b - a over all resamples. */
static void an_limits(const double a[AN_RESAMPLES], const double b[AN_RESAMPLES], struct an_change *c)
{
    double differences[AN_RESAMPLES];
    for (size_t i = 0; i < AN_RESAMPLES; i++)
        differences[i] = b[i] - a[i];
    an_bootstrap_limits(differences, &c->low, &c->high);
}

/* Upper bound of the time of a row on a side whose samples never hit it. */
static void an_widen(const an_diff *d, const struct an_difference *row, const double scale[2],
                     struct an_change *c)
{
    if (row->bursts[0] == 0) c->low -= scale[0] * AN_NEVER_SEEN / (double)an_diff_bursts(d, 0);
    if (row->bursts[1] == 0) c->high += scale[1] * AN_NEVER_SEEN / (double)an_diff_bursts(d, 1);
}

static void an_diff_metric(const an_diff *d, struct an_difference *row, enum an_metric metric,
                           struct an_change *ns, struct an_change *share)
{
    double ns_a[AN_RESAMPLES], ns_b[AN_RESAMPLES], share_a[AN_RESAMPLES], share_b[AN_RESAMPLES];
    const double whole[2] = {d->sides[0].whole_ns, d->sides[1].whole_ns};
    static const double one[2] = {1, 1};
    an_resample_side(&d->sides[0], row->row, metric, ns_a, share_a);
    an_resample_side(&d->sides[1], row->row, metric, ns_b, share_b);
    an_limits(ns_a, ns_b, ns);
    an_widen(d, row, whole, ns);
    if (!share) return;
    an_limits(share_a, share_b, share);
    an_widen(d, row, one, share);
}

static bool an_side_has_stall(const struct an_side *s)
{
    for (size_t i = 0; i < s->len; i++)
        if (!an_has_stall(s->runs[i].given.costs)) return false;
    return true;
}

struct an_difference an_diff_row(const an_diff *d, uint32_t row)
{
    struct an_difference out = {.row = row, .has_interval = an_diff_has_intervals(d)};
    struct an_spread time[2], share[2], stall[2];
    for (int side = 0; side < 2; side++) {
        const struct an_side *s = &d->sides[side];
        for (size_t i = 0; i < s->len; i++) {
            out.samples[side] += an_table_total(s->runs[i].table, row)->samples;
            out.bursts[side] += an_table_total(s->runs[i].table, row)->bursts;
        }
        time[side] = an_spread_of(s, row, an_value_time);
        share[side] = an_spread_of(s, row, an_value_share);
        stall[side] = an_spread_of(s, row, an_value_stall);
    }
    const bool has_stall = an_side_has_stall(&d->sides[0]) && an_side_has_stall(&d->sides[1]);
    out.time_ns = (struct an_change){time[0].mean, time[1].mean, NAN, NAN};
    out.share = (struct an_change){share[0].mean, share[1].mean, NAN, NAN};
    out.stall_ns =
        (struct an_change){has_stall ? stall[0].mean : NAN, has_stall ? stall[1].mean : NAN, NAN, NAN};
    out.median_cycles = (struct an_change){an_spread_of(&d->sides[0], row, an_value_median).mean,
                                           an_spread_of(&d->sides[1], row, an_value_median).mean, NAN, NAN};
    if (!an_has_evidence(d, &out)) return out;
    an_diff_metric(d, &out, AN_TIME, &out.time_ns, &out.share);
    an_hold_variation(&time[0], &time[1], &out.time_ns);
    an_hold_variation(&share[0], &share[1], &out.share);
    if (!has_stall) return out;
    an_diff_metric(d, &out, AN_STALL, &out.stall_ns, NULL);
    an_hold_variation(&stall[0], &stall[1], &out.stall_ns);
    return out;
}

/* The measured loads of a row; *out_bursts: how many bursts they come from. free(*out). */
static ls_err an_collect_loads(const struct an_run *r, uint32_t row, struct an_latency **out, size_t *out_len,
                               size_t *out_bursts)
{
    const struct an_input *in = r->given.in;
    const uint64_t measured = an_table_total(r->table, row)->measured;
    struct an_latency *loads = malloc((measured + 1) * sizeof(*loads));
    if (!loads) return ls_nomem("%llu latencies", (unsigned long long)measured);
    size_t len = 0, bursts = 0;
    for (size_t b = 0; b < in->bursts_len; b++) {
        const struct prof_burst *burst = &in->bursts[b];
        const size_t before = len;
        for (uint64_t i = burst->first_sample; i < burst->first_sample + burst->samples_len; i++)
            if (r->given.row_of_sample[i] == row && an_is_measured(&in->samples, i))
                loads[len++] = (struct an_latency){in->samples.latency_cycles[i],
                                                   an_bootstrap_block(r->bootstrap, (uint32_t)b)};
        bursts += len > before;
    }
    *out = loads;
    *out_len = len;
    *out_bursts = bursts;
    return LS_OK;
}

static ls_err an_resample_medians(const struct an_run *r, uint32_t row, double out[AN_RESAMPLES],
                                  size_t *out_bursts)
{
    struct an_latency *loads = NULL;
    size_t len = 0;
    LS_TRY(an_collect_loads(r, row, &loads, &len, out_bursts));
    const ls_err err =
        an_median_resample(r->bootstrap, loads, len, r->given.in->calibration.step_cycles, out);
    free(loads);
    return err;
}

/* The mean of the runs' medians in each resample. */
static ls_err an_resample_side_medians(const struct an_side *s, uint32_t row, double out[AN_RESAMPLES],
                                       size_t *out_bursts)
{
    struct an_mean mean = {{0}, {0}};
    double medians[AN_RESAMPLES];
    *out_bursts = 0;
    for (size_t i = 0; i < s->len; i++) {
        size_t bursts = 0;
        LS_TRY(an_resample_medians(&s->runs[i], row, medians, &bursts));
        an_mean_add(&mean, medians, 1);
        *out_bursts += bursts;
    }
    an_mean_take(&mean, out);
    return LS_OK;
}

ls_err an_diff_median(const an_diff *d, struct an_difference *row)
{
    double a[AN_RESAMPLES], b[AN_RESAMPLES];
    size_t bursts[2];
    if (!an_has_evidence(d, row)) return LS_OK;
    LS_TRY(an_resample_side_medians(&d->sides[0], row->row, a, &bursts[0]));
    LS_TRY(an_resample_side_medians(&d->sides[1], row->row, b, &bursts[1]));
    if (bursts[0] < AN_DIFF_BURSTS_MIN || bursts[1] < AN_DIFF_BURSTS_MIN) return LS_OK;
    an_limits(a, b, &row->median_cycles);
    const struct an_spread spread[2] = {an_spread_of(&d->sides[0], row->row, an_value_median),
                                        an_spread_of(&d->sides[1], row->row, an_value_median)};
    an_hold_variation(&spread[0], &spread[1], &row->median_cycles);
    return LS_OK;
}
