/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/export/vx_heat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- panels ---- */

static ls_err vx_heat_grid(cairo_t *c, const struct vx_panel *p, const struct vx_frame *f);

enum { VX_HEAD = 26, VX_FOOT = 46, VX_LEFT_ROOM = 62, VX_RIGHT_ROOM = 104, VX_STRIP = 46 };

/* Return true if axis y is drawn downwards: for grids whose second axis is called row, like matrices. */
static bool vx_runs_down(const struct ndm_geometry *g)
{
    return g->kind == NDM_GRID && g->dims >= 2 && strncmp(g->axes[1], "row", 3) == 0;
}

struct vx_view vx_view_of(const struct ndm_geometry *g)
{
    double low[NDM_AXES_MAX], high[NDM_AXES_MAX];
    int axes[NDM_AXES_MAX] = {0, 1, 2}, used = 0;
    for (int d = 0; d < NDM_AXES_MAX; d++) {
        low[d] = INFINITY;
        high[d] = -INFINITY;
        for (uint64_t i = 0; i < g->points_len; i++) {
            low[d] = fmin(low[d], g->points[3 * i + (uint64_t)d]);
            high[d] = fmax(high[d], g->points[3 * i + (uint64_t)d]);
        }
        if (high[d] > low[d]) axes[used++] = d;
    }
    if (used < 2) return (struct vx_view){true, axes[0], axes[0] == 0 ? 1 : 0};
    return (struct vx_view){used == 2, axes[0], axes[1]};
}

struct vx_seen vx_see(const struct vx_view *v, const double *p)
{
    if (v->is_flat) return (struct vx_seen){p[v->across], p[v->up], 0};
    return (struct vx_seen){(p[0] - p[1]) / sqrt(2), (p[0] + p[1] + 2 * p[2]) / sqrt(6),
                            (p[0] + p[1] - p[2]) / sqrt(3)};
}

static double vx_grid_end(const struct ndm_geometry *g, uint32_t axis)
{
    return g->origin[axis] + (double)g->extents[axis] * (g->spacing[axis] > 0 ? g->spacing[axis] : 1);
}

/* Limits of the drawn area: x low, x high, y low, y high. */
static void vx_limits(const struct ndm_geometry *g, double out[4])
{
    if (g->kind == NDM_GRID) {
        out[0] = g->origin[0];
        out[1] = vx_grid_end(g, 0);
        out[2] = g->dims > 1 ? g->origin[1] : 0;
        out[3] = g->dims > 1 ? vx_grid_end(g, 1) : 1;
        return;
    }
    const struct vx_view view = vx_view_of(g);
    out[0] = out[2] = INFINITY;
    out[1] = out[3] = -INFINITY;
    for (uint64_t i = 0; i < g->points_len; i++) {
        const struct vx_seen at = vx_see(&view, &g->points[3 * i]);
        out[0] = fmin(out[0], at.across);
        out[1] = fmax(out[1], at.across);
        out[2] = fmin(out[2], at.up);
        out[3] = fmax(out[3], at.up);
    }
    for (int k = 0; k < 4; k += 2)
        if (!(out[k + 1] > out[k])) { /* all points are on a line: leave room around it */
            out[k] -= 0.5;
            out[k + 1] += 0.5;
        }
}

/* Return height / width of the domain; long thin domains are not drawn to scale. */
static double vx_aspect(const double limits[4])
{
    const double aspect = (limits[3] - limits[2]) / (limits[1] - limits[0]);
    return aspect > 1.0 / 12 && aspect < 12 ? fmin(aspect, 1.25) : 0.5;
}

static double vx_plot_height(const struct vx_panel *p, double plot_width)
{
    double limits[4];
    vx_limits(p->geometry, limits);
    if (p->geometry->kind == NDM_GRID && p->geometry->dims == 1) return VX_STRIP;
    return plot_width * vx_aspect(limits);
}

double vx_panel_height(const struct vx_panel *p, double width)
{
    return VX_HEAD + vx_plot_height(p, width - VX_LEFT_ROOM - VX_RIGHT_ROOM) + VX_FOOT;
}

bool vx_panel_colour(const struct vx_panel *p, double value, struct vx_rgb *out)
{
    return p->has_values && !(p->zero_is_nothing && value == 0) && vx_colour_of(&p->scale, value, out);
}

