/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/export/vx_cells.h"

#include <stdlib.h>
#include <string.h>

static ls_err vx_vertices(struct vx_cells *c, uint64_t points_len)
{
    uint64_t *offsets = malloc((points_len + 1) * sizeof(*offsets));
    uint8_t *shapes = malloc(points_len + 1);
    c->own_offsets = offsets;
    c->own_shapes = shapes;
    if (!offsets || !shapes) return ls_nomem("the cells of a mesh");
    for (uint64_t i = 0; i <= points_len; i++)
        offsets[i] = i;
    memset(shapes, NDM_VERTEX, points_len);
    c->len = points_len;
    c->offsets = c->connectivity = offsets; /* cell i holds point i */
    c->shapes = shapes;
    return LS_OK;
}

/* Check the cells of a possibly damaged file, because readers and pictures use them as indices. */
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
    *c = (struct vx_cells){
        .len = g->cells_len, .offsets = g->offsets, .connectivity = g->connectivity, .shapes = g->shapes};
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
        if (c->shapes[i] != c->shapes[0] ||
            c->offsets[i + 1] - c->offsets[i] != c->offsets[1] - c->offsets[0])
            return false;
    return c->len > 0;
}

static const uint8_t vx_grid_shapes[] = {NDM_VERTEX, NDM_LINE, NDM_QUAD, NDM_HEXAHEDRON};

/* Return point k of the cell at (x, y, z): corners go around the lower face, then around the upper one. */
static uint64_t vx_corner(const uint64_t points[NDM_AXES_MAX], const uint64_t cell[NDM_AXES_MAX], int k)
{
    const uint64_t x = cell[0] + (k % 4 == 1 || k % 4 == 2), y = cell[1] + (k % 4 >= 2),
                   z = cell[2] + (k >= 4);
    return x + points[0] * (y + points[1] * z);
}

static void vx_fill_cells(struct ndm_geometry *m, const struct ndm_geometry *g,
                          const uint64_t points[NDM_AXES_MAX])
{
    const int corners = 1 << g->dims;
    for (uint64_t i = 0; i < m->cells_len; i++) {
        uint64_t cell[NDM_AXES_MAX] = {0}, rest = i;
        for (uint32_t d = 0; d < g->dims; rest /= g->extents[d], d++)
            cell[d] = rest % g->extents[d];
        m->shapes[i] = vx_grid_shapes[g->dims];
        m->offsets[i + 1] = m->offsets[i] + (uint64_t)corners;
        for (int k = 0; k < corners; k++)
            m->connectivity[m->offsets[i] + (uint64_t)k] = vx_corner(points, cell, k);
    }
}

static void vx_fill_points(struct ndm_geometry *m, const struct ndm_geometry *g,
                           const uint64_t points[NDM_AXES_MAX])
{
    for (uint64_t i = 0; i < m->points_len; i++) {
        uint64_t rest = i;
        for (uint32_t d = 0; d < g->dims; rest /= points[d], d++)
            m->points[3 * i + d] =
                g->origin[d] + (double)(rest % points[d]) * (g->spacing[d] > 0 ? g->spacing[d] : 1);
    }
}

ls_err vx_mesh_of_grid(const struct ndm_geometry *g, struct ndm_geometry *out)
{
    uint64_t points[NDM_AXES_MAX] = {1, 1, 1};
    *out = (struct ndm_geometry){.kind = NDM_MESH, .dims = g->dims, .points_len = 1, .cells_len = 1};
    for (uint32_t d = 0; d < g->dims; d++) {
        points[d] = g->extents[d] + 1;
        out->points_len *= points[d];
        out->cells_len *= g->extents[d];
    }
    out->label = strdup(g->label);
    out->unit = strdup(g->unit);
    out->points = calloc(out->points_len, 3 * sizeof(*out->points));
    out->offsets = calloc(out->cells_len + 1, sizeof(*out->offsets));
    out->connectivity = calloc(out->cells_len, sizeof(*out->connectivity) << g->dims);
    out->shapes = malloc(out->cells_len);
    if (!out->label || !out->unit || !out->points || !out->offsets || !out->connectivity || !out->shapes)
        return ls_nomem("grid %s as a mesh of %llu cells", g->label, (unsigned long long)out->cells_len);
    vx_fill_points(out, g, points);
    vx_fill_cells(out, g, points);
    return LS_OK;
}
