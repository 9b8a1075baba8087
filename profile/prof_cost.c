/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/prof_cost.h"

#include <math.h>

struct prof_cost_window {
    double penalty_cycles, issue_cycles;
    uint64_t accesses, measured;
};

static double prof_known_or(double value, double fallback)
{
    return isfinite(value) && value > 0 ? value : fallback;
}

void prof_cost_model_init(struct prof_cost_model *m, const struct prof_run *run)
{
    m->l1_cycles = prof_known_or(run->level_latency_cycles[PROF_LEVEL_L1], PROF_COST_L1_CYCLES);
    m->step_cycles = run->tsc_step_cycles == UINT64_MAX ? 1.0 : fmax(1.0, (double)run->tsc_step_cycles);
    m->issue_width = prof_known_or(run->issue_width, PROF_COST_ISSUE_WIDTH);
    m->window_begin = 0;
}

uint32_t prof_cost_earliest(const struct prof_cost_samples *s)
{
    uint32_t begin = UINT32_MAX;
    for (uint64_t i = 0; i < s->len; i++)
        if (prof_cost_is_measured(s, i) && s->position[i] < begin) begin = s->position[i];
    return begin;
}

static double prof_penalty_cycles(const struct prof_cost_model *m, const struct prof_cost_samples *s,
                                  uint64_t i)
{
    if (!prof_cost_is_measured(s, i)) return 0;
    const double penalty = (double)s->latency_cycles[i] - m->l1_cycles;
    /* a coarse counter errs to both sides, and only the sum of both is right */
    return penalty > 0 || m->step_cycles > 1 ? penalty : 0;
}

static struct prof_cost_window prof_window_of(const struct prof_cost_model *m, const struct prof_burst *b,
                                              const struct prof_cost_samples *s)
{
    struct prof_cost_window w = {0};
    for (uint64_t i = 0; i < s->len; i++) {
        if (s->position[i] < m->window_begin) continue;
        w.accesses++;
        w.measured += (uint64_t)prof_cost_is_measured(s, i);
        w.penalty_cycles += prof_penalty_cycles(m, s, i);
    }
    if (w.penalty_cycles <= 0) w.penalty_cycles = 0;
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
    const double weight_ns = prof_cost_weight_ns(b);
    const struct prof_cost_window w = prof_window_of(m, b, s);
    if (w.measured == 0) {
        prof_split_evenly(weight_ns, s->len, time_ns);
        return (struct prof_cost_burst){0};
    }
    const double ns_per_cycle = weight_ns / (w.penalty_cycles + w.issue_cycles);
    const double issue_each = w.issue_cycles / (double)w.accesses;
    for (uint64_t i = 0; i < s->len; i++) {
        if (s->position[i] < m->window_begin) continue;
        const double penalty = w.penalty_cycles > 0 ? prof_penalty_cycles(m, s, i) : 0;
        stall_ns[i] = (float)(penalty * ns_per_cycle);
        time_ns[i] = (float)((penalty + issue_each) * ns_per_cycle);
    }
    return (struct prof_cost_burst){w.measured, w.penalty_cycles * ns_per_cycle};
}
