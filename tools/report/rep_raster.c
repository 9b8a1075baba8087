/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/report/rep_raster.h"
#include "ndm/ndm_mix.h"
#include "common/ls_quantity.h"
#include "viz-export/vx_axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- a field as a picture of few pixels ---- */

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
        ndm_geometry_position(g, f->centering, i, at);
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

/* ---- drawn on a terminal ---- */

/* The colours of xterm's cube nearest to viridis (van der Walt and Smith, 2015) whose lightness rises with
 * each step: L* 21, 24, 38, 51, 64, 71, 79, 81, 83, 87. */
static const uint8_t rep_colours[REP_TINTS] = {53, 54, 24, 30, 36, 72, 113, 148, 184, 220};
static const char rep_signs[REP_TINTS + 1] = ".,:;=+*#%@";
enum { REP_NOTHING = -1 };

static const double REP_BEYOND_SCALE = 0.02; /* part of the pixels, at either end */
enum { REP_LOG_FROM = 100 };                 /* a larger range is drawn on a logarithmic scale */

struct rep_range rep_scale_range(const struct rep_raster *r, enum ndm_metric m)
{
    if (ndm_metric(m)->mixing == NDM_ADDS) return (struct rep_range){.high = r->max};
    if (m != NDM_LATENCY_MEAN && m != NDM_LATENCY_MAX) return (struct rep_range){.high = 1};
    double low = r->min, high = r->max;
    vx_middle_range(r->values, (uint64_t)r->width * r->height, REP_BEYOND_SCALE, &low, &high);
    if (!(low < high)) low = 0;
    return (struct rep_range){low, high, low > 0 && high > REP_LOG_FROM * low};
}

/* The step of the scale for a value. */
static unsigned rep_tint(double value, const struct rep_range *scale)
{
    double share = scale->high > scale->low ? (value - scale->low) / (scale->high - scale->low) : 0;
    if (scale->is_log) share = value > 0 ? log(value / scale->low) / log(scale->high / scale->low) : 0;
    return share >= 1 ? REP_TINTS - 1 : share > 0 ? (unsigned)(share * REP_TINTS) : 0;
}

uint32_t rep_draw_rows(const struct rep_raster *r, bool colour)
{
    return colour ? (r->height + 1) / 2 : r->height;
}

/* Colour of a pixel, y counted from the top; REP_NOTHING: no sample, or outside. */
static int rep_pixel(const struct rep_raster *r, const struct rep_range *scale, uint32_t x, uint32_t y)
{
    if (y >= r->height) return REP_NOTHING;
    const double value = r->values[(uint64_t)(r->height - 1 - y) * r->width + x];
    return isnan(value) ? REP_NOTHING : (int)rep_tint(value, scale);
}

static void rep_draw_pair(int top, int bottom, FILE *out)
{
    if (top == REP_NOTHING && bottom == REP_NOTHING)
        fputs("\033[0m ", out);
    else if (bottom == REP_NOTHING)
        fprintf(out, "\033[0;38;5;%dm▀", rep_colours[top]);
    else if (top == REP_NOTHING)
        fprintf(out, "\033[0;38;5;%dm▄", rep_colours[bottom]);
    else
        fprintf(out, "\033[38;5;%d;48;5;%dm▀", rep_colours[top], rep_colours[bottom]);
}

void rep_draw_row(const struct rep_raster *r, const struct rep_range *scale, uint32_t row, bool colour,
                  FILE *out)
{
    for (uint32_t x = 0; x < r->width; x++) {
        const int top = rep_pixel(r, scale, x, colour ? 2 * row : row);
        if (colour)
            rep_draw_pair(top, rep_pixel(r, scale, x, 2 * row + 1), out);
        else
            fputc(top == REP_NOTHING ? ' ' : rep_signs[top], out);
    }
    if (colour) fputs("\033[0m", out);
}

void rep_draw_scale(uint32_t width, bool colour, FILE *out)
{
    for (unsigned tint = 0; tint < REP_TINTS; tint++) {
        if (colour) fprintf(out, "\033[48;5;%dm", rep_colours[tint]);
        for (uint32_t i = 0; i < width; i++)
            fputc(colour ? ' ' : rep_signs[tint], out);
    }
    if (colour) fputs("\033[0m", out);
}

/* ---- fields ---- */

enum { REP_LIST_BYTES = 400, REP_THIRDS = 3, REP_PARTS_MAX = 27 };

/* --- which field --- */

