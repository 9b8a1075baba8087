/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/view/vx_places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- grids: neighbouring cells share a place --- */

static void vx_grid_extents(const struct ndm_geometry *g, const uint64_t factors[NDM_AXES_MAX],
                            uint64_t extents[NDM_AXES_MAX])
{
    for (int a = 0; a < NDM_AXES_MAX; a++)
        extents[a] = (g->extents[a] + factors[a] - 1) / factors[a];
}

/* Halve the longest axis until all fit. */
static void vx_grid_factors(const struct ndm_geometry *g, size_t max, struct vx_places *out)
{
    for (int a = 0; a < NDM_AXES_MAX; a++)
        out->factors[a] = 1;
    for (;;) {
        int longest = 0;
        vx_grid_extents(g, out->factors, out->extents);
        out->len = out->extents[0] * out->extents[1] * out->extents[2];
        for (int a = 1; a < NDM_AXES_MAX; a++)
            if (out->extents[a] > out->extents[longest]) longest = a;
        if (out->len <= max || out->extents[longest] == 1) return;
        out->factors[longest] *= 2;
    }
}

static ls_err vx_places_room(struct vx_places *out, uint64_t values_len)
{
    out->values_len = values_len;
    out->place_of_value = malloc((values_len + 1) * sizeof(*out->place_of_value));
    if (out->place_of_value) return LS_OK;
    return ls_nomem("drawing a field of %llu values", (unsigned long long)values_len);
}

ls_err vx_places_grid(const struct ndm_geometry *g, size_t max, struct vx_places *out)
{
    *out = (struct vx_places){.len = 0};
    vx_grid_factors(g, max, out);
    LS_TRY(vx_places_room(out, g->extents[0] * g->extents[1] * g->extents[2]));
    uint64_t i = 0;
    for (uint64_t z = 0; z < g->extents[2]; z++)
        for (uint64_t y = 0; y < g->extents[1]; y++)
            for (uint64_t x = 0; x < g->extents[0]; x++)
                out->place_of_value[i++] =
                    (uint32_t)((z / out->factors[2] * out->extents[1] + y / out->factors[1]) *
                                   out->extents[0] +
                               x / out->factors[0]);
    return LS_OK;
}

/* --- meshes: points or cells in one box of a lattice share a place --- */

struct vx_lattice {
    double low[NDM_AXES_MAX], high[NDM_AXES_MAX];
    uint64_t boxes[NDM_AXES_MAX];
};

static void vx_lattice_bounds(struct vx_lattice *l, const struct ndm_geometry *g)
{
    for (int a = 0; a < NDM_AXES_MAX; a++) {
        l->low[a] = INFINITY;
        l->high[a] = -INFINITY;
        for (uint64_t p = 0; p < g->points_len; p++) {
            l->low[a] = fmin(l->low[a], g->points[3 * p + (uint64_t)a]);
            l->high[a] = fmax(l->high[a], g->points[3 * p + (uint64_t)a]);
        }
    }
}

/* Boxes of about equal sides, max of them in the whole volume (or area, or length). An axis along which the
 * mesh is thinner than a box counts as flat: it is left out, and the boxes of the other axes are computed
 * again. */
static void vx_lattice_boxes(struct vx_lattice *l, size_t max)
{
    double longest = 0, side = 0;
    bool is_thinner = true;
    for (int a = 0; a < NDM_AXES_MAX; a++)
        longest = fmax(longest, l->high[a] - l->low[a]);
    for (int a = 0; a < NDM_AXES_MAX; a++)
        l->boxes[a] = l->high[a] - l->low[a] > 0 && longest < INFINITY ? 2 : 1;
    while (is_thinner) {
        double volume = 1;
        int dims = 0;
        is_thinner = false;
        for (int a = 0; a < NDM_AXES_MAX; a++)
            if (l->boxes[a] > 1 && ++dims) volume *= (l->high[a] - l->low[a]) / longest;
        side = dims ? pow(volume / (double)max, 1.0 / dims) : 1;
        for (int a = 0; a < NDM_AXES_MAX; a++)
            if (l->boxes[a] > 1 && (l->high[a] - l->low[a]) / longest < side) {
                l->boxes[a] = 1;
                is_thinner = true;
            }
    }
    for (int a = 0; a < NDM_AXES_MAX; a++)
        if (l->boxes[a] > 1)
            l->boxes[a] = (uint64_t)fmax(1, floor((l->high[a] - l->low[a]) / longest / side));
}

