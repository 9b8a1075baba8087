/* SPDX-License-Identifier: BSD-3-Clause */
/* A replay as the moving loops see it: pointers, indices of one width, no choices left. */
#ifndef KN_JOB_H
#define KN_JOB_H

#include "kernels/replay/kn_fold.h"
#include "kernels/replay/kn_run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sparse side of a job: element index[j] of the row that begins at base + sum of the steps so far, or
 * element inner[index[j]] where inner is not NULL. */
struct kn_side {
    void *base;           /* element 0; not necessarily inside the array */
    const void *index;    /* indices, index_bits wide */
    const void *inner;    /* inner indices, index_bits wide; NULL: one level */
    const int64_t *steps; /* elements from row to row, taken in turn */
    size_t steps_len;
    const struct kn_run *runs; /* the same steps, for loops that take equal ones together */
    size_t runs_len;           /* 0: too few equal ones to gain from it */
    struct kn_fold fold;       /* fold of index; index is not folded if inner is set */
};

struct kn_job {
    struct kn_side from, to; /* gathers read by from, scatters write by to, gs does both */
    size_t len;              /* elements a row */
    uint64_t wrap;           /* dense rows, used in turn */
    bool fence;              /* a release fence at the end of each part */
};

/* Rows [begin, end) of a job, the share of one thread. The steps and runs are positioned at row begin. */
struct kn_part {
    uint64_t begin, end;
    void *dense; /* this thread's, len * wrap elements */
    int64_t base_from, base_to;
    size_t step_from, step_to;
    struct kn_run_at run_from, run_to; /* where there are runs */
    uint64_t *sum;                     /* where a reduction leaves the sum of its elements' bits */
};

/* Move the rows of part.  Thread: each part by its own. */
typedef void kn_move(const struct kn_job *job, const struct kn_part *part);

#endif
