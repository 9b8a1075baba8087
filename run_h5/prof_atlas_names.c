/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_h5/prof_atlas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *prof_atlas_escape(const char *label)
{
    const bool is_dots = strcmp(label, ".") == 0 || strcmp(label, "..") == 0;
    char *out = malloc(3 * strlen(label) + 2), *at = out;
    if (!out) return NULL;
    for (const char *c = label; *c; c++) {
        if (*c == '/' || *c == '%' || is_dots)
            at += sprintf(at, "%%%02X", (unsigned char)*c);
        else
            *at++ = *c;
    }
    if (at == out) *at++ = '%'; /* a group must have a name; no label becomes this one */
    *at = '\0';
    return out;
}

bool prof_atlas_may_miss(enum ndm_metric m)
{
    return ndm_metric(m)->mixing != NDM_ADDS;
}

int prof_atlas_shape(const struct ndm_geometry *g, enum ndm_centering centering, uint64_t out[NDM_AXES_MAX])
{
    out[0] = ndm_geometry_values(g, centering);
    if (g->kind != NDM_GRID) return 1;
    for (uint32_t axis = 0; axis < g->dims; axis++)
        out[g->dims - 1 - axis] = g->extents[axis];
    return (int)g->dims;
}
