/* SPDX-License-Identifier: BSD-3-Clause */
/* Aggregates: samples and bursts summed by group, and rolled up where groups form a tree (nodes of the
 * semantic tree). */
#ifndef AN_TABLE_H
#define AN_TABLE_H

#include "analyse/an_cost.h"

#define AN_NO_GROUP UINT32_MAX

struct an_row {
    uint64_t samples, loads, stores, prefetches, measured;
    uint64_t levels[PROF_LEVEL_COUNT], level_unknown; /* measured loads without a level are unknown */
    uint64_t bursts; /* bursts that represent time and touched the group; by origin: that began in it */
    double time_ns, stall_ns;         /* stall_ns: by the group's own loads, at most its time */
    double latency_sum_cycles;        /* sum over measured loads; / measured is their mean */
    double median_cycles, p95_cycles; /* over measured loads; NAN without one, and in a profile of a job */
};

/* Part of one burst that belongs to one group; by origin the stall of its loads may exceed its time. */
struct an_part {
    uint32_t burst;
    float time_ns, stall_ns;
};

typedef struct an_table an_table;

/* groups_len groups; samples and bursts whose group is not below groups_len form the one group with id
 * groups_len ("nowhere"). by_origin: a burst's weight belongs to the burst's group, else to its samples, and
 * only bursts without samples have a group. group_of_burst NULL: no burst has one. parent (NULL: flat) names
 * each group's parent, AN_NO_GROUP for top-level ones; a parent's id is below its child's. Errors:
 * LS_ERR_NOMEM, LS_ERR_FORMAT (a parent that does not come first). */
struct an_grouping {
    const uint32_t *group_of_sample;
    const uint32_t *group_of_burst;
    const uint32_t *parent;
    uint32_t groups_len;
    bool by_origin;
};
ls_err an_table_new(const struct an_input *in, const struct an_costs *costs, const struct an_grouping *by,
                    an_table **out);
void an_table_free(an_table *t);

/* The group alone; the group with all below it. group <= groups_len. */
const struct an_row *an_table_self(const an_table *t, uint32_t group);
const struct an_row *an_table_total(const an_table *t, uint32_t group);
/* Return is_by_origin of an_grouping. */
bool an_table_is_by_origin(const an_table *t);
/* The parts of the group with all below it; a burst may come several times. */
const struct an_part *an_table_parts(const an_table *t, uint32_t group, size_t *out_len);
/* The parts of the group alone. */
const struct an_part *an_table_parts_self(const an_table *t, uint32_t group, size_t *out_len);

#endif
