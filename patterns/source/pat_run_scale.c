/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_run_scale.h"
#include "profile/prof_cost.h"

#include <math.h>

/* Mean of the events that samples tell, NAN when one does not. */
static double scale_by_events(const struct pat_run_scale_input *in)
{
    double sum = 0;
    for (uint64_t i = 0; i < in->samples->len; i++) {
        if (in->samples->events[i] == UINT64_MAX) return NAN;
        sum += (double)in->samples->events[i];
    }
    return in->samples->len ? sum / (double)in->samples->len : NAN;
}

/* Cycles that a burst takes natively, estimated from its part behind the run-ahead window; 0: it has none. */
static double native_cycles(const struct prof_cost_model *m, const struct prof_burst *b,
                            const struct prof_cost_samples *s)
{
    double waiting = 0;
    if (b->instructions <= m->window_begin) return 0;
    for (uint64_t i = 0; i < b->samples_len; i++)
        if (prof_cost_is_measured(s, b->first_sample + i))
            waiting += s->latency_cycles[b->first_sample + i] - m->l1_cycles;
    const double seen = (double)(b->instructions - m->window_begin);
    const double cycles = seen / m->issue_width + (waiting > 0 ? waiting : 0);
    return cycles * (double)b->instructions / seen;
}

double pat_run_scale(const struct pat_run_scale_input *in)
{
    const struct prof_samples *all = in->samples;
    const struct prof_cost_samples s = {.op = all->op,
                                        .latency_valid = all->latency_valid,
                                        .latency_cycles = all->latency_cycles,
                                        .position = all->position,
                                        .len = all->len};
    struct prof_cost_model m;
    double native = 0, weight_ns = 0;
    const double told = scale_by_events(in);
    if (!isnan(told)) return told;
    prof_cost_model_init(&m, in->run);
    struct prof_cost_loads loads = PROF_COST_NO_LOADS;
    prof_cost_loads_add(&loads, &s);
    prof_cost_model_loads(&m, &loads);
    for (size_t i = 0; i < in->order_len; i++) {
        native += native_cycles(&m, &in->bursts[in->order[i]], &s);
        weight_ns += prof_cost_data_weight_ns(&m, &in->bursts[in->order[i]]);
    }
    const double hz = in->run->tsc_hz == UINT64_MAX ? 0 : (double)in->run->tsc_hz;
    const double scale = native > 0 ? weight_ns * hz / 1e9 / native : 0;
    return scale > 0 ? scale : NAN;
}
