/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/vx_cells.h"

#include <stdlib.h>
#include <string.h>

static ls_err vx_vertices(struct vx_cells *c, uint64_t points_len)
{
    uint64_t *offsets = malloc((points_len + 1) * sizeof(*offsets));
    uint8_t *shapes = malloc(points_len + 1);
    c->own_offsets = offsets;
    c->own_shapes = shapes;
    if (!offsets || !shapes) return ls_fail(LS_ERR_NOMEM, "no memory for the cells of a mesh");
    for (uint64_t i = 0; i <= points_len; i++)
        offsets[i] = i;
    memset(shapes, NDM_VERTEX, points_len);
    c->len = points_len;
    c->offsets = c->connectivity = offsets; /* cell i holds point i */
    c->shapes = shapes;
    return LS_OK;
}

/* The file may be damaged: readers and the pictures index by these. */
static ls_err vx_cells_check(const struct vx_cells *c, const struct ndm_geometry *g)
{
    for (uint64_t i = 0; i < c->len; i++)
        if (c->offsets[i + 1] < c->offsets[i])
            return ls_fail(LS_ERR_FORMAT, "mesh %s: cell %llu ends before it begins", g->label,
                           (unsigned long long)i);
    for (uint64_t i = 0; i < c->offsets[c->len]; i++)
        if (c->connectivity[i] >= g->points_len)
            return ls_fail(LS_ERR_FORMAT, "mesh %s: connectivity %llu is point %llu of %llu", g->label,
                           (unsigned long long)i, (unsigned long long)c->connectivity[i],
                           (unsigned long long)g->points_len);
    return LS_OK;
}

ls_err vx_cells_init(struct vx_cells *c, const struct ndm_geometry *g)
{
    *c = (struct vx_cells){.len = g->cells_len,
                           .offsets = g->offsets,
                           .connectivity = g->connectivity,
                           .shapes = g->shapes};
    const ls_err err = g->cells_len == 0 ? vx_vertices(c, g->points_len) : vx_cells_check(c, g);
    if (err != LS_OK) vx_cells_fini(c);
    return err;
}

void vx_cells_fini(struct vx_cells *c)
{
    free(c->own_offsets);
    free(c->own_shapes);
    *c = (struct vx_cells){0};
}

bool vx_cells_are_alike(const struct vx_cells *c)
{
    for (uint64_t i = 1; i < c->len; i++)
        if (c->shapes[i] != c->shapes[0] || c->offsets[i + 1] - c->offsets[i] != c->offsets[1] - c->offsets[0])
            return false;
    return c->len > 0;
}
