/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_cost.h"

#include <stdlib.h>
#include <string.h>

void an_input_init(struct an_input *in, const struct prof_run *run, const struct prof_burst *bursts,
                   size_t bursts_len)
{
    memset(in, 0, sizeof(*in));
    in->bursts = bursts;
    in->bursts_len = bursts_len;
    struct prof_cost_model model;
    prof_cost_model_init(&model, run);
    in->l1_cycles = model.l1_cycles;
    in->step_cycles = model.step_cycles;
    in->issue_width = model.issue_width;
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

static struct prof_cost_samples an_cost_samples(const struct prof_samples *s, uint64_t first, uint64_t len)
{
    return (struct prof_cost_samples){.op = s->op + first,
                                      .latency_valid = s->latency_valid + first,
                                      .latency_cycles = s->latency_cycles + first,
                                      .position = s->position + first,
                                      .len = len};
}

static uint32_t an_window_begin(const struct an_input *in)
{
    const struct prof_cost_samples all = an_cost_samples(&in->samples, 0, in->samples.len);
    const uint32_t begin = prof_cost_earliest(&all);
    return begin == UINT32_MAX ? 0 : begin;
}

static void an_burst_cost(struct an_costs *c, const struct an_input *in, const struct prof_burst *b)
{
    const struct prof_cost_model model = {in->l1_cycles, in->step_cycles, in->issue_width, c->window_begin};
    c->weight_ns += an_weight_ns(b);
    if (b->samples_len == 0) return;
    c->attributed_ns += an_weight_ns(b);
    c->attributed_bursts++;
    const struct prof_cost_samples s = an_cost_samples(&in->samples, b->first_sample, b->samples_len);
    const struct prof_cost_burst cost =
        prof_cost_split(&model, b, &s, c->time_ns + b->first_sample, c->stall_ns + b->first_sample);
    c->stall_total_ns += cost.stall_ns;
    if (cost.measured == 0) return;
    c->measured_ns += an_weight_ns(b);
    c->measured_bursts++;
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
