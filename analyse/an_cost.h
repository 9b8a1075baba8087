/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of each sampled access of a profile, by the model of run_h5/prof_cost.h. */
#ifndef AN_COST_H
#define AN_COST_H

#include "common/ls_error.h"
#include "run_h5/prof_cost.h"
#include "run_h5/prof_reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Columns of the samples that the costs are computed from. */
#define AN_COST_COLUMNS                                                                           \
    (PROF_MASK(op) | PROF_MASK(latency_cycles) | PROF_MASK(latency_valid) | PROF_MASK(level) |    \
     PROF_MASK(position) | PROF_MASK(node) | PROF_MASK(addr) | PROF_MASK(ip) | PROF_MASK(count) | \
     PROF_MASK(cost_ns) | PROF_MASK(stall_ns))

/* Borrowed arrays. AN_COST_COLUMNS are needed; further columns by the other functions that are called. */
struct an_input {
    const struct prof_burst *bursts;
    size_t bursts_len;
    struct prof_samples samples;
    struct prof_cost_model calibration;
    bool is_of_job; /* rows may be sums over ranks, and have their costs in the file */
    /* by id; NULL: each block of an allocation site is other data for the traffic */
    const struct prof_node *nodes;
    size_t nodes_len;
};

struct an_costs {
    float *time_ns;       /* per sample */
    float *stall_ns;      /* per sample */
    float *moved_bytes;   /* per sample: traffic with memory that it represents; NULL: not known */
    bool *moved_roughly;  /* per sample: moved_bytes may be off by a factor of 2 (run_h5/prof_reuse.h) */
    double weight_ns;     /* all bursts */
    double attributed_ns; /* bursts with accesses: the sum of time_ns */
    double measured_ns;   /* bursts with measured loads */
    double stall_total_ns;
    double stall_most_ns; /* upper limit by the pace of the bursts; without a pace, the estimate itself */
    struct prof_cost_model model;
    struct prof_cost_loads loads;
    uint64_t accesses;                         /* that the samples are, or are sums of */
    size_t bursts;                             /* bursts that represent time (weight above 0) */
    size_t clipped;                            /* bursts whose weight was an outlier */
    size_t attributed_bursts, measured_bursts; /* bursts with accesses, and with measured loads */
};

/* Fill the input from a profile: burst table and calibration. */
void an_input_init(struct an_input *in, const struct prof_run *run, const struct prof_burst *bursts,
                   size_t bursts_len);

/* Return len samples of s from first on. */
struct prof_cost_samples an_cost_samples(const struct prof_samples *s, uint64_t first, uint64_t len);

/* Owns:   the caller ends out with an_costs_fini, also after a failure.
 * Errors: LS_ERR_NOMEM; LS_ERR_FORMAT when a burst names samples that do not exist. */
ls_err an_costs_init(struct an_costs *out, const struct an_input *in);
void an_costs_fini(struct an_costs *c);

/* Is it a load whose latency was measured? */
static inline int an_is_measured(const struct prof_samples *s, uint64_t i)
{
    return s->op[i] == 0 && s->latency_valid[i] == 1 && s->latency_cycles[i] != INT32_MIN;
}

/* Number of accesses in a row of samples, and of bursts in a row of bursts, which may be sums. */
static inline uint64_t an_accesses(const struct prof_samples *s, uint64_t i)
{
    return s->count && s->count[i] != UINT32_MAX ? s->count[i] : 1;
}
static inline uint64_t an_bursts(const struct prof_burst *b)
{
    return b->count ? b->count : 1;
}

/* Does the stall have a separate limit from the pace? Otherwise the stall is itself an upper bound. */
static inline bool an_has_pace(const struct an_costs *c)
{
    return c->stall_most_ns > c->stall_total_ns;
}

/* Is there a stall estimate? Not if too few loads were timed. */
static inline bool an_has_stall(const struct an_costs *c)
{
    return c->model.is_timed;
}

/* Effective weight of a burst: 0 if it is missing, that of the median burst if it is an outlier. */
static inline double an_weight_ns(const struct an_costs *c, const struct prof_burst *b)
{
    return prof_cost_weight_ns(&c->model, b);
}

/* The weight of its accesses, or of a burst without accesses, in views of data. */
static inline double an_data_weight_ns(const struct an_costs *c, const struct prof_burst *b)
{
    return prof_cost_data_weight_ns(&c->model, b);
}

#endif
