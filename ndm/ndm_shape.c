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