void vx_use_nothing(cairo_t *c)
{
    cairo_set_source_rgb(c, 0.9, 0.9, 0.9);
}

/* Make an axis without rounding, so that the domain fills the plot. */
static struct vx_axis vx_exact_axis(double low, double high, double from, double to)
{
    return (struct vx_axis){.scale = VX_LINEAR, .low = low, .high = high, .from = from, .to = to};
}

static struct vx_frame vx_frame_of(struct vx_box box, const struct vx_panel *p)
{
    double limits[4];
    struct vx_frame f = {
        .plot = {box.x + VX_LEFT_ROOM, box.y + VX_HEAD, box.width - VX_LEFT_ROOM - VX_RIGHT_ROOM, 0}};
    vx_limits(p->geometry, limits);
    f.plot.height = vx_plot_height(p, f.plot.width);
    const double aspect = (limits[3] - limits[2]) / (limits[1] - limits[0]);
    if (aspect > 1.25 && aspect < 12) /* limited by the height */
        f.plot.width = f.plot.height / aspect;
    const double top = f.plot.y, bottom = f.plot.y + f.plot.height;
    const bool down = vx_runs_down(p->geometry);
    f.x = vx_exact_axis(limits[0], limits[1], f.plot.x, f.plot.x + f.plot.width);
    f.y = vx_exact_axis(limits[2], limits[3], down ? top : bottom, down ? bottom : top);
    return f;
}

/* "x / mm" */
static const char *vx_axis_label(const struct ndm_geometry *g, const char *axis, char out[128])
{
    snprintf(out, 128, "%s%s%s", axis, *g->unit ? " / " : "", g->unit);
    return out;
}

static void vx_ticks_x(cairo_t *c, const struct vx_frame *f)
{
    struct vx_tick ticks[VX_TICKS_MAX];
    const double bottom = f->plot.y + f->plot.height;
    const size_t n = vx_axis_ticks(&f->x, f->plot.width < 200 ? 3 : 6, ticks);
    vx_use_ink(c, VX_INK_MUTED);
    for (size_t i = 0; i < n; i++) {
        const double x = vx_axis_position(&f->x, ticks[i].value);
        vx_line(c, x, bottom, x, bottom + 4, 1);
        vx_text(c, x, bottom + 15, VX_FONT_SMALL, VX_CENTRE, ticks[i].text);
    }
}

static void vx_ticks_y(cairo_t *c, const struct vx_frame *f)
{
    struct vx_tick ticks[VX_TICKS_MAX];
    const size_t n = vx_axis_ticks(&f->y, f->plot.height < 120 ? 3 : 6, ticks);
    vx_use_ink(c, VX_INK_MUTED);
    for (size_t i = 0; i < n; i++) {
        const double y = vx_axis_position(&f->y, ticks[i].value);
        vx_line(c, f->plot.x - 4, y, f->plot.x, y, 1);
        vx_text(c, f->plot.x - 6, y + 3.5, VX_FONT_SMALL, VX_RIGHT, ticks[i].text);
    }
}

static void vx_axes(cairo_t *c, const struct vx_panel *p, const struct vx_frame *f)
{
    static const char *const mesh_axes[] = {"x", "y", "z"};
    const struct ndm_geometry *g = p->geometry;
    const struct vx_view view = g->kind == NDM_MESH ? vx_view_of(g) : (struct vx_view){true, 0, 1};
    const char *across = g->kind == NDM_GRID ? g->axes[0] : mesh_axes[view.across];
    const char *up = g->kind == NDM_GRID ? (g->dims > 1 ? g->axes[1] : NULL) : mesh_axes[view.up];
    char text[128];
    vx_use_ink(c, VX_INK_TEXT);
    if (!view.is_flat) {
        vx_text(c, f->plot.x, f->plot.y + f->plot.height + 16, VX_FONT_SMALL, VX_LEFT,
                "x to the right, y to the left, z up;");
        vx_text(c, f->plot.x, f->plot.y + f->plot.height + 29, VX_FONT_SMALL, VX_LEFT,
                vx_is_sparse(p) ? "dots inside, seen from low x, low y, high z"
                                : "the surface, seen from low x, low y, high z");
        return;
    }
    vx_text(c, f->plot.x + f->plot.width / 2, f->plot.y + f->plot.height + 32, VX_FONT_TEXT, VX_CENTRE,
            vx_axis_label(g, across, text));
    if (up)
        vx_text_up(c, f->plot.x - 46, f->plot.y + f->plot.height / 2, VX_FONT_TEXT,
                   vx_axis_label(g, up, text));
    vx_ticks_x(c, f);
    if (up) vx_ticks_y(c, f);
}