static uint64_t vx_lattice_box(const struct vx_lattice *l, const double at[3])
{
    uint64_t box = 0;
    for (int a = NDM_AXES_MAX - 1; a >= 0; a--) {
        const double width = l->high[a] - l->low[a];
        const double part = width > 0 ? (at[a] - l->low[a]) / width * (double)l->boxes[a] : 0;
        const uint64_t last = l->boxes[a] - 1, n = part > 0 ? (uint64_t)fmin(part, (double)last) : 0;
        box = box * l->boxes[a] + n;
    }
    return box;
}

/* Turn boxes that are not empty into places, in the order of their first entity. */
static ls_err vx_mesh_share(const struct ndm_geometry *g, enum ndm_centering centering, size_t max,
                            struct vx_places *out)
{
    struct vx_lattice l;
    double at[3];
    vx_lattice_bounds(&l, g);
    vx_lattice_boxes(&l, max);
    uint32_t *place_of_box = calloc(l.boxes[0] * l.boxes[1] * l.boxes[2] + 1, sizeof(*place_of_box));
    if (!place_of_box) return ls_nomem("drawing a mesh");
    for (uint64_t i = 0; i < out->values_len; i++) {
        ndm_geometry_position(g, centering, i, at);
        uint32_t *place = &place_of_box[vx_lattice_box(&l, at)];
        if (*place == 0) *place = (uint32_t)++out->len;
        out->place_of_value[i] = *place - 1;
    }
    free(place_of_box);
    return LS_OK;
}

/* Compute the mean position of the entities that share a place. */
static ls_err vx_mesh_points(const struct ndm_geometry *g, enum ndm_centering centering,
                             struct vx_places *out)
{
    double at[3];
    out->points = calloc(out->len + 1, 3 * sizeof(*out->points));
    uint32_t *counts = calloc(out->len + 1, sizeof(*counts));
    for (uint64_t i = 0; out->points && counts && i < out->values_len; i++) {
        const uint32_t place = out->place_of_value[i];
        ndm_geometry_position(g, centering, i, at);
        counts[place]++;
        for (int a = 0; a < 3; a++)
            out->points[3 * place + (uint32_t)a] +=
                (at[a] - out->points[3 * place + (uint32_t)a]) / counts[place];
    }
    const ls_err err = out->points && counts ? LS_OK : ls_nomem("drawing a mesh");
    free(counts);
    return err;
}

/* Return true if all cells are polygons whose corners are in order around them. */
static bool vx_mesh_is_flat(const struct ndm_geometry *g)
{
    for (uint64_t c = 0; c < g->cells_len; c++)
        if (g->shapes[c] != NDM_TRIANGLE && g->shapes[c] != NDM_QUAD) return false;
    return g->cells_len > 0 && g->dims == 2;
}

ls_err vx_places_mesh(const struct ndm_geometry *g, enum ndm_centering centering, size_t max,
                      struct vx_places *out)
{
    *out = (struct vx_places){.len = 0};
    LS_TRY(vx_places_room(out, ndm_geometry_values(g, centering)));
    if (out->values_len <= max) {
        out->len = out->values_len;
        for (uint64_t i = 0; i < out->values_len; i++)
            out->place_of_value[i] = (uint32_t)i;
        if (centering == NDM_CELLS && g->points_len <= max && vx_mesh_is_flat(g)) {
            out->polygons = g;
            return LS_OK;
        }
    } else {
        LS_TRY(vx_mesh_share(g, centering, max, out));
    }
    return vx_mesh_points(g, centering, out);
}

/* --- larger places --- */

static void vx_grid_coarser(const struct vx_places *fine, unsigned level, uint32_t *out)
{
    const uint64_t *n = fine->extents;
    for (uint64_t i = 0; i < fine->len; i++) {
        const uint64_t x = i % n[0], y = i / n[0] % n[1], z = i / n[0] / n[1];
        out[i] =
            (uint32_t)(((z >> level << level) * n[1] + (y >> level << level)) * n[0] + (x >> level << level));
    }
}