static const char *const rep_metric_words[] = {
    [NDM_SAMPLES] = "samples",
    [NDM_TIME] = "time",
    [NDM_STALL] = "stall",
    [NDM_LATENCY_MEAN] = "latency",
    [NDM_LATENCY_MAX] = "latency-max",
    [NDM_LEVEL_L1] = "L1",
    [NDM_LEVEL_L2] = "L2",
    [NDM_LEVEL_L3] = "L3",
    [NDM_LEVEL_MEMORY] = "memory",
    [NDM_TIMED] = "timed",
};
_Static_assert(sizeof(rep_metric_words) / sizeof(rep_metric_words[0]) == NDM_METRICS_LEN, "a word each");

const char *rep_metric_word(enum ndm_metric m)
{
    return rep_metric_words[m];
}

static bool rep_metric_parse(const char *word, enum ndm_metric *out)
{
    for (int m = 0; m < NDM_METRICS_LEN; m++)
        if (strcasecmp(word, rep_metric_words[m]) == 0 ||
            strcmp(word, ndm_metric((enum ndm_metric)m)->name) == 0) {
            *out = (enum ndm_metric)m;
            return true;
        }
    return false;
}

static void rep_list_add(char *list, const char *name)
{
    const size_t len = strlen(list);
    if (len + 4 < REP_LIST_BYTES) snprintf(list + len, REP_LIST_BYTES - len, "%s%s", len ? ", " : "", name);
}

/* A path of labels that ends in this node: "B", "Input/B"; or its id, "#12". */
static bool rep_names_node(const prof_profile *p, uint32_t node, const char *path)
{
    size_t nodes_len, left = strlen(path);
    uint64_t id;
    const struct prof_node *nodes = prof_nodes(p, &nodes_len);
    if (path[0] == '#' && ls_parse_u64(path + 1, &id) == LS_OK) return id == node;
    for (uint32_t n = node; n < nodes_len; n = n ? nodes[n].parent : UINT32_MAX) {
        const size_t label = strlen(nodes[n].label);
        if (label > left || memcmp(path + left - label, nodes[n].label, label) != 0) return false;
        if (label == left) return true;
        if (path[left - label - 1] != '/') return false;
        left -= label + 1;
    }
    return false;
}

static bool rep_names_field(const prof_profile *p, const struct ndm_field *f, const char *name)
{
    return strcmp(f->name, name) == 0 ||
           (f->node == UINT32_MAX ? strcmp(f->label, name) == 0 : rep_names_node(p, f->node, name));
}

static ls_err rep_no_field(const struct ndm_atlas *a, const char *name)
{
    char list[REP_LIST_BYTES] = "";
    for (uint32_t i = 0; i < a->fields_len; i++)
        rep_list_add(list, a->fields[i].name);
    return ls_fail(LS_ERR_USAGE,
                   "--heatmap: nothing that was sampled on a domain is called '%s'; there is: %s", name,
                   list);
}

/* The exact name of a field selects this field; other words must match one field only. */
static ls_err rep_field_named(const prof_profile *p, const struct ndm_atlas *a, const char *name,
                              uint32_t *out)
{
    char list[REP_LIST_BYTES] = "";
    uint32_t matches = 0;
    for (uint32_t i = 0; i < a->fields_len; i++) {
        if (!rep_names_field(p, &a->fields[i], name)) continue;
        *out = i;
        if (strcmp(a->fields[i].name, name) == 0) return LS_OK;
        rep_list_add(list, a->fields[i].name);
        matches++;
    }
    if (matches == 0) return rep_no_field(a, name);
    if (matches > 1)
        return ls_fail(LS_ERR_USAGE, "--heatmap: '%s' may be each of: %s; write one of them, or #id", name,
                       list);
    return LS_OK;
}

ls_err rep_field_find(const prof_profile *p, const struct ndm_atlas *a, const char *text,
                      struct rep_field_choice *out)
{
    char name[REP_LIST_BYTES];
    const char *colon = strrchr(text, ':');
    out->metric = NDM_STALL;
    if (a->fields_len == 0)
        return ls_fail(LS_ERR_USAGE,
                       "--heatmap: no data of this run is mapped to a domain: programs do this with "
                       "ndm_map_grid and similar calls (loadstone/ndm.h)");
    snprintf(name, sizeof(name), "%s", text);
    if (colon && rep_metric_parse(colon + 1, &out->metric))
        name[(size_t)(colon - text) < sizeof(name) ? (size_t)(colon - text) : sizeof(name) - 1] = '\0';
    else if (colon && rep_field_named(p, a, text, &out->field) != LS_OK) {
        char list[REP_LIST_BYTES] = "";
        for (int m = 0; m < NDM_METRICS_LEN; m++)
            rep_list_add(list, rep_metric_words[m]);
        return ls_fail(LS_ERR_USAGE, "--heatmap: '%s' is none of %s", colon + 1, list);
    }
    return rep_field_named(p, a, name, &out->field);
}

