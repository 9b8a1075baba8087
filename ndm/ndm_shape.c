/* SPDX-License-Identifier: BSD-3-Clause */
#include "ndm/ndm_shape.h"

#include "common/ls_checked.h"
#include "common/ls_compat.h"
#include "common/ls_error.h"

#include <math.h>
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

void ndm_geometry_position(const struct ndm_geometry *g, enum ndm_centering centering, uint64_t i,
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

/* --- checks --- */

typedef unsigned long long ull;

/* vtkCellType.h */
static const uint8_t shape_points[] = {
    [NDM_VERTEX] = 1, [NDM_LINE] = 2,       [NDM_TRIANGLE] = 3, [NDM_QUAD] = 4,
    [NDM_TETRA] = 4,  [NDM_HEXAHEDRON] = 8, [NDM_WEDGE] = 6,    [NDM_PYRAMID] = 5,
};
static const char axis_names[NDM_AXES_MAX] = {'x', 'y', 'z'};

LS_EXPORT unsigned ndm_shape_points(unsigned shape)
{
    return shape < sizeof(shape_points) ? shape_points[shape] : 0;
}

static ls_err check_axis(const struct ndm_geometry *g, unsigned k)
{
    if (g->extents[k] == 0 || g->extents[k] > NDM_EXTENT_MAX || (k >= g->dims && g->extents[k] != 1))
        return ls_fail(LS_ERR_ARG,
                       "grid \"%.120s\": %llu cells along %c; give 1 to 2^31 along each of its %u axes",
                       g->label, (ull)g->extents[k], axis_names[k], (unsigned)g->dims);
    if (!isfinite(g->origin[k]))
        return ls_fail(LS_ERR_ARG, "grid \"%.120s\": the origin's %c is not finite", g->label, axis_names[k]);
    if (!isfinite(g->spacing[k]) || g->spacing[k] <= 0)
        return ls_fail(LS_ERR_ARG, "grid \"%.120s\": the spacing along %c is %g; it must be above 0",
                       g->label, axis_names[k], g->spacing[k]);
    return LS_OK;
}

static ls_err check_grid(const struct ndm_geometry *g)
{
    uint64_t cells = 1;
    for (unsigned k = 0; k < NDM_AXES_MAX; k++) {
        LS_TRY(check_axis(g, k));
        if (!ls_mul_u64(cells, g->extents[k], &cells) || cells > NDM_CELLS_MAX)
            return ls_fail(LS_ERR_RANGE, "grid \"%.120s\": %llu x %llu x %llu are more than 2^40 cells",
                           g->label, (ull)g->extents[0], (ull)g->extents[1], (ull)g->extents[2]);
    }
    if (cells != g->cells_len)
        return ls_fail(LS_ERR_ARG, "grid \"%.120s\": %llu cells are given, the extents make %llu", g->label,
                       (ull)g->cells_len, (ull)cells);
    return LS_OK;
}

static ls_err check_points(const struct ndm_geometry *g)
{
    for (uint64_t i = 0; i < g->points_len; i++)
        for (unsigned k = 0; k < NDM_AXES_MAX; k++)
            if (!isfinite(g->points[NDM_AXES_MAX * i + k]))
                return ls_fail(LS_ERR_ARG, "mesh \"%.120s\": coordinate %c of point %llu is %g", g->label,
                               axis_names[k], (ull)i, g->points[NDM_AXES_MAX * i + k]);
    return LS_OK;
}

static ls_err check_cell(const struct ndm_geometry *g, uint64_t c)
{
    const unsigned points = ndm_shape_points(g->shapes[c]);
    if (points == 0)
        return ls_fail(LS_ERR_ARG, "mesh \"%.120s\": cell %llu has the unknown shape %u", g->label, (ull)c,
                       (unsigned)g->shapes[c]);
    if (g->offsets[c + 1] != g->offsets[c] + points)
        return ls_fail(LS_ERR_ARG, "mesh \"%.120s\": cell %llu has not the %u points of its shape", g->label,
                       (ull)c, points);
    for (unsigned k = 0; k < points; k++) {
        const uint64_t point = g->connectivity[g->offsets[c] + k];
        if (point >= g->points_len)
            return ls_fail(
                LS_ERR_RANGE,
                "mesh \"%.120s\": cell %llu names as its point %u the point %lld (from 0), but there "
                "are %llu; is index_base right?",
                g->label, (ull)c, k, (long long)point, (ull)g->points_len);
    }
    return LS_OK;
}

static ls_err check_mesh(const struct ndm_geometry *g)
{
    if (g->points_len > NDM_CELLS_MAX || g->cells_len > NDM_CELLS_MAX)
        return ls_fail(LS_ERR_RANGE, "mesh \"%.120s\": more than 2^40 points or cells", g->label);
    LS_TRY(check_points(g));
    if (g->cells_len > 0 && g->offsets[0] != 0)
        return ls_fail(LS_ERR_ARG, "mesh \"%.120s\": its first cell does not begin at 0", g->label);
    for (uint64_t c = 0; c < g->cells_len; c++)
        LS_TRY(check_cell(g, c));
    return LS_OK;
}

ls_err ndm_geometry_check(const struct ndm_geometry *g)
{
    const size_t len = g->label ? strnlen(g->label, NDM_LABEL_MAX_BYTES + 1) : 0;
    if (len == 0 || len > NDM_LABEL_MAX_BYTES)
        return ls_fail(LS_ERR_ARG, "a domain needs a label of 1 to %u bytes", NDM_LABEL_MAX_BYTES);
    if (g->dims < 1 || g->dims > NDM_AXES_MAX)
        return ls_fail(LS_ERR_ARG, "domain \"%.120s\" has %u axes; 1, 2 or 3 are possible", g->label,
                       (unsigned)g->dims);
    if (g->kind == NDM_GRID) return check_grid(g);
    if (g->kind == NDM_MESH) return check_mesh(g);
    return ls_fail(LS_ERR_ARG, "domain \"%.120s\" is neither grid nor mesh", g->label);
}
