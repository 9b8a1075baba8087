/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts with two axes of numbers: lines, dots, stems, and bandwidth against bandwidth with its lines of
 * equal share. */
#include "viz-export/charts/vx_draw.h"

#include <math.h>
#include <stdio.h>

struct xy {
    cairo_t *c;
    const struct vx_chart *chart;
    struct vx_box plot;
    struct vx_axis x, y;
};

static void xy_grid_y(const struct xy *p)
{
    struct vx_tick ticks[VX_TICKS_MAX];
    const size_t n = vx_axis_ticks(&p->y, 6, ticks);
    for (size_t i = 0; i < n; i++) {
        const double y = vx_axis_position(&p->y, ticks[i].value);
        vx_use_ink(p->c, VX_INK_GRID);
        vx_line(p->c, p->plot.x, y, p->plot.x + p->plot.width, y, 1);
        vx_use_ink(p->c, VX_INK_MUTED);
        vx_text(p->c, p->plot.x - 6, y + 3.5, VX_FONT_SMALL, VX_RIGHT, ticks[i].text);
    }
    vx_use_ink(p->c, VX_INK_TEXT);
    vx_text_up(p->c, p->plot.x - 52, p->plot.y + p->plot.height / 2, VX_FONT_TEXT, p->chart->y_label);
}

static void xy_references(const struct xy *p)
{
    for (size_t i = 0; i < p->chart->references_len; i++) {
        const struct vx_reference *r = &p->chart->references[i];
        if (!isfinite(r->y)) continue;
        const double y = vx_axis_position(&p->y, r->y);
        vx_use_ink(p->c, VX_INK_REFERENCE);
        vx_use_dashes(p->c, true);
        vx_line(p->c, p->plot.x, y, p->plot.x + p->plot.width, y, 1.4);
        vx_use_dashes(p->c, false);
        vx_text(p->c, p->plot.x + p->plot.width - 4, y - 4, VX_FONT_SMALL, VX_RIGHT, r->label);
    }
}

/* y = x / 2^k: on logarithmic axes lines of unit slope (Spatter paper, figure 9). */
static void xy_diagonal(const struct xy *p, unsigned k)
{
    const double share = ldexp(1, -(int)k);
    const double from = fmax(p->x.low, p->y.low / share), to = fmin(p->x.high, p->y.high / share);
    char text[16];
    if (!(to > from)) return;
    vx_use_ink(p->c, k ? VX_INK_MUTED : VX_INK_TEXT);
    const double x1 = vx_axis_position(&p->x, to), y1 = vx_axis_position(&p->y, to * share);
    vx_line(p->c, vx_axis_position(&p->x, from), vx_axis_position(&p->y, from * share), x1, y1,
            k ? 0.8 : 1.4);
    snprintf(text, sizeof(text), k ? "1/%u" : "all", 1u << k);
    const bool at_right = x1 > p->plot.x + p->plot.width - 1;
    vx_text(p->c, at_right ? x1 + 4 : x1, at_right ? y1 + 3.5 : y1 - 4, VX_FONT_SMALL,
            at_right ? VX_LEFT : VX_CENTRE, text);
}

static bool xy_at(const struct xy *p, const struct vx_series *s, size_t i, double *x, double *y)
{
    if (!isfinite(s->x[i]) || !isfinite(s->y[i])) return false;
    *x = vx_axis_position(&p->x, s->x[i]);
    *y = vx_axis_position(&p->y, s->y[i]);
    return true;
}

static void xy_path(const struct xy *p, const struct vx_series *s)
{
    double x, y;
    cairo_new_path(p->c);
    for (size_t i = 0; i < s->len; i++)
        if (xy_at(p, s, i, &x, &y)) cairo_line_to(p->c, x, y);
    cairo_set_line_width(p->c, 1.8);
    cairo_stroke(p->c);
}

/* Shade the band between low and high. */
static void xy_band(const struct xy *p, const struct vx_series *s)
{
    if (!s->low || !s->high) return;
    cairo_save(p->c);
    cairo_new_path(p->c);
    for (size_t k = 0; k < 2 * s->len; k++) {
        const size_t i = k < s->len ? k : 2 * s->len - 1 - k;
        const double y = k < s->len ? s->low[i] : s->high[i];
        if (isfinite(s->x[i]) && isfinite(y))
            cairo_line_to(p->c, vx_axis_position(&p->x, s->x[i]), vx_axis_position(&p->y, y));
    }
    cairo_close_path(p->c);
    cairo_clip(p->c);
    cairo_paint_with_alpha(p->c, 0.25);
    cairo_restore(p->c);
}

static void xy_dashed(const struct xy *p, const struct vx_series *s)
{
    xy_band(p, s);
    vx_use_dashes(p->c, true);
    xy_path(p, s);
    vx_use_dashes(p->c, false);
}

static void xy_point(const struct xy *p, const struct vx_series *s, size_t series, size_t i)
{
    double x, y;
    if (!xy_at(p, s, i, &x, &y)) return;
    if (p->chart->kind == VX_STEMS)
        vx_line(p->c, x, vx_axis_position(&p->y, 0), x, y, s->len > 200 ? 0.6 : 1.4);
    if (s->low && s->high && isfinite(s->low[i]) && isfinite(s->high[i]))
        vx_line(p->c, x, vx_axis_position(&p->y, s->low[i]), x, vx_axis_position(&p->y, s->high[i]), 1.2);
    vx_mark(p->c, x, y, series, s->len > 2000 ? 0.8 : s->len > 200 ? 1.5 : 3.6);
}

static void xy_series(const struct xy *p, size_t series)
{
    const struct vx_series *s = &p->chart->series[series];
    vx_use_series(p->c, vx_colour_series(p->chart, series));
    if (s->is_dashed && p->chart->kind == VX_LINES) {
        xy_dashed(p, s);
        return;
    }
    if (p->chart->kind == VX_LINES) xy_path(p, s);
    for (size_t i = 0; i < s->len; i++)
        xy_point(p, s, series, i);
}

void vx_draw_xy(cairo_t *c, struct vx_box box, const struct vx_chart *chart)
{
    double x0 = 0, x1 = 1, y0 = 0, y1 = 1;
    box = vx_legend(c, vx_heading(c, box, chart), chart);
    vx_range(chart, true, &x0, &x1);
    vx_range(chart, false, &y0, &y1);
    struct xy p = {
        .c = c, .chart = chart, .plot = {box.x + 68, box.y + 14, box.width - 68 - 36, box.height - 14 - 46}};
    p.x = vx_axis_of(chart->x_scale, x0, x1, false);
    p.y = vx_axis_of(chart->y_scale, y0, y1, chart->kind != VX_DOTS);
    p.x.from = p.plot.x;
    p.x.to = p.plot.x + p.plot.width;
    p.y.from = p.plot.y + p.plot.height;
    p.y.to = p.plot.y;
    vx_grid_across(c, p.plot, &p.x, 9, chart->x_label);
    xy_grid_y(&p);
    for (unsigned k = 0; chart->diagonals && k < 8; k++)
        xy_diagonal(&p, k);
    xy_references(&p);
    for (size_t s = 0; s < chart->series_len; s++)
        xy_series(&p, s);
}
