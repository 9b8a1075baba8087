/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AN_NEVER_SEEN 3.0 /* 95 % upper bound of a mean when 0 was observed: -ln(0.05) */

struct an_run {
    struct an_diff_side side;
    an_table *table;
    an_bootstrap *bootstrap;
};

struct an_diff {
    struct an_run runs[2];
};

bool an_change_is_significant(const struct an_change *c)
{
    return c->low > 0 || c->high < 0;
}

static ls_err an_run_init(struct an_run *r, const struct an_diff_side *side, uint32_t rows_len, uint64_t seed)
{
    const struct an_grouping by = {.group_of_sample = side->row_of_sample,
                                   .group_of_burst = side->row_of_burst,
                                   .groups_len = rows_len,
                                   .by_origin = side->by_origin};
    r->side = *side;
    LS_TRY(an_table_new(side->in, side->costs, &by, &r->table));
    return an_bootstrap_new(side->in, side->costs, seed, &r->bootstrap);
}

ls_err an_diff_new(const struct an_diff_side sides[2], uint32_t rows_len, an_diff **out)
{
    an_diff *d = calloc(1, sizeof(*d));
    if (!d) return ls_nomem("a comparison");
    ls_err err = an_run_init(&d->runs[0], &sides[0], rows_len, 1);
    if (err == LS_OK) err = an_run_init(&d->runs[1], &sides[1], rows_len, 2); /* independent of the first */
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
    for (int i = 0; i < 2; i++) {
        an_table_free(d->runs[i].table);
        an_bootstrap_free(d->runs[i].bootstrap);
    }
    free(d);
}

size_t an_diff_bursts(const an_diff *d, int side)
{
    return an_bootstrap_bursts(d->runs[side].bootstrap, AN_TIME);
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

static bool an_has_evidence(const an_diff *d, const struct an_difference *row)
{
    return an_diff_bursts(d, 0) >= AN_BURSTS_MIN && an_diff_bursts(d, 1) >= AN_BURSTS_MIN &&
           row->bursts[0] + row->bursts[1] >= AN_DIFF_BURSTS_MIN;
}

/* Limits of scale[1] * b - scale[0] * a over all resamples. */
static void an_limits(const double a[AN_RESAMPLES], const double b[AN_RESAMPLES], const double scale[2],
                      struct an_change *c)
{
    double differences[AN_RESAMPLES];
    for (size_t i = 0; i < AN_RESAMPLES; i++)
        differences[i] = b[i] * scale[1] - a[i] * scale[0];
    an_bootstrap_limits(differences, &c->low, &c->high);
}

/* A side that never met the row could still hold so much of it. */
static void an_widen(const an_diff *d, const struct an_difference *row, const double scale[2],
                     struct an_change *c)
{
    if (row->bursts[0] == 0) c->low -= scale[0] * AN_NEVER_SEEN / (double)an_diff_bursts(d, 0);
    if (row->bursts[1] == 0) c->high += scale[1] * AN_NEVER_SEEN / (double)an_diff_bursts(d, 1);
}

static void an_diff_metric(const an_diff *d, struct an_difference *row, enum an_metric metric,
                           struct an_change *ns, struct an_change *share)
{
    double a[AN_RESAMPLES], b[AN_RESAMPLES];
    const double whole[2] = {d->runs[0].side.costs->weight_ns, d->runs[1].side.costs->weight_ns};
    static const double one[2] = {1, 1};
    an_resample_parts(&d->runs[0], row->row, metric, a);
    an_resample_parts(&d->runs[1], row->row, metric, b);
    an_limits(a, b, whole, ns);
    an_widen(d, row, whole, ns);
    if (!share) return;
    an_limits(a, b, one, share);
    an_widen(d, row, one, share);
}

struct an_difference an_diff_row(const an_diff *d, uint32_t row)
{
    const struct an_row *a = an_table_total(d->runs[0].table, row),
                        *b = an_table_total(d->runs[1].table, row);
    const double whole[2] = {d->runs[0].side.costs->weight_ns, d->runs[1].side.costs->weight_ns};
    struct an_difference out = {
        .row = row,
        .samples = {a->samples, b->samples},
        .bursts = {a->bursts, b->bursts},
        .time_ns = {a->time_ns, b->time_ns, NAN, NAN},
        .share = {whole[0] > 0 ? a->time_ns / whole[0] : NAN, whole[1] > 0 ? b->time_ns / whole[1] : NAN, NAN,
                  NAN},
        .stall_ns = {a->stall_ns, b->stall_ns, NAN, NAN},
        .median_cycles = {a->median_cycles, b->median_cycles, NAN, NAN},
    };
    const bool has_stall = an_has_stall(d->runs[0].side.costs) && an_has_stall(d->runs[1].side.costs);
    if (!has_stall) out.stall_ns.a = out.stall_ns.b = NAN;
    if (!an_has_evidence(d, &out)) return out;
    an_diff_metric(d, &out, AN_TIME, &out.time_ns, &out.share);
    if (!has_stall) return out;
    an_diff_metric(d, &out, AN_STALL, &out.stall_ns, NULL);
    return out;
}

/* The measured loads of a row; *out_bursts: how many bursts they come from. free(*out). */
static ls_err an_collect_loads(const struct an_run *r, uint32_t row, struct an_latency **out, size_t *out_len,
                               size_t *out_bursts)
{
    const struct an_input *in = r->side.in;
    const uint64_t measured = an_table_total(r->table, row)->measured;
    struct an_latency *loads = malloc((measured + 1) * sizeof(*loads));
    if (!loads) return ls_nomem("%llu latencies", (unsigned long long)measured);
    size_t len = 0, bursts = 0;
    for (size_t b = 0; b < in->bursts_len; b++) {
        const struct prof_burst *burst = &in->bursts[b];
        const size_t before = len;
        for (uint64_t i = burst->first_sample; i < burst->first_sample + burst->samples_len; i++)
            if (r->side.row_of_sample[i] == row && an_is_measured(&in->samples, i))
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
    const ls_err err = an_median_resample(r->bootstrap, loads, len, r->side.in->calibration.step_cycles, out);
    free(loads);
    return err;
}

ls_err an_diff_median(const an_diff *d, struct an_difference *row)
{
    double a[AN_RESAMPLES], b[AN_RESAMPLES];
    static const double one[2] = {1, 1};
    size_t bursts[2];
    if (!an_has_evidence(d, row)) return LS_OK;
    LS_TRY(an_resample_medians(&d->runs[0], row->row, a, &bursts[0]));
    LS_TRY(an_resample_medians(&d->runs[1], row->row, b, &bursts[1]));
    if (bursts[0] >= AN_DIFF_BURSTS_MIN && bursts[1] >= AN_DIFF_BURSTS_MIN)
        an_limits(a, b, one, &row->median_cycles);
    return LS_OK;
}
