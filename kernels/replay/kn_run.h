/* SPDX-License-Identifier: BSD-3-Clause */
/* A list of steps from row to row in which equal ones follow each other, as a step and how often. */
#ifndef KN_RUN_H
#define KN_RUN_H

#include "common/ls_error.h"

#include <stddef.h>
#include <stdint.h>

struct kn_run {
    int64_t step;
    uint64_t rows;
};

/* A place in a list of runs: rows that are still to come in this one. */
struct kn_run_at {
    size_t run;
    uint64_t left;
};

struct kn_runs {
    struct kn_run *rows;
    size_t len; /* 0: too many, the list of steps is no longer */
};

/* Find the runs of equal steps. out stays empty if they exceed a quarter of the steps; steps that are
 * all equal give one run that never ends.
 * Owns:   the caller ends out with kn_runs_fini.
 * Errors: LS_ERR_NOMEM; then out is empty. */
ls_err kn_runs_init(const int64_t *steps, size_t len, struct kn_runs *out);

/* Find the run that contains step, which is below the number of steps; return {0, 0} for an empty list. */
struct kn_run_at kn_runs_find(const struct kn_runs *r, uint64_t step);

/* Release the contents of r; it is empty then.
 * Owns:   r. */
void kn_runs_fini(struct kn_runs *r);

#endif
