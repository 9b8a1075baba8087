/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_cost.h"

#include "run_h5/prof_reuse.h"

#include <stdlib.h>
#include <string.h>

void an_input_init(struct an_input *in, const struct prof_run *run, const struct prof_burst *bursts,
                   size_t bursts_len)
{
    memset(in, 0, sizeof(*in));
    in->bursts = bursts;
    in->bursts_len = bursts_len;
    in->is_of_job = run->ranks > 0 && run->ranks != UINT64_MAX;
    prof_cost_model_init(&in->calibration, run);
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

struct prof_cost_samples an_cost_samples(const struct prof_samples *s, uint64_t first, uint64_t len)
{
    return (struct prof_cost_samples){.op = s->op + first,
                                      .latency_valid = s->latency_valid + first,
                                      .level = s->level + first,
                                      .latency_cycles = s->latency_cycles + first,
                                      .position = s->position + first,
                                      .node = s->node + first,
                                      .addr = s->addr + first,
                                      .ip = s->ip + first,
                                      .count = s->count ? s->count + first : NULL,
                                      .len = len};
}

static ls_err an_model_init(struct an_costs *c, const struct an_input *in, struct prof_cost_nodes *nodes,
                            struct prof_cost_walks *walks)
{
    const struct prof_cost_samples all = an_cost_samples(&in->samples, 0, in->samples.len);
    c->model = in->calibration;
    c->loads = PROF_COST_NO_LOADS;
    prof_cost_loads_add(&c->loads, &all);
    prof_cost_model_loads(&c->model, &c->loads);
    if (in->is_of_job) return LS_OK;
    for (size_t b = 0; b < in->bursts_len; b++) {
        const struct prof_cost_samples s =
            an_cost_samples(&in->samples, in->bursts[b].first_sample, in->bursts[b].samples_len);
        prof_cost_nodes_add(nodes, &c->model, &s);
        LS_TRY(prof_cost_walks_add(walks, &c->model, &in->bursts[b], &s));
    }
    prof_cost_nodes_judge(nodes);
    c->model.nodes = nodes;
    prof_cost_model_walks(&c->model, walks);
    return prof_cost_model_weights(&c->model, in->bursts, in->bursts_len);
}

/* In a profile of a job, take the costs from the file: they were computed from all samples of each process. */
static void an_burst_known_cost(struct an_costs *c, const struct an_input *in, const struct prof_burst *b)
{
    const struct prof_samples *s = &in->samples;
    double time_ns = 0;
    bool is_measured = false;
    c->weight_ns += an_weight_ns(c, b);
    c->bursts += b->weight_ns > 0 ? an_bursts(b) : 0;
    for (uint64_t i = b->first_sample; i < b->first_sample + b->samples_len; i++) {
        if (s->cost_ns[i] == UINT64_MAX) continue;
        c->time_ns[i] = (float)s->cost_ns[i];
        c->stall_ns[i] = s->stall_ns[i] == UINT64_MAX ? 0 : (float)s->stall_ns[i];
        time_ns += (double)c->time_ns[i];
        c->stall_total_ns += (double)c->stall_ns[i];
        c->stall_most_ns += (double)c->stall_ns[i];
        is_measured |= an_is_measured(s, i);
    }
    c->attributed_ns += time_ns;
    c->attributed_bursts += b->samples_len > 0;
    c->measured_ns += is_measured ? time_ns : 0;
    c->measured_bursts += is_measured ? an_bursts(b) : 0;
}

static void an_burst_cost(struct an_costs *c, const struct an_input *in, const struct prof_burst *b)
{
    const double weight_ns = an_weight_ns(c, b);
    c->weight_ns += weight_ns;
    c->bursts += weight_ns > 0;
    c->clipped += b->weight_ns != UINT64_MAX && (double)b->weight_ns > c->model.weight_max_ns;
    if (b->samples_len == 0) return;
    const double data_ns = an_data_weight_ns(c, b);
    c->attributed_ns += data_ns;
    c->attributed_bursts += weight_ns > 0;
    const struct prof_cost_samples s = an_cost_samples(&in->samples, b->first_sample, b->samples_len);
    const struct prof_cost_burst cost =
        prof_cost_split(&c->model, b, &s, c->time_ns + b->first_sample, c->stall_ns + b->first_sample);
    c->stall_total_ns += cost.stall_ns;
    c->stall_most_ns += cost.most_ns;
    if (cost.measured == 0) return;
    c->measured_ns += data_ns;
    c->measured_bursts += weight_ns > 0;
}

/* The node of each sample; the site for blocks, which a program may allocate again and again in the same place. */
static uint32_t *an_data_of_samples(const struct an_input *in)
{
    uint32_t *data = malloc((in->samples.len + 1) * sizeof(*data));
    for (uint64_t i = 0; data && i < in->samples.len; i++) {
        const uint32_t node = in->samples.node[i];
        const bool is_block = node < in->nodes_len && in->nodes[node].kind == PROF_NODE_BLOCK;
        data[i] = is_block ? in->nodes[node].parent : node;
    }
    return data;
}

static ls_err an_traffic_of_samples(struct an_costs *out, const struct an_input *in)
{
    const size_t len = in->samples.len + 1;
    struct prof_cost_samples all = an_cost_samples(&in->samples, 0, in->samples.len);
    uint32_t *data = an_data_of_samples(in);
    out->moved_bytes = calloc(len, sizeof(float));
    out->moved_roughly = calloc(len, sizeof(bool));
    all.node = data;
    ls_err err =
        data && out->moved_bytes && out->moved_roughly ? LS_OK : ls_nomem("the traffic of %zu samples", len);
    if (err == LS_OK)
        err = prof_reuse_moved(&out->model, in->bursts, in->bursts_len, &all, out->moved_bytes,
                               out->moved_roughly);
    free(data);
    return err;
}

ls_err an_costs_init(struct an_costs *out, const struct an_input *in)
{
    struct prof_cost_nodes nodes = {0};
    struct prof_cost_walks walks = {0};
    memset(out, 0, sizeof(*out));
    LS_TRY(an_bursts_check(in));
    const size_t len = in->samples.len ? in->samples.len : 1;
    out->time_ns = calloc(len, sizeof(float));
    out->stall_ns = calloc(len, sizeof(float));
    if (!out->time_ns || !out->stall_ns) return ls_nomem("the costs of %zu samples", len);
    for (uint64_t i = 0; i < in->samples.len; i++)
        out->accesses += an_accesses(&in->samples, i);
    ls_err err = an_model_init(out, in, &nodes, &walks);
    if (err == LS_OK && in->is_of_job) {
        for (size_t b = 0; b < in->bursts_len; b++)
            an_burst_known_cost(out, in, &in->bursts[b]);
        out->model.nodes = NULL;
        return LS_OK;
    }
    if (err == LS_OK && out->model.walks) err = an_traffic_of_samples(out, in);
    for (size_t b = 0; err == LS_OK && b < in->bursts_len; b++)
        an_burst_cost(out, in, &in->bursts[b]);
    out->model.nodes = NULL;
    out->model.walks = NULL;
    prof_cost_nodes_fini(&nodes);
    prof_cost_walks_fini(&walks);
    return err;
}

void an_costs_fini(struct an_costs *c)
{
    free(c->time_ns);
    free(c->stall_ns);
    free(c->moved_bytes);
    free(c->moved_roughly);
    c->moved_roughly = NULL;
    c->time_ns = c->stall_ns = c->moved_bytes = NULL;
}
