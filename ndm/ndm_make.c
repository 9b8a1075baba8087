/* SPDX-License-Identifier: BSD-3-Clause */
/* Check and copy the descriptions of grids, meshes and maps that a program passes. */
#include "ndm/ndm_map.h"
#include "common/ls_error.h"
#include "ndm/ndm_shape.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

static ls_err copy_text(const char *text, const char *otherwise, char **out)
{
    *out = strndup(text ? text : otherwise, NDM_LABEL_MAX_BYTES + 1);
    return *out ? LS_OK : ls_nomem("a natural domain");
}

static ls_err copy_texts(const char *label, const char *unit, const char *const *axes, struct ndm_geometry *g)
{
    static const char *const usual[NDM_AXES_MAX] = {"x", "y", "z"};
    LS_TRY(copy_text(label, "", &g->label));
    LS_TRY(copy_text(unit, "", &g->unit));
    for (unsigned k = 0; k < NDM_AXES_MAX; k++)
        LS_TRY(copy_text(axes ? axes[k] : NULL, usual[k], &g->axes[k]));
    return LS_OK;
}

static ls_err make_grid(const struct ndm_grid *grid, struct ndm_geometry *g)
{
    g->kind = NDM_GRID;
    g->dims = grid->dims;
    g->cells_len = 1;
    LS_TRY(copy_texts(grid->label, grid->unit, grid->axes, g));
    for (unsigned k = 0; k < NDM_AXES_MAX; k++) {
        const bool used = k < grid->dims;
        g->extents[k] = used ? grid->extents[k] : 1;
        g->origin[k] = used ? grid->origin[k] : 0;
        g->spacing[k] = used && grid->spacing[k] != 0 ? grid->spacing[k] : 1;
        g->cells_len *= g->extents[k]; /* overflows only for extents that the check rejects */
    }
    return ndm_geometry_check(g);
}

ls_err ndm_make_grid(const struct ndm_grid *grid, struct ndm_geometry *out)
{
    memset(out, 0, sizeof(*out));
    if (!grid) return ls_fail(LS_ERR_ARG, "no grid given");
    const ls_err e = make_grid(grid, out);
    if (e != LS_OK) ndm_geometry_fini(out);
    return e;
}

/* Return number i of an array of signed integers, converted to count from 0; a number below base wraps
 * around. */
static uint64_t index_at(const void *array, uint64_t i, uint32_t size_bytes, uint32_t base)
{
    int64_t number;
    if (size_bytes == sizeof(int32_t)) {
        int32_t narrow;
        memcpy(&narrow, (const char *)array + i * sizeof(narrow), sizeof(narrow));
        number = narrow;
    } else {
        memcpy(&number, (const char *)array + i * sizeof(number), sizeof(number));
    }
    return (uint64_t)number - base;
}

static bool is_index_size(uint32_t size_bytes)
{
    return size_bytes == sizeof(int32_t) || size_bytes == sizeof(int64_t);
}

static void *array_of(uint64_t len, size_t item_bytes)
{
    return calloc(len ? len : 1, item_bytes);
}

static ls_err check_mesh_arguments(const struct ndm_mesh *mesh)
{
    const char *label = mesh->label ? mesh->label : "";
    if (mesh->points_len > NDM_CELLS_MAX || mesh->cells_len > NDM_CELLS_MAX)
        return ls_fail(LS_ERR_RANGE, "mesh \"%.120s\": %llu points, %llu cells; at most 2^40 are possible",
                       label, (ull)mesh->points_len, (ull)mesh->cells_len);
    if (mesh->points_len == 0 || !mesh->coords[0])
        return ls_fail(LS_ERR_ARG, "mesh \"%.120s\" has no points", label);
    for (unsigned k = 0; k < NDM_AXES_MAX; k++)
        if (mesh->coords[k] && mesh->coords_len[k] && mesh->coords_len[k] != mesh->points_len)
            return ls_fail(LS_ERR_ARG, "mesh \"%.120s\": %llu values of %c for %llu points", label,
                           (ull)mesh->coords_len[k], "xyz"[k], (ull)mesh -> points_len);
    if (mesh->cells_len == 0) return LS_OK;
    if (!mesh->connectivity || !is_index_size(mesh->index_size_bytes))
        return ls_fail(LS_ERR_ARG, "mesh \"%.120s\": connectivity of 4 or 8 bytes an index is needed, not %u",
                       label, (unsigned)mesh->index_size_bytes);
    if (!mesh->shapes && ndm_shape_points(mesh->shape) == 0)
        return ls_fail(LS_ERR_ARG, "mesh \"%.120s\": unknown shape %u", label, (unsigned)mesh->shape);
    return LS_OK;
}

