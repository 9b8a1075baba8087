/* SPDX-License-Identifier: BSD-3-Clause */
/* Combine several values of a metric, where cells share a pixel, a square or a place: sums are added, of
 * maxima the largest is kept, means and shares are weighted by their loads. One rule for the terminal,
 * pictures and the page, so that they show the same numbers for the same data.
 *
 * Unless noted otherwise: Thread: one at a time for one object.  Signal: safe. */
#ifndef NDM_MIX_H
#define NDM_MIX_H

#include "ndm/ndm_field.h"

#include <stdbool.h>

struct ndm_mix {
    double value, weight;
};

/* Set x to empty. */
void ndm_mix_init(struct ndm_mix *x);
/* Add a value with its number of samples (for means: loads, ndm_mix_weights). A missing value, or one without
 * samples, changes nothing. */
void ndm_mix_add(struct ndm_mix *x, enum ndm_metric m, double value, double samples);
bool ndm_mix_is_empty(const struct ndm_mix *x);
/* Return the combined value; ndm_metric_missing if x is empty. */
double ndm_mix_finish(const struct ndm_mix *x, enum ndm_metric m);
/* Name of the rule for m: "sum", "largest" or "mean". */
const char *ndm_mix_words(enum ndm_metric m);

/* The weights of m's values for ndm_mix_add, values_len of them: timed loads for means, samples for all other
 * metrics. step: UINT32_MAX for the whole run. NULL: not loaded. */
const double *ndm_mix_weights(const struct ndm_field *f, enum ndm_metric m, uint32_t step);
/* Bit set (1 << metric) of the metrics that must be loaded besides m to combine its values. */
uint32_t ndm_mix_needs(enum ndm_metric m);

#endif
