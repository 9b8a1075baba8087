/* SPDX-License-Identifier: BSD-3-Clause */
/* A replay as the moving loops see it: pointers, indices of one width, no choices left. */
#ifndef KN_JOB_H
#define KN_JOB_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- folds ---- */

/* A row of indices that repeats a short row, each time shifted by a step, as the constant offsets of an inner
 * loop do. */

/* Rows of at most this many elements, also after folding, are moved with their indices in registers. */
#define KN_HELD_MAX 8
/* Shorter folds are merged up to this many elements; more would not stay in registers next to the loop's own
 * variables. */
#define KN_FOLD_WIDE 4

struct kn_fold {
    size_t len;   /* elements of the short row */
    size_t times; /* 1: the row is not folded */
    int64_t step; /* index j + len is index j + step, for every j */
};

/* Find the shortest fold of the row, of at most KN_HELD_MAX elements. A fold of at least two elements is
 * doubled if that divides the row and has at most KN_FOLD_WIDE elements. */
struct kn_fold kn_fold_find(const int64_t *index, size_t len);

/* ---- runs of equal steps ---- */

/* A list of steps from row to row in which equal ones follow each other, as a step and how often. */

struct kn_run {
    int64_t step;
    uint64_t rows;
};

/* A position in a list of runs, with the number of remaining rows in this run. */
struct kn_run_at {
    size_t run;
    uint64_t left;
};

struct kn_runs {
    struct kn_run *rows;
    size_t len; /* 0: too many runs; the list of steps is not longer */
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

/* ---- a job ---- */

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
    struct kn_run_at run_from, run_to; /* if there are runs */
    uint64_t *sum;                     /* receives the sum of the elements' bits of a reduction */
};

/* Move the rows of part.  Thread: each part by its own. */
typedef void kn_move(const struct kn_job *job, const struct kn_part *part);

#endif
