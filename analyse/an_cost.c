/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct an_window {
    double penalty_cycles, issue_cycles;
    uint64_t accesses, measured;
};

static double an_known_or(double value, double fallback)
{
    return isfinite(value) && value > 0 ? value : fallback;
}

void an_input_init(struct an_input *in, const struct prof_run *run, const struct prof_burst *bursts,
                   size_t bursts_len)
{
    memset(in, 0, sizeof(*in));
    in->bursts = bursts;
    in->bursts_len = bursts_len;
    in->l1_cycles = an_known_or(run->level_latency_cycles[PROF_LEVEL_L1], AN_DEFAULT_L1_CYCLES);
    in->step_cycles = run->tsc_step_cycles == UINT64_MAX ? 1.0 : fmax(1.0, (double)run->tsc_step_cycles);
    in->issue_width = an_known_or(run->issue_width, AN_DEFAULT_ISSUE_WIDTH);
}

static ls_err an_bursts_check(const struct an_input *in)
{
    for (size_t b = 0; b < in->bursts_len; b++) {
        const struct prof_burst *burst = &in->bursts[b];
        if (burst->first_sample > in->samples.len ||
            burst->samples_len > in->samples.len - burst->first_sample)
            return ls_fail(LS_ERR_FORMAT,
                           "burst %zu names samples %llu to %llu of %llu: the file is damaged, record again",
                           b, (unsigned long long)burst->first_sample,
                           (unsigned long long)burst->first_sample + burst->samples_len,
                           (unsigned long long)in->samples.len);
    }
    return LS_OK;
}

/* The run-ahead window is the engine's: the earliest measured load of the whole run shows where it ends. */
static uint32_t an_window_begin(const struct an_input *in)
{
    uint32_t begin = UINT32_MAX;
    for (uint64_t i = 0; i < in->samples.len; i++)
        if (an_is_measured(&in->samples, i) && in->samples.position[i] < begin)
            begin = in->samples.position[i];
    return begin == UINT32_MAX ? 0 : begin;
}

static double an_penalty_cycles(const struct an_input *in, uint64_t i)
{
    if (!an_is_measured(&in->samples, i)) return 0;
    const double penalty = (double)in->samples.latency_cycles[i] - in->l1_cycles;
    /* a coarse counter errs to both sides, and only the sum of both is right */
    return penalty > 0 || in->step_cycles > 1 ? penalty : 0;
}

static struct an_window an_window_of(const struct an_input *in, const struct prof_burst *b, uint32_t begin)
{
    struct an_window w = {0};
    for (uint64_t i = b->first_sample; i < b->first_sample + b->samples_len; i++) {
        if (in->samples.position[i] < begin) continue;
        w.accesses++;
        w.measured += (uint64_t)an_is_measured(&in->samples, i);
        w.penalty_cycles += an_penalty_cycles(in, i);
    }
    if (w.penalty_cycles <= 0) w = (struct an_window){.accesses = w.accesses, .measured = w.measured};
    const double instructions = b->instructions > begin ? (double)(b->instructions - begin) : 1.0;
    w.issue_cycles = instructions / in->issue_width;
    return w;
}

static void an_split_evenly(struct an_costs *c, const struct prof_burst *b)
{
    const float each = (float)(an_weight_ns(b) / b->samples_len);
    for (uint64_t i = b->first_sample; i < b->first_sample + b->samples_len; i++)
        c->time_ns[i] = each;
}

static void an_split_by_cost(struct an_costs *c, const struct an_input *in, const struct prof_burst *b,
                             const struct an_window *w)
{
    const double ns_per_cycle = an_weight_ns(b) / (w->penalty_cycles + w->issue_cycles);
    const double issue_each = w->issue_cycles / (double)w->accesses;
    for (uint64_t i = b->first_sample; i < b->first_sample + b->samples_len; i++) {
        if (in->samples.position[i] < c->window_begin) continue;
        const double penalty = w->penalty_cycles > 0 ? an_penalty_cycles(in, i) : 0;
        c->stall_ns[i] = (float)(penalty * ns_per_cycle);
        c->time_ns[i] = (float)((penalty + issue_each) * ns_per_cycle);
    }
    c->stall_total_ns += w->penalty_cycles * ns_per_cycle;
}

static void an_burst_cost(struct an_costs *c, const struct an_input *in, const struct prof_burst *b)
{
    c->weight_ns += an_weight_ns(b);
    if (b->samples_len == 0) return;
    c->attributed_ns += an_weight_ns(b);
    c->attributed_bursts++;
    const struct an_window w = an_window_of(in, b, c->window_begin);
    if (w.measured == 0) {
        an_split_evenly(c, b);
        return;
    }
    c->measured_ns += an_weight_ns(b);
    c->measured_bursts++;
    an_split_by_cost(c, in, b, &w);
}

ls_err an_costs_init(struct an_costs *out, const struct an_input *in)
{
    memset(out, 0, sizeof(*out));
    LS_TRY(an_bursts_check(in));
    const size_t len = in->samples.len ? in->samples.len : 1;
    out->time_ns = calloc(len, sizeof(float));
    out->stall_ns = calloc(len, sizeof(float));
    if (!out->time_ns || !out->stall_ns)
        return ls_fail(LS_ERR_NOMEM, "no memory for the costs of %zu samples", len);
    out->window_begin = an_window_begin(in);
    for (size_t b = 0; b < in->bursts_len; b++)
        an_burst_cost(out, in, &in->bursts[b]);
    return LS_OK;
}

void an_costs_fini(struct an_costs *c)
{
    free(c->time_ns);
    free(c->stall_ns);
    c->time_ns = c->stall_ns = NULL;
}
