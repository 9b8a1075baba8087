/* SPDX-License-Identifier: BSD-3-Clause */
#include "ndm/ndm_shape.h"

#include <stdlib.h>
#include <string.h>

void ndm_geometry_fini(struct ndm_geometry *g)
{
    free(g->label);
    free(g->unit);
    for (unsigned k = 0; k < NDM_AXES_MAX; k++)
        free(g->axes[k]);
    free(g->points);
    free(g->offsets);
    free(g->connectivity);
    free(g->shapes);
    memset(g, 0, sizeof(*g));
}

uint64_t ndm_geometry_values(const struct ndm_geometry *g, enum ndm_centering centering)
{
    if (centering == NDM_CELLS) return g->cells_len;
    return g->kind == NDM_MESH ? g->points_len : 0;
}

static void cell_place(const struct ndm_geometry *g, uint64_t i, double at[NDM_AXES_MAX])
{
    for (uint32_t axis = 0; axis < g->dims; axis++) {
        at[axis] = g->origin[axis] + g->spacing[axis] * ((double)(i % g->extents[axis]) + 0.5);
        i /= g->extents[axis];
    }
}

void ndm_geometry_place(const struct ndm_geometry *g, enum ndm_centering centering, uint64_t i,
                        double at[NDM_AXES_MAX])
{
    memset(at, 0, NDM_AXES_MAX * sizeof(*at));
    if (g->kind == NDM_GRID) {
        cell_place(g, i, at);
        return;
    }
    if (centering == NDM_POINTS) {
        memcpy(at, g->points + 3 * i, NDM_AXES_MAX * sizeof(*at));
        return;
    }
    const uint64_t begin = g->offsets[i], corners = g->offsets[i + 1] - begin;
    for (uint64_t c = begin; c < begin + corners; c++)
        for (uint64_t axis = 0; axis < NDM_AXES_MAX; axis++)
            at[axis] += g->points[3 * g->connectivity[c] + axis] / (double)corners;
}
