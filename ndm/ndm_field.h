/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples accumulated on a domain: one map of a node (or of all nodes of the domain together), its metrics,
 * for the whole run and by step. Values are in the order of the geometry's cells or points, x fastest in
 * grids. Missing values (no sample there) are NaN for means, maxima and shares; counts and sums are 0.
 *
 * Unless noted otherwise: Thread: one at a time for one object.  Signal: not safe. */
#ifndef NDM_FIELD_H
#define NDM_FIELD_H

#include "ndm/ndm_shape.h"

/* Rule for combining the values of several cells (ndm/ndm_mix.h). */
enum ndm_mixing { NDM_ADDS, NDM_MAX, NDM_MEAN };

/* X(metric, rule for combining its values, name in run.h5, unit, words): the list of all metrics. */
#define NDM_METRIC_LIST(X)                                                                              \
    X(SAMPLES, ADDS, "samples", "", "sampled accesses")                                                 \
    X(TIME, ADDS, "time_ns", "ns", "CPU time that the samples represent")                               \
    X(STALL, ADDS, "stall_ns", "ns", "estimated stall time")                                            \
    X(LATENCY_MEAN, MEAN, "latency_mean_cycles", "cycles", "mean latency of the loads that were timed") \
    X(LATENCY_MAX, MAX, "latency_max_cycles", "cycles", "longest latency")                              \
    X(LEVEL_L1, MEAN, "level_l1", "", "share of the loads that L1 served")                              \
    X(LEVEL_L2, MEAN, "level_l2", "", "share of the loads that L2 served")                              \
    X(LEVEL_L3, MEAN, "level_l3", "", "share of the loads that L3 served")                              \
    X(LEVEL_MEMORY, MEAN, "level_memory", "", "share of the loads that memory served")                  \
    X(TIMED, ADDS, "timed", "", "loads that were timed")

#define NDM_METRIC_ENUM(metric, mixing, name, unit, words) NDM_##metric,
enum ndm_metric { NDM_METRIC_LIST(NDM_METRIC_ENUM) NDM_METRICS_LEN };
#undef NDM_METRIC_ENUM

struct ndm_metric_row {
    enum ndm_mixing mixing;
    const char *name, *unit, *words;
};
const struct ndm_metric_row *ndm_metric(enum ndm_metric m);
/* Value without samples: 0 for counts and sums, NaN for all others. */
double ndm_metric_missing(enum ndm_metric m);

struct ndm_field {
    char *name;      /* unique in the run: "DOMAIN.NODE", "DOMAIN" for all its nodes together */
    char *label;     /* label of the node, or of the domain */
    uint32_t domain; /* into ndm_atlas.domains */
    uint32_t node;   /* id in /nodes; UINT32_MAX: all nodes of the domain */
    enum ndm_centering centering;
    uint64_t mapped_len, outside_len; /* samples in the field; samples in ghosts, padding or nowhere */
    uint64_t values_len;
    double *values[NDM_METRICS_LEN]; /* values_len each */
    uint32_t steps_len;              /* 0: not time-resolved */
    char **step_labels;              /* phase, or "3.2 s" */
    double *step_begin_s;
    double *step_values[NDM_METRICS_LEN]; /* steps_len * values_len, step by step */
};

/* Free the contents of f, not f itself. */
void ndm_field_fini(struct ndm_field *f);

/* All domains and fields of a recording. */
struct ndm_atlas {
    struct ndm_geometry *domains;
    uint32_t domains_len;
    struct ndm_field *fields;
    uint32_t fields_len;
};
/* Free the contents of a, not a itself. */
void ndm_atlas_fini(struct ndm_atlas *a);

#endif
