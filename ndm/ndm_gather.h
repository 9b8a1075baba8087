/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses that gather on a domain: counts, times, latencies and levels of each value that was touched, over
 * the whole run and by step. Memory goes with what was touched, not with the size of the domain or the number
 * of steps: 64 bytes a (value, step).
 *
 *   ndm_gather_add for every access, in any order of steps; ndm_gather_finish once; then read.
 *
 * Where nothing else is said: Thread: one at a time for one object.  Signal: not safe. */
#ifndef NDM_GATHER_H
#define NDM_GATHER_H

#include "ndm/ndm_field.h"

#include <stdbool.h>

typedef struct ndm_gather ndm_gather;

/* What an access adds. */
struct ndm_touch {
    double time_ns, stall_ns;
    double latency_cycles; /* NaN: not timed */
    int level;             /* 0 L1, 1 L2, 2 L3, 3 memory; -1: not known */
};

#define NDM_GATHER_WHOLE UINT32_MAX /* the step that is the whole run */
#define NDM_GATHER_STEPS_MAX (UINT32_C(1) << 23)

/* values_len at most 2^40.  Errors: LS_ERR_RANGE, LS_ERR_NOMEM. */
ls_err ndm_gather_new(uint64_t values_len, ndm_gather **out);
void ndm_gather_free(ndm_gather *g); /* NULL-safe */

/* Add an access to value `index` of the whole run and, unless step is NDM_GATHER_WHOLE, of that step.
 * Errors: LS_ERR_RANGE (index or step), LS_ERR_ARG (finished), LS_ERR_NOMEM; then nothing was added. */
ls_err ndm_gather_add(ndm_gather *g, uint32_t step, uint64_t index, const struct ndm_touch *touch);
/* Count an access that belongs to the node but to no value: ghosts, padding, nowhere. */
void ndm_gather_add_outside(ndm_gather *g);

/* No more adding: bring everything in the order of steps and values. */
void ndm_gather_finish(ndm_gather *g);

/* The rest needs a finished g. */
uint64_t ndm_gather_mapped(const ndm_gather *g); /* accesses added */
uint64_t ndm_gather_outside(const ndm_gather *g);
uint32_t ndm_gather_steps(const ndm_gather *g); /* the last step that was touched, and one; 0: none */
uint64_t ndm_gather_touched(const ndm_gather *g, uint32_t step); /* values of the step that have accesses */
/* Whether any of the values [first, first + len) has. */
bool ndm_gather_has(const ndm_gather *g, uint32_t step, uint64_t first, uint64_t len);
/* out[i]: the metric of value first + i; untouched: NaN for means, maxima and shares, 0 for counts and sums.
 * Costs len and a search. */
void ndm_gather_fill(const ndm_gather *g, uint32_t step, enum ndm_metric m, uint64_t first, uint64_t len,
                     double *out);
/* The k-th touched value of the step, k < ndm_gather_touched: its index and one metric of it. */
double ndm_gather_nth(const ndm_gather *g, uint32_t step, enum ndm_metric m, uint64_t k, uint64_t *out_index);

/* All metrics as arrays: values, mapped_len, outside_len and values_len of *out, which are to be empty; with
 * steps_len > 0 step_values, too. Names, labels and times of steps are the caller's.
 * Errors: LS_ERR_NOMEM, LS_ERR_RANGE (more than the address space); then *out is as it was. */
ls_err ndm_gather_field(const ndm_gather *g, uint32_t steps_len, struct ndm_field *out);

#endif
