/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks of a job in a profile that sums them up: the time and waiting of each, by data, the ranks that differ from
 * the others, and the machines. */
#ifndef AN_RANKS_H
#define AN_RANKS_H

#include "common/ls_error.h"
#include "run_h5/prof_reader.h"
#include "run_h5/prof_tables.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AN_RANK_DATA_MOST = 12, AN_OUTLIERS_MOST = 10 };

/* One value of each rank, in nanoseconds: waiting for data, or one of the columns of /ranks. */
struct an_rank_metric {
    const char *name;
    uint32_t node;                /* of data */
    double *values;               /* by row of /ranks */
    double sum, median, distance; /* distance: median of the distances from the median */
};

struct an_ranks {
    prof_profile *profile; /* borrowed */
    const struct prof_rank *rows;
    size_t len, nodes_len;
    uint32_t *
        order; /* rows by machine, the one with the lowest rank first, then by rank: neighbours in a picture */
    const struct prof_node *nodes;
    double *by_node; /* sums over all ranks */
    double usual_ns; /* median of the ranks' times */
    bool has_stall;  /* data: waiting; otherwise time */
    size_t data_len;
    struct an_rank_metric data[AN_RANK_DATA_MOST]; /* the costliest first */
    struct an_rank_metric time, wait;              /* CPU time; time in MPI functions that wait */
};

/* Read the ranks of profile, which stays open while out is used.
 * Owns:   the caller ends out with an_ranks_fini, also after a failure.
 * Errors: LS_ERR_NOMEM; as prof_each_rank_data. */
ls_err an_ranks_init(struct an_ranks *out, prof_profile *profile);
void an_ranks_fini(struct an_ranks *r);

/* ---- outliers ---- */

struct an_outlier {
    uint32_t row; /* of /ranks */
    const struct an_rank_metric *metric;
    double excess_ns; /* distance from the median */
};

/* Find the ranks that are far from the others (doc/report.md), the farthest first; return their number. */
size_t an_ranks_outliers(const struct an_ranks *r, struct an_outlier out[AN_OUTLIERS_MOST]);

/* ---- machines ---- */

struct an_machine {
    const char *host;
    size_t len;           /* ranks on it */
    uint32_t first, last; /* ranks */
    uint32_t most;        /* row of the one that takes most time */
    double time_ns, stall_ns, wait_ns;
};

/* Find the machines, the one with the longest time per rank first; the caller frees *out, also after a failure.
 * Errors: LS_ERR_NOMEM. */
ls_err an_ranks_machines(const struct an_ranks *r, struct an_machine **out, size_t *out_len);

#endif
