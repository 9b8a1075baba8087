/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulates accesses on a domain: counts, times, latencies and levels of each value that was touched, over
 * the whole run and by step. Memory grows with the touched values, not with the size of the domain or the
 * number of steps: 64 bytes for each (value, step).
 *
 *   ndm_gather_add for every access, in any order of steps; ndm_gather_finish once; then read.
 *
 * Unless noted otherwise: Thread: one at a time for one object.  Signal: not safe. */
#ifndef NDM_GATHER_H
#define NDM_GATHER_H

#include "ndm/ndm_field.h"

#include <stdbool.h>

typedef struct ndm_gather ndm_gather;

/* One access. */
struct ndm_touch {
    double time_ns, stall_ns;
    double latency_cycles; /* NaN: not timed */
    int level;             /* 0 L1, 1 L2, 2 L3, 3 memory; -1: not known */
};

#define NDM_GATHER_WHOLE UINT32_MAX /* step number that means the whole run */
#define NDM_GATHER_STEPS_MAX (UINT32_C(1) << 23)

/* values_len at most 2^40.  Errors: LS_ERR_RANGE, LS_ERR_NOMEM. */
ls_err ndm_gather_new(uint64_t values_len, ndm_gather **out);
void ndm_gather_free(ndm_gather *g); /* NULL-safe */

/* Add an access to value `index` of the whole run and, unless step is NDM_GATHER_WHOLE, of that step.
 * Errors: LS_ERR_RANGE (index or step), LS_ERR_ARG (finished), LS_ERR_NOMEM; then nothing was added. */
ls_err ndm_gather_add(ndm_gather *g, uint32_t step, uint64_t index, const struct ndm_touch *touch);
/* Count an access that belongs to the node but to no value: ghosts, padding, nowhere. */
void ndm_gather_add_outside(ndm_gather *g);

/* Finish adding: sort by step and value. */
void ndm_gather_finish(ndm_gather *g);

/* The functions below need a finished g. */
uint64_t ndm_gather_mapped(const ndm_gather *g); /* accesses added */
uint64_t ndm_gather_outside(const ndm_gather *g);
uint32_t ndm_gather_steps(const ndm_gather *g);                  /* the last touched step + 1; 0: none */
uint64_t ndm_gather_touched(const ndm_gather *g, uint32_t step); /* values of the step that have accesses */
/* True when any of the values [first, first + len) has accesses. */
bool ndm_gather_has(const ndm_gather *g, uint32_t step, uint64_t first, uint64_t len);
/* Set out[i] to the metric of value first + i; untouched values: NaN for means, maxima and shares, 0 for
 * counts and sums. Takes O(len) and a binary search. */
void ndm_gather_fill(const ndm_gather *g, uint32_t step, enum ndm_metric m, uint64_t first, uint64_t len,
                     double *out);
/* Get the k-th touched value of the step, k < ndm_gather_touched: its index and one of its metrics. */
double ndm_gather_nth(const ndm_gather *g, uint32_t step, enum ndm_metric m, uint64_t k, uint64_t *out_index);

/* Copy all metrics into arrays: sets values, mapped_len, outside_len and values_len of *out, which must be
 * empty; with steps_len > 0 also step_values. The caller sets names, labels and times of steps.
 * Errors: LS_ERR_NOMEM, LS_ERR_RANGE (more than the address space); then *out is unchanged. */
ls_err ndm_gather_field(const ndm_gather *g, uint32_t steps_len, struct ndm_field *out);

#endif
