/* SPDX-License-Identifier: BSD-3-Clause */
/* Several values of a metric together, where cells share a pixel, a square or a place: what adds up is added,
 * of maxima the largest stays, means and shares are weighed by the loads that they are of. One rule for the
 * terminal, pictures and the page, so that they show the same numbers of the same data.
 *
 * Where nothing else is said: Thread: one at a time for one object.  Signal: safe. */
#ifndef NDM_MIX_H
#define NDM_MIX_H

#include "ndm/ndm_field.h"

#include <stdbool.h>

struct ndm_mix {
    double value, weight;
};

/* x is empty. */
void ndm_mix_init(struct ndm_mix *x);
/* One value more, of so many samples (of means: loads, ndm_mix_weights). A missing value, and one of no
 * samples, changes nothing. */
void ndm_mix_add(struct ndm_mix *x, enum ndm_metric m, double value, double samples);
bool ndm_mix_is_empty(const struct ndm_mix *x);
/* What came together; of an empty x what is missing (ndm_metric_missing). */
double ndm_mix_finish(const struct ndm_mix *x, enum ndm_metric m);
/* "sum", "largest", "mean": what values of m that came together are. */
const char *ndm_mix_words(enum ndm_metric m);

/* The weights of m's values for ndm_mix_add, values_len of them: timed loads for means, samples for all other
 * metrics. step: UINT32_MAX for the whole run. NULL: not loaded. */
const double *ndm_mix_weights(const struct ndm_field *f, enum ndm_metric m, uint32_t step);
/* As bits, 1 << metric: what is to be loaded beside m so that it can be mixed. */
uint32_t ndm_mix_needs(enum ndm_metric m);

#endif