static void vx_place_centre(const struct vx_places *fine, const struct ndm_geometry *g, uint64_t i,
                            double at[3])
{
    if (fine->points)
        memcpy(at, fine->points + 3 * i, 3 * sizeof(*at));
    else
        ndm_geometry_position(g, NDM_CELLS, i, at);
}

/* The first place of each box of a lattice represents all places in it. */
static ls_err vx_mesh_coarser(const struct vx_places *fine, const struct ndm_geometry *g, unsigned level,
                              uint32_t *out)
{
    struct vx_lattice l;
    double at[3];
    const size_t boxes = fine->len >> (g->dims * level);
    vx_lattice_bounds(&l, g);
    vx_lattice_boxes(&l, boxes ? boxes : 1);
    uint32_t *first = calloc(l.boxes[0] * l.boxes[1] * l.boxes[2] + 1, sizeof(*first));
    if (!first) return ls_nomem("drawing a mesh");
    for (uint64_t i = 0; i < fine->len; i++) {
        vx_place_centre(fine, g, i, at);
        uint32_t *of_box = &first[vx_lattice_box(&l, at)];
        if (*of_box == 0) *of_box = (uint32_t)i + 1;
        out[i] = *of_box - 1;
    }
    free(first);
    return LS_OK;
}

ls_err vx_places_coarser(const struct vx_places *fine, const struct ndm_geometry *g, unsigned level,
                         uint32_t *out)
{
    if (g->kind == NDM_MESH) return vx_mesh_coarser(fine, g, level, out);
    vx_grid_coarser(fine, level, out);
    return LS_OK;
}

void vx_places_fini(struct vx_places *p)
{
    free(p->place_of_value);
    free(p->points);
    memset(p, 0, sizeof(*p));
}

/* --- as columns --- */

static void vx_points_pack(const double *points, size_t len, uint32_t number, struct vx_pack *p)
{
    double *axis = malloc((len + 1) * sizeof(*axis));
    char name[40];
    if (!axis) p->failed = true;
    for (size_t a = 0; axis && a < NDM_AXES_MAX; a++) {
        for (size_t i = 0; i < len; i++)
            axis[i] = points[3 * i + a];
        snprintf(name, sizeof(name), "f%u.at%zu", number, a);
        vx_pack_floats(p, name, axis, len);
    }
    free(axis);
}

void vx_places_pack(const struct vx_places *places, uint32_t number, struct vx_pack *p)
{
    const struct ndm_geometry *g = places->polygons;
    char name[40];
    if (places->points) vx_points_pack(places->points, places->len, number, p);
    if (!g) return;
    vx_points_pack(g->points, g->points_len, number, p);
    snprintf(name, sizeof(name), "f%u.corners", number);
    vx_pack_begin(p, name, VX_COLUMN_UINT); /* number of points, then the points */
    for (uint64_t c = 0; c < g->cells_len; c++) {
        vx_pack_uint(p, g->offsets[c + 1] - g->offsets[c]);
        for (uint64_t k = g->offsets[c]; k < g->offsets[c + 1]; k++)
            vx_pack_uint(p, g->connectivity[k]);
    }
}

void vx_places_json(const struct vx_places *places, const struct ndm_geometry *g, struct ls_json *j)
{
    const bool is_grid = g->kind == NDM_GRID;
    ls_json_text(j, "domain", g->label);
    ls_json_text(j, "unit", g->unit);
    ls_json_text(j, "drawn", is_grid ? "grid" : places->polygons ? "polygons" : "points");
    ls_json_number(j, "dims", g->dims);
    ls_json_number(j, "places", (double)places->len);
    ls_json_open(j, "axes", '[');
    for (uint32_t a = 0; a < NDM_AXES_MAX; a++) {
        const char letter[2] = {(char)('x' + a), 0};
        ls_json_open(j, NULL, '{');
        ls_json_text(j, "name", g->axes[a] && *g->axes[a] ? g->axes[a] : letter);
        if (is_grid) {
            ls_json_number(j, "cells", (double)g->extents[a]);
            ls_json_number(j, "places", (double)places->extents[a]);
            ls_json_number(j, "cellsPerPlace", (double)places->factors[a]);
            ls_json_number(j, "origin", g->origin[a]);
            ls_json_number(j, "spacing", g->spacing[a]);
        }
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
}