static void vx_bar_ticks(cairo_t *c, const struct vx_panel *p, struct vx_box bar)
{
    struct vx_axis axis = p->scale;
    struct vx_tick ticks[VX_TICKS_MAX];
    axis.from = bar.y + bar.height;
    axis.to = bar.y;
    const size_t n = vx_axis_ticks(&axis, bar.height < 120 ? 2 : 5, ticks);
    vx_use_ink(c, VX_INK_MUTED);
    for (size_t i = 0; i < n; i++) {
        const double y = vx_axis_position(&axis, ticks[i].value);
        vx_line(c, bar.x + bar.width, y, bar.x + bar.width + 3, y, 1);
        vx_text(c, bar.x + bar.width + 6, y + 3.5, VX_FONT_SMALL, VX_LEFT, ticks[i].text);
    }
}

/* Draw the colour bar with its values, and below it the sample for missing values. */
static void vx_bar(cairo_t *c, const struct vx_panel *p, const struct vx_frame *f)
{
    const struct vx_box bar = {f->plot.x + f->plot.width + 16, f->plot.y, 14, f->plot.height};
    enum { SLICES = 128 };
    for (int i = 0; p->has_values && i < SLICES; i++) {
        const struct vx_rgb k = vx_viridis((i + 0.5) / SLICES);
        cairo_set_source_rgb(c, k.r, k.g, k.b);
        cairo_rectangle(c, bar.x, bar.y + bar.height * (SLICES - 1 - i) / SLICES, bar.width,
                        bar.height / SLICES + 0.5);
        cairo_fill(c);
    }
    if (p->has_values) vx_bar_ticks(c, p, bar);
    vx_use_nothing(c);
    cairo_rectangle(c, bar.x, bar.y + bar.height + 8, bar.width, 9);
    cairo_fill(c);
    vx_use_ink(c, VX_INK_MUTED);
    vx_text(c, bar.x + bar.width + 6, bar.y + bar.height + 16, VX_FONT_SMALL, VX_LEFT,
            p->zero_is_nothing ? "0" : "no sample");
}

ls_err vx_panel_draw(cairo_t *c, struct vx_box box, const struct vx_panel *p)
{
    const struct vx_frame f = vx_frame_of(box, p);
    vx_use_ink(c, VX_INK_TEXT);
    vx_text_cut(c, f.plot.x, box.y + 13, VX_FONT_TEXT, VX_LEFT, box.width - VX_LEFT_ROOM, p->title);
    LS_TRY((p->geometry->kind == NDM_GRID ? vx_heat_grid : vx_heat_mesh)(c, p, &f));
    vx_axes(c, p, &f);
    vx_bar(c, p, &f);
    return LS_OK;
}

/* ---- grids ---- */

/* Squares of a grid's cells, as an image that is stretched over the plot. */

static uint32_t vx_pixel(const struct vx_panel *p, double value)
{
    struct vx_rgb c = {0.9, 0.9, 0.9}; /* as vx_use_nothing */
    vx_panel_colour(p, value, &c);
    return 0xff000000u | (uint32_t)lround(c.r * 255) << 16 | (uint32_t)lround(c.g * 255) << 8 |
           (uint32_t)lround(c.b * 255);
}

/* The first square is at the corner where both axes begin; the last ones may extend beyond the domain. */
static void vx_paint(cairo_t *c, cairo_surface_t *image, const struct vx_panel *p, const struct vx_frame *f)
{
    const struct ndm_geometry *g = p->geometry;
    const double side = (double)p->squares.side, cells_y = g->dims > 1 ? (double)g->extents[1] : 1;
    const double width = f->plot.width * side / (double)g->extents[0],
                 height = f->plot.height * side / cells_y;
    const bool down = vx_runs_down(g);
    cairo_save(c);
    cairo_rectangle(c, f->plot.x, f->plot.y, f->plot.width, f->plot.height);
    cairo_clip(c);
    cairo_translate(c, f->plot.x, down ? f->plot.y : f->plot.y + f->plot.height);
    cairo_scale(c, width, g->dims == 1 ? -f->plot.height : down ? height : -height);
    cairo_set_source_surface(c, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(c), CAIRO_FILTER_NEAREST);
    cairo_paint(c);
    cairo_restore(c);
}

