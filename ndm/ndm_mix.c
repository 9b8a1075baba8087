/* SPDX-License-Identifier: BSD-3-Clause */
#include "ndm/ndm_mix.h"

#include <math.h>

void ndm_mix_init(struct ndm_mix *x)
{
    *x = (struct ndm_mix){0};
}

bool ndm_mix_is_empty(const struct ndm_mix *x)
{
    return !(x->weight > 0);
}

void ndm_mix_add(struct ndm_mix *x, enum ndm_metric m, double value, double samples)
{
    if (isnan(value) || !(samples > 0)) return;
    switch (ndm_metric(m)->mixing) {
    case NDM_ADDS:
        x->value += value;
        break;
    case NDM_MAX:
        if (ndm_mix_is_empty(x) || value > x->value) x->value = value;
        break;
    case NDM_MEAN:
        x->value += value * samples;
        break;
    }
    x->weight += samples;
}

double ndm_mix_finish(const struct ndm_mix *x, enum ndm_metric m)
{
    if (ndm_mix_is_empty(x)) return ndm_metric_missing(m);
    return ndm_metric(m)->mixing == NDM_MEAN ? x->value / x->weight : x->value;
}

const char *ndm_mix_words(enum ndm_metric m)
{
    static const char *const words[] = {[NDM_ADDS] = "sum", [NDM_MAX] = "largest", [NDM_MEAN] = "mean"};
    return words[ndm_metric(m)->mixing];
}

static enum ndm_metric mix_weight(enum ndm_metric m)
{
    return ndm_metric(m)->mixing == NDM_MEAN ? NDM_TIMED : NDM_SAMPLES;
}

const double *ndm_mix_weights(const struct ndm_field *f, enum ndm_metric m, uint32_t step)
{
    const enum ndm_metric weight = mix_weight(m);
    if (step == UINT32_MAX) return f->values[weight];
    return f->step_values[weight] ? f->step_values[weight] + step * f->values_len : NULL;
}

uint32_t ndm_mix_needs(enum ndm_metric m)
{
    return UINT32_C(1) << NDM_SAMPLES | UINT32_C(1) << mix_weight(m);
}
