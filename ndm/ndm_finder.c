/* SPDX-License-Identifier: BSD-3-Clause */
/* A k-d tree over the points of a mesh: find the point that is nearest to given coordinates. */
#include "ndm/ndm_map.h"
#include "common/ls_error.h"

#include <math.h>
#include <stdlib.h>

enum { LEAF_POINTS = 8 };

/* Points of a mesh, ordered so that the middle of every range splits it along axis[middle]. */
struct ndm_finder {
    const struct ndm_geometry *g;
    uint64_t *order;
    uint8_t *axis;
};

static double coordinate(const ndm_finder *f, uint64_t position, unsigned axis)
{
    return f->g->points[NDM_AXES_MAX * f->order[position] + axis];
}

/* Compare by coordinate, then by number: no two points are equal, so duplicates cannot slow the splitting
 * down. */
static bool is_before(const ndm_finder *f, unsigned axis, uint64_t a, uint64_t b)
{
    const double x = coordinate(f, a, axis), y = coordinate(f, b, axis);
    return x < y || (x == y && f->order[a] < f->order[b]);
}

static void swap_positions(ndm_finder *f, uint64_t a, uint64_t b)
{
    const uint64_t point = f->order[a];
    f->order[a] = f->order[b];
    f->order[b] = point;
}

/* Move the median of first, middle and last to the end of [lo, hi), as the pivot. */
static void choose_pivot(ndm_finder *f, unsigned axis, uint64_t lo, uint64_t hi)
{
    const uint64_t mid = lo + (hi - lo) / 2, last = hi - 1;
    if (is_before(f, axis, mid, lo)) swap_positions(f, mid, lo);
    if (is_before(f, axis, last, lo)) swap_positions(f, last, lo);
    if (is_before(f, axis, mid, last)) swap_positions(f, mid, last);
}

/* Quickselect (Hoare 1961): move the k-th of [lo, hi) to position k, smaller ones before it. */
static void select_position(ndm_finder *f, unsigned axis, uint64_t lo, uint64_t hi, uint64_t k)
{
    while (hi - lo > 1) {
        uint64_t store = lo;
        choose_pivot(f, axis, lo, hi);
        for (uint64_t i = lo; i < hi - 1; i++)
            if (is_before(f, axis, i, hi - 1)) swap_positions(f, i, store++);
        swap_positions(f, store, hi - 1);
        if (store == k) return;
        if (k < store)
            hi = store;
        else
            lo = store + 1;
    }
}

static unsigned widest_axis(const ndm_finder *f, uint64_t lo, uint64_t hi)
{
    unsigned widest = 0;
    double most = -1;
    for (unsigned k = 0; k < NDM_AXES_MAX; k++) {
        double low = coordinate(f, lo, k), high = low;
        for (uint64_t i = lo + 1; i < hi; i++) {
            const double x = coordinate(f, i, k);
            if (x < low) low = x;
            if (x > high) high = x;
        }
        if (high - low > most) {
            most = high - low;
            widest = k;
        }
    }
    return widest;
}

static void split(ndm_finder *f, uint64_t lo, uint64_t hi)
{
    while (hi - lo > LEAF_POINTS) {
        const uint64_t mid = lo + (hi - lo) / 2;
        f->axis[mid] = (uint8_t)widest_axis(f, lo, hi);
        select_position(f, f->axis[mid], lo, hi, mid);
        split(f, lo, mid);
        lo = mid + 1;
    }
}

ls_err ndm_finder_new(const struct ndm_geometry *g, ndm_finder **out)
{
    ndm_finder *f = calloc(1, sizeof(*f));
    if (!f) return ls_nomem("the points of \"%.120s\"", g->label);
    f->g = g;
    if (g->kind == NDM_MESH && g->points_len > 0) {
        f->order = malloc(g->points_len * sizeof(*f->order));
        f->axis = calloc(g->points_len, 1);
        if (!f->order || !f->axis) {
            ndm_finder_free(f);
            return ls_nomem("the points of \"%.120s\"", g->label);
        }
        for (uint64_t i = 0; i < g->points_len; i++)
            f->order[i] = i;
        split(f, 0, g->points_len);
    }
    *out = f;
    return LS_OK;
}

void ndm_finder_free(ndm_finder *f)
{
    if (!f) return;
    free(f->order);
    free(f->axis);
    free(f);
}

enum ndm_centering ndm_finder_centering(const ndm_finder *f)
{
    return f->g->kind == NDM_GRID ? NDM_CELLS : NDM_POINTS;
}

static bool grid_find(const struct ndm_geometry *g, const double at[NDM_AXES_MAX], uint64_t *out)
{
    uint64_t cell = 0;
    for (unsigned k = g->dims; k-- > 0;) {
        const double t = (at[k] - g->origin[k]) / g->spacing[k];
        if (!(t >= 0 && t <= (double)g->extents[k])) return false;
        uint64_t n = (uint64_t)t;
        if (n == g->extents[k]) n--; /* on the far border */
        cell = cell * g->extents[k] + n;
    }
    *out = cell;
    return true;
}

struct search {
    const double *at;
    double nearest2; /* squared distance */
    uint64_t point;
};

static void try_position(const ndm_finder *f, uint64_t position, struct search *s)
{
    double d2 = 0;
    for (unsigned k = 0; k < NDM_AXES_MAX; k++) {
        const double d = coordinate(f, position, k) - s->at[k];
        d2 += d * d;
    }
    if (d2 < s->nearest2 || (d2 == s->nearest2 && f->order[position] < s->point)) {
        s->nearest2 = d2;
        s->point = f->order[position];
    }
}

static void search_range(const ndm_finder *f, uint64_t lo, uint64_t hi, struct search *s)
{
    if (hi - lo <= LEAF_POINTS) {
        for (uint64_t i = lo; i < hi; i++)
            try_position(f, i, s);
        return;
    }
    const uint64_t mid = lo + (hi - lo) / 2;
    const double d = s->at[f->axis[mid]] - coordinate(f, mid, f->axis[mid]);
    if (d < 0)
        search_range(f, lo, mid, s);
    else
        search_range(f, mid + 1, hi, s);
    try_position(f, mid, s);
    if (d * d > s->nearest2) return;
    if (d < 0)
        search_range(f, mid + 1, hi, s);
    else
        search_range(f, lo, mid, s);
}

bool ndm_finder_find(const ndm_finder *f, const double at[NDM_AXES_MAX], uint64_t *out_value_index)
{
    struct search s = {.at = at, .nearest2 = INFINITY, .point = UINT64_MAX};
    if (f->g->kind == NDM_GRID) return grid_find(f->g, at, out_value_index);
    if (!f->order || !isfinite(at[0]) || !isfinite(at[1]) || !isfinite(at[2])) return false;
    search_range(f, 0, f->g->points_len, &s);
    *out_value_index = s.point;
    return true;
}
