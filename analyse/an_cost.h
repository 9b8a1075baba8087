/* SPDX-License-Identifier: BSD-3-Clause */
/* What each sampled access costs: the model that turns bursts into time.
 *
 * A burst stands for weight_ns of CPU time. Its first accesses were in flight already when it was triggered
 * and carry no latency; behind that run-ahead window every load is measured. So the model looks at one window
 * only, the instructions and the loads from the window's end to the burst's end: penalty of a load     p =
 * max(latency - L1 latency, 0), 0 for stores and loads without a measurement. Where the counter is coarse p
 * may be negative, and the sum of all is taken at 0 or more issue time            I = instructions in the
 * window / issue width stall of the burst    = weight * S / (S + I), S the sum of all p: an upper bound,
 * overlap is not seen stall of an access    = weight * p / (S + I) time of an access     = weight * (p + I /
 * accesses in the window) / (S + I) Times of a burst's accesses add up to its weight. A burst without a
 * measured load has no stall estimate and its time is split evenly over its accesses. A burst without
 * accesses belongs to no data: its weight is counted apart.
 *
 * Thread: any.  Signal: not safe. */
#ifndef AN_COST_H
#define AN_COST_H

#include "common/ls_error.h"
#include "profile/prof_reader.h"

#include <stddef.h>
#include <stdint.h>

/* Used when the profile carries no calibration. */
#define AN_DEFAULT_L1_CYCLES 5.0
#define AN_DEFAULT_ISSUE_WIDTH 4.0

/* Borrowed arrays. Columns needed: op, latency_cycles, latency_valid, position; further ones by what else is
 * called. */
struct an_input {
    const struct prof_burst *bursts;
    size_t bursts_len;
    struct prof_samples samples;
    double l1_cycles;
    double step_cycles; /* of the counter that latencies were read from; 1: not coarse */
    double issue_width;
};

struct an_costs {
    float *time_ns;       /* per sample */
    float *stall_ns;      /* per sample */
    double weight_ns;     /* all bursts */
    double attributed_ns; /* bursts with accesses: the sum of time_ns */
    double measured_ns;   /* bursts with measured loads */
    double stall_total_ns;
    uint32_t window_begin; /* first position that carries a latency anywhere */
    size_t attributed_bursts, measured_bursts;
};

/* The input of a profile: burst table and calibration; missing calibration gives the defaults above. */
void an_input_init(struct an_input *in, const struct prof_run *run, const struct prof_burst *bursts,
                   size_t bursts_len);

/* Owns:   the caller ends out with an_costs_fini, also after a failure.
 * Errors: LS_ERR_NOMEM; LS_ERR_FORMAT when a burst names samples that do not exist. */
ls_err an_costs_init(struct an_costs *out, const struct an_input *in);
void an_costs_fini(struct an_costs *c);

/* A load whose latency is a measurement. */
static inline int an_is_measured(const struct prof_samples *s, uint64_t i)
{
    return s->op[i] == 0 && s->latency_valid[i] == 1 && s->latency_cycles[i] != INT32_MIN;
}

/* Weight of a burst; a missing one stands for nothing. */
static inline double an_weight_ns(const struct prof_burst *b)
{
    return b->weight_ns == UINT64_MAX ? 0.0 : (double)b->weight_ns;
}

#endif
