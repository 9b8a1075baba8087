/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/rep_raster.h"
#include "ndm/ndm_mix.h"

#include <math.h>
#include <stdlib.h>

/* Pixels of a magnified cell at most; rows of a picture with one axis; pixels that each axis keeps. */
enum { REP_ZOOM_MAX = 8, REP_STRIP_ROWS = 4, REP_PIXELS_MIN = 8, REP_MESH_WIDTH = 72 };

void rep_raster_fini(struct rep_raster *r)
{
    free(r->values);
    *r = (struct rep_raster){0};
}

/* --- values that share a pixel --- */

struct rep_mixer {
    struct rep_raster *raster;
    struct ndm_mix *mixes;
    const double *weights; /* weights of the field's values */
    enum ndm_metric metric;
};

/* Pixels without samples stay empty, for sums, too. */
static void rep_mixed(struct rep_mixer *x)
{
    struct rep_raster *r = x->raster;
    r->min = r->max = NAN;
    for (uint64_t i = 0; i < (uint64_t)r->width * r->height; i++) {
        r->values[i] = ndm_mix_is_empty(&x->mixes[i]) ? NAN : ndm_mix_finish(&x->mixes[i], x->metric);
        r->min = fmin(r->min, r->values[i]); /* fmin ignores NaN */
        r->max = fmax(r->max, r->values[i]);
    }
    free(x->mixes);
}

static ls_err rep_mixer_init(struct rep_mixer *x, struct rep_raster *r, const struct ndm_field *f,
                             enum ndm_metric m)
{
    const uint64_t pixels = (uint64_t)r->width * r->height;
    r->values = malloc((pixels + 1) * sizeof(*r->values));
    *x = (struct rep_mixer){.raster = r,
                            .mixes = calloc(pixels + 1, sizeof(*x->mixes)),
                            .weights = ndm_mix_weights(f, m, UINT32_MAX),
                            .metric = m};
    for (uint64_t i = 0; x->mixes && i < pixels; i++)
        ndm_mix_init(&x->mixes[i]);
    if (r->values && x->mixes) return LS_OK;
    free(x->mixes);
    return ls_nomem("a picture of %llu pixels", (unsigned long long)pixels);
}

/* --- grids --- */

/* Return the cell to show for `column`: with three axes the one in the chosen layer, or the largest. */
static uint64_t rep_shown_cell(const struct ndm_geometry *g, const struct ndm_field *f, enum ndm_metric m,
                               const struct rep_canvas *canvas, uint64_t column)
{
    const uint64_t plane = g->extents[0] * g->extents[1];
    if (g->dims < 3) return column;
    if (canvas->one_layer) return column + plane * canvas->layer;
    uint64_t best = column;
    for (uint64_t z = 1; z < g->extents[2]; z++) {
        const double value = f->values[m][column + plane * z];
        if (value > f->values[m][best] || isnan(f->values[m][best])) best = column + plane * z;
    }
    return best;
}

/* How an axis of len cells becomes pixels: `bin` cells a pixel, or `zoom` pixels a cell. */
struct rep_scale {
    uint64_t bin, zoom;
};

static uint64_t rep_pixels(uint64_t len, const struct rep_scale *s)
{
    return s->zoom > 1 ? len * s->zoom : (len + s->bin - 1) / s->bin;
}

/* Cells stay square as far as each axis keeps some pixels. */
static void rep_grid_scales(const struct ndm_geometry *g, const struct rep_canvas *c, struct rep_scale out[2])
{
    const uint64_t nx = g->extents[0], ny = g->dims > 1 ? g->extents[1] : 1;
    const double fit = fmin((double)c->width / (double)nx,
                            g->dims > 1 ? (double)c->height * c->aspect / (double)ny : INFINITY);
    const uint64_t zoom = fit >= 1 ? (fit < REP_ZOOM_MAX ? (uint64_t)fit : REP_ZOOM_MAX) : 1;
    uint64_t bin = fit < 1 ? (uint64_t)ceil(1 / fit) : 1;
    out[0] = (struct rep_scale){bin, zoom};
    if (nx > REP_PIXELS_MIN && nx / bin < REP_PIXELS_MIN) out[0].bin = nx / REP_PIXELS_MIN;
    out[1] = (struct rep_scale){1, 1};
    if (g->dims < 2) {
        out[1].zoom = REP_STRIP_ROWS / c->aspect;
        return;
    }
    if (zoom > 1) out[1].zoom = zoom / c->aspect ? zoom / c->aspect : 1;
    bin *= fit < 1 || ny > c->height ? c->aspect : 1;
    if (ny > REP_PIXELS_MIN && ny / bin < REP_PIXELS_MIN) bin = ny / REP_PIXELS_MIN;
    if (zoom == 1) out[1].bin = bin;
}

static uint64_t rep_first_pixel(const struct rep_scale *s, uint64_t cell)
{
    return s->zoom > 1 ? cell * s->zoom : cell / s->bin;
}

static void rep_grid_cell(struct rep_mixer *x, const struct rep_scale scales[2], const uint64_t cell[2],
                          double value, double weight)
{
    const uint64_t px = rep_first_pixel(&scales[0], cell[0]), py = rep_first_pixel(&scales[1], cell[1]);
    for (uint64_t y = py; y < py + scales[1].zoom; y++)
        for (uint64_t i = px; i < px + scales[0].zoom; i++)
            ndm_mix_add(&x->mixes[y * x->raster->width + i], x->metric, value, weight);
}

