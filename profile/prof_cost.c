/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/prof_cost.h"

#include <math.h>
#include <stdlib.h>

struct prof_cost_window {
    double penalty_cycles, issue_cycles;
    double counted; /* part of each penalty that counts: below 1 with a coarse counter */
    uint64_t accesses, measured;
};

static double prof_known_or(double value, double fallback)
{
    return isfinite(value) && value > 0 ? value : fallback;
}

void prof_cost_model_init(struct prof_cost_model *m, const struct prof_run *run)
{
    *m = (struct prof_cost_model){
        .l1_cycles = prof_known_or(run->level_latency_cycles[PROF_LEVEL_L1], PROF_COST_L1_CYCLES),
        .dram_cycles = prof_known_or(run->level_latency_cycles[PROF_LEVEL_DRAM], PROF_COST_DRAM_CYCLES),
        .step_cycles = run->tsc_step_cycles == UINT64_MAX ? 1.0 : fmax(1.0, (double)run->tsc_step_cycles),
        .issue_width = prof_known_or(run->issue_width, PROF_COST_ISSUE_WIDTH),
        .weight_max_ns = INFINITY,
        .is_timed = true};
    m->beyond_l2_cycles = prof_known_or(run->level_limit_cycles[PROF_LEVEL_L2], m->l1_cycles);
    m->latency_max_cycles = PROF_COST_LATENCY_TIMES * m->dram_cycles;
}

void prof_cost_loads_add(struct prof_cost_loads *l, const struct prof_cost_samples *s)
{
    for (uint64_t i = 0; i < s->len; i++) {
        l->loads += s->op[i] == 0;
        if (!prof_cost_is_measured(s, i)) continue;
        l->timed++;
        if (s->position[i] < l->earliest) l->earliest = s->position[i];
    }
}

void prof_cost_model_loads(struct prof_cost_model *m, const struct prof_cost_loads *l)
{
    m->window_begin = l->earliest == UINT32_MAX ? 0 : l->earliest;
    m->is_timed = l->timed > 0 && (double)l->timed >= PROF_COST_TIMED_MIN * (double)l->loads;
}

static int prof_compare_weights(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

ls_err prof_cost_model_weights(struct prof_cost_model *m, const struct prof_burst *bursts, size_t len)
{
    double *weights = malloc((len + 1) * sizeof(*weights)), smaller_ns = 0;
    size_t n = 0;
    if (!weights) return ls_fail(LS_ERR_NOMEM, "no memory for the weights of %zu bursts", len);
    for (size_t i = 0; i < len; i++)
        if (bursts[i].weight_ns != UINT64_MAX && bursts[i].weight_ns > 0)
            smaller_ns += weights[n++] = (double)bursts[i].weight_ns;
    if (n >= PROF_COST_BURSTS_MIN) {
        qsort(weights, n, sizeof(*weights), prof_compare_weights);
        m->weight_usual_ns = weights[n / 2];
        while (n > 1) {
            smaller_ns -= weights[n - 1];
            if (weights[n - 1] <= PROF_COST_WEIGHT_TIMES * m->weight_usual_ns ||
                weights[n - 1] <= smaller_ns / 4)
                break;
            n--;
        }
        m->weight_max_ns = weights[n - 1];
    }
    free(weights);
    return LS_OK;
}

static double prof_latency_cycles(const struct prof_cost_model *m, const struct prof_cost_samples *s,
                                  uint64_t i)
{
    const double latency = (double)s->latency_cycles[i];
    return latency > m->latency_max_cycles ? m->dram_cycles : latency;
}

static bool prof_is_beyond_l2(const struct prof_cost_model *m, const struct prof_cost_samples *s, uint64_t i)
{
    if (s->level[i] < PROF_LEVEL_COUNT) return s->level[i] >= PROF_LEVEL_L3;
    return (double)s->latency_cycles[i] > m->beyond_l2_cycles;
}

static double prof_penalty_cycles(const struct prof_cost_model *m, const struct prof_cost_samples *s,
                                  uint64_t i)
{
    if (!prof_cost_is_measured(s, i) || !prof_is_beyond_l2(m, s, i)) return 0;
    return fmax(prof_latency_cycles(m, s, i) - m->l1_cycles, 0);
}

static struct prof_cost_window prof_window_of(const struct prof_cost_model *m, const struct prof_burst *b,
                                              const struct prof_cost_samples *s)
{
    struct prof_cost_window w = {.counted = 1};
    double signed_cycles = 0;
    for (uint64_t i = 0; i < s->len; i++) {
        if (s->position[i] < m->window_begin) continue;
        w.accesses++;
        if (!prof_cost_is_measured(s, i)) continue;
        w.measured++;
        w.penalty_cycles += prof_penalty_cycles(m, s, i);
        signed_cycles += prof_latency_cycles(m, s, i) - m->l1_cycles;
    }
    if (m->step_cycles > 1 && w.penalty_cycles > 0 && signed_cycles < w.penalty_cycles) {
        w.counted = fmax(signed_cycles, 0) / w.penalty_cycles;
        w.penalty_cycles *= w.counted;
    }
    const double instructions =
        b->instructions > m->window_begin ? (double)(b->instructions - m->window_begin) : 1.0;
    w.issue_cycles = instructions / m->issue_width;
    return w;
}

static void prof_split_evenly(double weight_ns, uint64_t len, float *time_ns)
{
    const float each = (float)(weight_ns / (double)len);
    for (uint64_t i = 0; i < len; i++)
        time_ns[i] = each;
}

struct prof_cost_burst prof_cost_split(const struct prof_cost_model *m, const struct prof_burst *b,
                                       const struct prof_cost_samples *s, float *time_ns, float *stall_ns)
{
    const double weight_ns = prof_cost_data_weight_ns(m, b);
    const struct prof_cost_window w = prof_window_of(m, b, s);
    if (w.measured == 0 || !m->is_timed) {
        prof_split_evenly(weight_ns, s->len, time_ns);
        return (struct prof_cost_burst){0};
    }
    const double ns_per_cycle = weight_ns / (w.penalty_cycles + w.issue_cycles);
    const double issue_each = w.issue_cycles / (double)w.accesses;
    for (uint64_t i = 0; i < s->len; i++) {
        if (s->position[i] < m->window_begin) continue;
        const double penalty = w.counted * prof_penalty_cycles(m, s, i);
        stall_ns[i] = (float)(penalty * ns_per_cycle);
        time_ns[i] = (float)((penalty + issue_each) * ns_per_cycle);
    }
    return (struct prof_cost_burst){w.measured, w.penalty_cycles * ns_per_cycle};
}