/* --- summary of its values --- */

static void rep_hottest_insert(struct rep_hottest *h, const double *values, uint64_t i)
{
    uint32_t at = h->len;
    while (at > 0 && values[i] > values[h->values[at - 1]])
        at--;
    if (at == REP_HOTTEST_MAX) return;
    if (h->len < REP_HOTTEST_MAX) h->len++;
    for (uint32_t k = h->len - 1; k > at; k--)
        h->values[k] = h->values[k - 1];
    h->values[at] = i;
}

static void rep_domain_box(const struct ndm_geometry *g, double low[NDM_AXES_MAX], double high[NDM_AXES_MAX])
{
    for (uint32_t axis = 0; axis < NDM_AXES_MAX; axis++) {
        low[axis] = g->kind == NDM_GRID ? g->origin[axis] : INFINITY;
        high[axis] =
            g->kind == NDM_GRID ? g->origin[axis] + g->spacing[axis] * (double)g->extents[axis] : -INFINITY;
    }
    for (uint64_t i = 0; g->kind == NDM_MESH && i < 3 * g->points_len; i++) {
        low[i % 3] = fmin(low[i % 3], g->points[i]);
        high[i % 3] = fmax(high[i % 3], g->points[i]);
    }
}

static bool rep_is_cut(const struct ndm_geometry *g, uint32_t axis, double low, double high)
{
    if (g->kind == NDM_GRID) return axis < g->dims && g->extents[axis] >= REP_THIRDS;
    return high > low;
}

/* Third of an axis: 0, 1, 2. */
static uint32_t rep_third(double at, double low, double high)
{
    const double third = (at - low) / (high - low) * REP_THIRDS;
    return third < 1 ? 0 : third < 2 ? 1 : 2;
}

static void rep_hottest_part(const struct ndm_geometry *g, const struct ndm_field *f, const double *values,
                             struct rep_hottest *out)
{
    double low[NDM_AXES_MAX], high[NDM_AXES_MAX], at[NDM_AXES_MAX], sums[REP_PARTS_MAX] = {0};
    uint32_t best = 0;
    rep_domain_box(g, low, high);
    for (uint64_t i = 0; i < f->values_len; i++) {
        uint32_t part = 0;
        if (!(values[i] > 0)) continue;
        ndm_geometry_position(g, f->centering, i, at);
        for (uint32_t axis = NDM_AXES_MAX; axis-- > 0;)
            part =
                part * REP_THIRDS +
                (rep_is_cut(g, axis, low[axis], high[axis]) ? rep_third(at[axis], low[axis], high[axis]) : 0);
        sums[part] += values[i];
    }
    for (uint32_t part = 0; part < REP_PARTS_MAX; part++)
        if (sums[part] > sums[best]) best = part;
    out->has_part = out->sum > 0;
    out->part_share = sums[best] / out->sum;
    out->parts = 1;
    for (uint32_t axis = 0, rest = best; axis < NDM_AXES_MAX; axis++, rest /= REP_THIRDS) {
        const bool is_cut = rep_is_cut(g, axis, low[axis], high[axis]);
        const double third = (high[axis] - low[axis]) / REP_THIRDS;
        out->part[axis] = is_cut ? (int)(rest % REP_THIRDS) : -1;
        out->low[axis] = low[axis] + third * (rest % REP_THIRDS);
        out->high[axis] = out->low[axis] + third;
        out->parts *= is_cut ? REP_THIRDS : 1;
    }
}

void rep_field_hottest(const struct ndm_geometry *g, const struct ndm_field *f, enum ndm_metric m,
                       struct rep_hottest *out)
{
    const double *values = f->values[m];
    *out = (struct rep_hottest){.max = NAN};
    for (uint64_t i = 0; i < f->values_len; i++) {
        if (isnan(values[i]) || !(f->values[NDM_SAMPLES][i] > 0)) continue;
        out->sum += values[i];
        if (!(values[i] <= out->max)) out->max = values[i];
        rep_hottest_insert(out, values, i);
    }
    if (ndm_metric(m)->mixing == NDM_ADDS) rep_hottest_part(g, f, values, out);
}