static ls_err rep_raster_grid(struct rep_raster *r, const struct ndm_geometry *g, const struct ndm_field *f,
                              enum ndm_metric m, const struct rep_canvas *canvas)
{
    struct rep_scale scales[2];
    struct rep_mixer x;
    if (canvas->one_layer && (g->dims < 3 || canvas->layer >= g->extents[2]))
        return ls_fail(LS_ERR_USAGE, "--layer: '%s' has %llu layers, the first is 0", g->label,
                       (unsigned long long)(g->dims < 3 ? 1 : g->extents[2]));
    const uint64_t nx = g->extents[0], ny = g->dims > 1 ? g->extents[1] : 1;
    rep_grid_scales(g, canvas, scales);
    r->width = (uint32_t)rep_pixels(nx, &scales[0]);
    r->height = (uint32_t)rep_pixels(ny, &scales[1]);
    r->looked = g->dims < 3 ? REP_LOOKED_FLAT : canvas->one_layer ? REP_LOOKED_LAYER : REP_LOOKED_MAX;
    for (int axis = 0; axis < 2; axis++) {
        r->cells[axis] = scales[axis].zoom > 1 ? 0 : scales[axis].bin;
        r->low[axis] = g->origin[axis];
        r->high[axis] = g->origin[axis] + g->spacing[axis] * (double)(axis ? ny : nx);
    }
    LS_TRY(rep_mixer_init(&x, r, f, m));
    for (uint64_t cell = 0; cell < nx * ny; cell++) {
        const uint64_t shown = rep_shown_cell(g, f, m, canvas, cell), at[2] = {cell % nx, cell / nx};
        rep_grid_cell(&x, scales, at, f->values[m][shown], x.weights[shown]);
    }
    rep_mixed(&x);
    return LS_OK;
}

/* --- meshes --- */

static void rep_mesh_box(struct rep_raster *r, const struct ndm_geometry *g)
{
    r->low[0] = r->low[1] = INFINITY;
    r->high[0] = r->high[1] = -INFINITY;
    for (uint64_t i = 0; i < g->points_len; i++)
        for (uint64_t axis = 0; axis < 2; axis++) {
            r->low[axis] = fmin(r->low[axis], g->points[3 * i + axis]);
            r->high[axis] = fmax(r->high[axis], g->points[3 * i + axis]);
        }
}

/* Not more pixels than values, so that few stay empty; at least a strip. */
static void rep_mesh_size(struct rep_raster *r, uint64_t values_len, const struct rep_canvas *c)
{
    const double wide = r->high[0] - r->low[0], high = r->high[1] - r->low[1];
    const double ratio = wide > 0 ? high / wide / c->aspect : 1;
    double width = fmin(c->width, REP_MESH_WIDTH);
    if (width * ratio > c->height) width = c->height / ratio;
    if (ratio > 0 && width * width * ratio > (double)values_len) width = sqrt((double)values_len / ratio);
    r->width = width > 1 ? (uint32_t)width : 1;
    r->height = width * ratio > 1 ? (uint32_t)(width * ratio) : 1;
    if (high <= 0) r->height = REP_STRIP_ROWS / c->aspect;
}

static uint64_t rep_bin(double at, double low, double high, uint32_t len)
{
    const double share = high > low ? (at - low) / (high - low) : 0;
    return share * len < len ? (uint64_t)(share * len) : len - 1;
}

static ls_err rep_raster_mesh(struct rep_raster *r, const struct ndm_geometry *g, const struct ndm_field *f,
                              enum ndm_metric m, const struct rep_canvas *canvas)
{
    struct rep_mixer x;
    if (canvas->one_layer)
        return ls_fail(LS_ERR_USAGE, "--layer: '%s' is a mesh and has no layers", g->label);
    rep_mesh_box(r, g);
    rep_mesh_size(r, f->values_len, canvas);
    r->looked = REP_LOOKED_BINNED;
    LS_TRY(rep_mixer_init(&x, r, f, m));
    for (uint64_t i = 0; i < f->values_len; i++) {
        double at[NDM_AXES_MAX];
        ndm_geometry_place(g, f->centering, i, at);
        const uint64_t px = rep_bin(at[0], r->low[0], r->high[0], r->width),
                       py = rep_bin(at[1], r->low[1], r->high[1], r->height);
        const bool is_strip = r->high[1] <= r->low[1];
        for (uint64_t y = is_strip ? 0 : py; y < (is_strip ? r->height : py + 1); y++)
            ndm_mix_add(&x.mixes[y * r->width + px], m, f->values[m][i], x.weights[i]);
    }
    rep_mixed(&x);
    return LS_OK;
}

ls_err rep_raster_init(struct rep_raster *out, const struct ndm_geometry *g, const struct ndm_field *f,
                       enum ndm_metric m, const struct rep_canvas *canvas)
{
    *out = (struct rep_raster){0};
    const ls_err e = (g->kind == NDM_GRID ? rep_raster_grid : rep_raster_mesh)(out, g, f, m, canvas);
    if (e != LS_OK) rep_raster_fini(out);
    return e;
}