static ls_err copy_points(const struct ndm_mesh *mesh, struct ndm_geometry *g)
{
    const size_t stride = mesh->coord_stride_bytes ? mesh->coord_stride_bytes : sizeof(double);
    g->points = array_of(NDM_AXES_MAX * mesh->points_len, sizeof(double));
    if (!g->points) return ls_nomem("%llu points of \"%.120s\"", (ull)mesh->points_len, g->label);
    g->points_len = mesh->points_len;
    for (unsigned k = 0; k < NDM_AXES_MAX; k++) {
        const char *from = (const char *)mesh->coords[k];
        for (uint64_t i = 0; from && i < mesh->points_len; i++, from += stride)
            memcpy(&g->points[NDM_AXES_MAX * i + k], from, sizeof(double));
    }
    return LS_OK;
}

static uint8_t shape_at(const struct ndm_mesh *mesh, uint64_t cell)
{
    return mesh->shapes ? mesh->shapes[cell] : (uint8_t)mesh->shape;
}

static ls_err copy_shapes(const struct ndm_mesh *mesh, struct ndm_geometry *g)
{
    g->shapes = array_of(mesh->cells_len, sizeof(*g->shapes));
    g->offsets = array_of(mesh->cells_len + 1, sizeof(*g->offsets));
    if (!g->shapes || !g->offsets)
        return ls_nomem("%llu cells of \"%.120s\"", (ull)mesh->cells_len, g->label);
    g->cells_len = mesh->cells_len;
    for (uint64_t c = 0; c < mesh->cells_len; c++) {
        g->shapes[c] = shape_at(mesh, c);
        g->offsets[c + 1] = g->offsets[c] + ndm_shape_points(g->shapes[c]);
    }
    return LS_OK;
}

static ls_err copy_connectivity(const struct ndm_mesh *mesh, struct ndm_geometry *g)
{
    const uint64_t len = g->offsets[g->cells_len];
    if (mesh->connectivity_len && mesh->connectivity_len != len)
        return ls_fail(LS_ERR_ARG,
                       "mesh \"%.120s\": the connectivity has %llu indices, its %llu cells need %llu",
                       g->label, (ull)mesh->connectivity_len, (ull)g->cells_len, (ull)len);
    g->connectivity = array_of(len, sizeof(*g->connectivity));
    if (!g->connectivity) return ls_nomem("the connectivity of \"%.120s\"", g->label);
    for (uint64_t i = 0; i < len; i++)
        g->connectivity[i] = index_at(mesh->connectivity, i, mesh->index_size_bytes, mesh->index_base);
    return LS_OK;
}

/* Count the axes up to the last one on which points differ. */
static uint32_t dims_of_points(const struct ndm_geometry *g)
{
    for (uint32_t k = NDM_AXES_MAX; k-- > 1;)
        for (uint64_t i = 1; i < g->points_len; i++)
            if (g->points[NDM_AXES_MAX * i + k] != g->points[k]) return k + 1;
    return 1;
}

static ls_err make_mesh(const struct ndm_mesh *mesh, struct ndm_geometry *g)
{
    g->kind = NDM_MESH;
    LS_TRY(check_mesh_arguments(mesh));
    LS_TRY(copy_texts(mesh->label, mesh->unit, NULL, g));
    LS_TRY(copy_points(mesh, g));
    LS_TRY(copy_shapes(mesh, g));
    LS_TRY(copy_connectivity(mesh, g));
    g->dims = dims_of_points(g);
    for (unsigned k = 0; k < NDM_AXES_MAX; k++) {
        g->extents[k] = 1;
        g->spacing[k] = 1;
    }
    return ndm_geometry_check(g);
}

ls_err ndm_make_mesh(const struct ndm_mesh *mesh, struct ndm_geometry *out)
{
    memset(out, 0, sizeof(*out));
    if (!mesh) return ls_fail(LS_ERR_ARG, "no mesh given");
    const ls_err e = make_mesh(mesh, out);
    if (e != LS_OK) ndm_geometry_fini(out);
    return e;
}

ls_err ndm_make_targets(const struct ndm_indirection *in, const char *label, struct ndm_map *out)
{
    memset(out, 0, sizeof(*out));
    if (!in || !in->target || !is_index_size(in->index_size_bytes))
        return ls_fail(LS_ERR_ARG, "map of \"%.120s\": targets of 4 or 8 bytes each are needed", label);
    if (in->targets_len > NDM_CELLS_MAX)
        return ls_fail(LS_ERR_RANGE, "map of \"%.120s\": %llu targets are too many", label,
                       (ull)in->targets_len);
    out->targets = array_of(in->targets_len, sizeof(*out->targets));
    if (!out->targets) return ls_nomem("the targets of \"%.120s\"", label);
    out->kind = NDM_MAP_TARGETS;
    out->centering = in->centering;
    out->elements_per_entity = in->elements_per_target ? in->elements_per_target : 1;
    out->targets_len = in->targets_len;
    for (uint64_t i = 0; i < in->targets_len; i++) {
        const uint64_t target = index_at(in->target, i, in->index_size_bytes, in->index_base);
        out->targets[i] = (int64_t)target < 0 ? NDM_NOWHERE : target;
    }
    return LS_OK;
}
