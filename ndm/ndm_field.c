/* SPDX-License-Identifier: BSD-3-Clause */
#include "ndm/ndm_field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NDM_METRIC_ROW(metric, mixing, name, unit, words) {NDM_##mixing, name, unit, words},
static const struct ndm_metric_row metric_rows[] = {NDM_METRIC_LIST(NDM_METRIC_ROW)};
#undef NDM_METRIC_ROW
_Static_assert(sizeof(metric_rows) / sizeof(metric_rows[0]) == NDM_METRICS_LEN, "every metric has a row");

const struct ndm_metric_row *ndm_metric(enum ndm_metric m)
{
    return &metric_rows[m];
}

double ndm_metric_missing(enum ndm_metric m)
{
    return ndm_metric(m)->mixing == NDM_ADDS ? 0 : NAN;
}

void ndm_field_fini(struct ndm_field *f)
{
    free(f->name);
    free(f->label);
    for (unsigned m = 0; m < NDM_METRICS_LEN; m++) {
        free(f->values[m]);
        free(f->step_values[m]);
    }
    for (uint32_t i = 0; f->step_labels && i < f->steps_len; i++)
        free(f->step_labels[i]);
    free(f->step_labels);
    free(f->step_begin_s);
    memset(f, 0, sizeof(*f));
}

void ndm_atlas_fini(struct ndm_atlas *a)
{
    for (uint32_t i = 0; a->domains && i < a->domains_len; i++)
        ndm_geometry_fini(&a->domains[i]);
    for (uint32_t i = 0; a->fields && i < a->fields_len; i++)
        ndm_field_fini(&a->fields[i]);
    free(a->domains);
    free(a->fields);
    memset(a, 0, sizeof(*a));
}
