/* SPDX-License-Identifier: BSD-3-Clause */
/* What each sampled access costs: the model that turns bursts into time. Resolve (for the fields of natural
 * domains) and analyse/ both go by it.
 *
 * A burst stands for weight_ns of CPU time. Its first accesses were in flight already when it was triggered
 * and carry no latency; behind that run-ahead window every load is measured. So the model looks at one window
 * only, the instructions and the loads from the window's end to the burst's end:
 *
 *   penalty of a load     p = max(latency - L1 latency, 0), 0 for stores and loads without a measurement.
 *                         Where the counter is coarse p may be negative, and the sum of all is taken at 0 or
 *                         more
 *   issue time            I = instructions in the window / issue width
 *   stall of the burst    = weight * S / (S + I), S the sum of all p: an upper bound, overlap is not seen
 *   stall of an access    = weight * p / (S + I)
 *   time of an access     = weight * (p + I / accesses in the window) / (S + I)
 *
 * Times of a burst's accesses add up to its weight. A burst without a measured load has no stall estimate and
 * its time is split evenly over its accesses. A burst without accesses belongs to no data.
 *
 * Where nothing else is said: Errors: none.  Thread: any.  Signal: safe. */
#ifndef PROF_COST_H
#define PROF_COST_H

#include "profile/prof_reader.h"

#include <stddef.h>
#include <stdint.h>

/* Used when the profile carries no calibration. */
#define PROF_COST_L1_CYCLES 5.0
#define PROF_COST_ISSUE_WIDTH 4.0

struct prof_cost_model {
    double l1_cycles;
    double step_cycles; /* of the counter that latencies were read from; 1: not coarse */
    double issue_width;
    uint32_t window_begin; /* first position that carries a latency anywhere in the run */
};
/* The calibration of a run, or the defaults above; window_begin is 0. */
void prof_cost_model_init(struct prof_cost_model *m, const struct prof_run *run);

/* Columns of samples; borrowed. */
struct prof_cost_samples {
    const uint8_t *op, *latency_valid;
    const int32_t *latency_cycles;
    const uint32_t *position;
    uint64_t len;
};

/* A load whose latency is a measurement. */
static inline int prof_cost_is_measured(const struct prof_cost_samples *s, uint64_t i)
{
    return s->op[i] == 0 && s->latency_valid[i] == 1 && s->latency_cycles[i] != INT32_MIN;
}
/* The run-ahead window is the engine's: the earliest measured load of the whole run shows where it ends.
 * UINT32_MAX: none is measured (window_begin is then 0). */
uint32_t prof_cost_earliest(const struct prof_cost_samples *s);

/* Weight of a burst; a missing one stands for nothing. */
static inline double prof_cost_weight_ns(const struct prof_burst *b)
{
    return b->weight_ns == UINT64_MAX ? 0.0 : (double)b->weight_ns;
}

struct prof_cost_burst {
    uint64_t measured; /* loads */
    double stall_ns;
};
/* Split the weight of b over its samples s (those of this burst alone): time_ns and stall_ns, s->len values
 * each, zeroed before. s->len is at least 1. */
struct prof_cost_burst prof_cost_split(const struct prof_cost_model *m, const struct prof_burst *b,
                                       const struct prof_cost_samples *s, float *time_ns, float *stall_ns);

#endif
