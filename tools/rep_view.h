/* SPDX-License-Identifier: BSD-3-Clause */
/* A profile with one grouping of its samples computed: what a report prints. */
#ifndef REP_VIEW_H
#define REP_VIEW_H

#include "analyse/an_bootstrap.h"
#include "analyse/an_keys.h"

#include <stdbool.h>

enum rep_sort { REP_SORT_TIME, REP_SORT_STALL, REP_SORT_SAMPLES, REP_SORT_LATENCY, REP_SORT_LABEL };

struct rep_options {
    const char *path;
    const char *node; /* NULL: all */
    enum an_by by;
    enum rep_sort sort;
    double min_share;
    uint64_t depth, limit;
    bool no_unregistered;
};

struct rep_view {
    struct rep_options options;
    prof_profile *profile;
    const struct prof_run *run;
    const struct prof_node *nodes;
    const struct prof_process *processes;
    struct an_names names;
    struct an_input in;
    struct an_costs costs;
    struct an_keys keys;
    uint32_t *parents; /* by node: AN_NO_GROUP for the root */
    an_table *table;
    an_bootstrap *bootstrap;
    uint32_t root; /* node the report is about */
};

/* Rows in the order of printing. */
struct rep_row {
    uint32_t group;
    uint32_t depth;  /* in the tree, 0: top */
    bool last;       /* among its siblings that are shown */
    uint32_t hidden; /* not a group but so many siblings left out */
    struct an_interval time, stall;
};

/* Owns:   the caller ends v with rep_view_fini, also after a failure.
 * Errors: those of prof_open; LS_ERR_USAGE when --node names nothing or several nodes. */
ls_err rep_view_init(struct rep_view *v, const struct rep_options *options);
void rep_view_fini(struct rep_view *v);
/* Name of the group, in a static buffer. */
const char *rep_label(const struct rep_view *v, uint32_t group);
/* The rows to print; free(*out).  Errors: LS_ERR_NOMEM. */
ls_err rep_rows(const struct rep_view *v, struct rep_row **out, size_t *out_len);
/* Set in_group[i] for the samples of the subtree of node. in_group has samples.len bytes. */
void rep_mark_node(const struct rep_view *v, uint32_t node, uint8_t *in_group);
bool rep_is_below(const struct rep_view *v, uint32_t node, uint32_t ancestor);

#endif