/* Draw the colours of values; one file per kind of domain.
 * Errors: as for vx_panel_draw. */
static ls_err vx_heat_grid(cairo_t *c, const struct vx_panel *p, const struct vx_frame *f)
{
    const struct vx_squares *s = &p->squares;
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)s->across, (int)s->up);
    if (cairo_surface_status(image) != CAIRO_STATUS_SUCCESS) {
        cairo_surface_destroy(image);
        return ls_nomem("a picture of %s", p->geometry->label);
    }
    unsigned char *bytes = cairo_image_surface_get_data(image);
    const int stride = cairo_image_surface_get_stride(image);
    for (uint64_t y = 0; y < s->up; y++) {
        uint32_t *row = (uint32_t *)(void *)(bytes + y * (uint64_t)stride);
        for (uint64_t x = 0; x < s->across; x++)
            row[x] = vx_pixel(p, s->values[y * s->across + x]);
    }
    cairo_surface_mark_dirty(image);
    vx_paint(c, image, p, f);
    cairo_surface_destroy(image);
    return LS_OK;
}

/* ---- marks ---- */

/* Draw few values on a large mesh as dots at their cells or points, far ones first, over the pale surface. */

enum { VX_MARKS_FROM = 1000 };

struct vx_dot_at {
    double x, y, away, value;
};

static int vx_compare_dots(const void *a, const void *b)
{
    const struct vx_dot_at *p = a, *q = b;
    return (p->away < q->away) - (p->away > q->away);
}

static uint64_t vx_coloured(const struct vx_panel *p)
{
    struct vx_rgb colour;
    uint64_t len = 0;
    for (uint64_t i = 0; i < p->array->len; i++)
        len += vx_panel_colour(p, p->array->values[i], &colour);
    return len;
}

bool vx_is_sparse(const struct vx_panel *p)
{
    return p->array->len >= VX_MARKS_FROM && 2 * vx_coloured(p) < p->array->len;
}

static void vx_draw_dots(cairo_t *c, const struct vx_panel *p, const struct vx_dot_at *dots, size_t len,
                         double radius)
{
    struct vx_rgb k;
    for (size_t i = 0; i < len; i++) {
        if (!vx_panel_colour(p, dots[i].value, &k)) continue;
        cairo_set_source_rgb(c, k.r, k.g, k.b);
        cairo_new_path(c);
        cairo_arc(c, dots[i].x, dots[i].y, radius, 0, 2 * M_PI);
        cairo_fill(c);
    }
}

ls_err vx_heat_marks(cairo_t *c, const struct vx_panel *p, const struct vx_frame *f)
{
    const struct vx_view view = vx_view_of(p->geometry);
    struct vx_rgb colour;
    struct vx_dot_at *dots = malloc((vx_coloured(p) + 1) * sizeof(*dots));
    if (!dots) return ls_nomem("a picture of %s", p->geometry->label);
    size_t len = 0;
    for (uint64_t i = 0; i < p->array->len; i++) {
        double at[3];
        if (!vx_panel_colour(p, p->array->values[i], &colour)) continue;
        ndm_geometry_position(p->geometry, p->array->field->centering, i, at);
        const struct vx_seen seen = vx_see(&view, at);
        dots[len++] = (struct vx_dot_at){vx_axis_position(&f->x, seen.across),
                                         vx_axis_position(&f->y, seen.up), seen.away, p->array->values[i]};
    }
    qsort(dots, len, sizeof(*dots), vx_compare_dots);
    const double entities = (double)p->array->len;
    const double size = f->plot.width / (view.is_flat ? sqrt(entities) : cbrt(entities));
    vx_draw_dots(c, p, dots, len, fmax(1.6, size * 0.35));
    free(dots);
    return LS_OK;
}
