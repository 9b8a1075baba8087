/* SPDX-License-Identifier: BSD-3-Clause */
/* A radar chart: a spoke for each pattern, whose length is the value, like figures 7 and 8 of the Spatter
 * paper in one chart. */
#include "viz-export/charts/vx_draw.h"

#include <math.h>

struct radar {
    cairo_t *c;
    const struct vx_chart *chart;
    double x, y;         /* centre */
    struct vx_axis axis; /* radius */
};

static double radar_angle(const struct radar *r, size_t spoke)
{
    return 2 * M_PI * (double)spoke / (double)r->chart->names_len;
}

static void radar_to(const struct radar *r, size_t spoke, double radius, double *x, double *y)
{
    *x = r->x + radius * sin(radar_angle(r, spoke));
    *y = r->y - radius * cos(radar_angle(r, spoke));
}

static void radar_ring(const struct radar *r, double radius, double width)
{
    cairo_new_path(r->c);
    cairo_arc(r->c, r->x, r->y, radius, 0, 2 * M_PI);
    cairo_set_line_width(r->c, width);
    cairo_stroke(r->c);
}

static void radar_rings(const struct radar *r)
{
    struct vx_tick ticks[VX_TICKS_MAX];
    const size_t n = vx_axis_ticks(&r->axis, 5, ticks);
    for (size_t i = 0; i < n; i++) {
        const double radius = vx_axis_position(&r->axis, ticks[i].value);
        vx_use_ink(r->c, VX_INK_GRID);
        radar_ring(r, radius, 1);
    }
    for (size_t i = 0; i < n; i++) {
        /* between two spokes, where there is no name */
        const double angle = M_PI / (double)r->chart->names_len,
                     radius = vx_axis_position(&r->axis, ticks[i].value);
        vx_use_ink(r->c, VX_INK_MUTED);
        vx_text(r->c, r->x + radius * sin(angle), r->y - radius * cos(angle) + 3.5, VX_FONT_SMALL, VX_CENTRE,
                ticks[i].text);
    }
}

static void radar_spokes(const struct radar *r, double room)
{
    for (size_t i = 0; i < r->chart->names_len; i++) {
        double x, y;
        radar_to(r, i, r->axis.to, &x, &y);
        vx_use_ink(r->c, VX_INK_GRID);
        vx_line(r->c, r->x, r->y, x, y, 1);
        radar_to(r, i, r->axis.to + 9, &x, &y);
        const double side = sin(radar_angle(r, i));
        const enum vx_align align = side > 0.2 ? VX_LEFT : side < -0.2 ? VX_RIGHT : VX_CENTRE;
        vx_use_ink(r->c, VX_INK_TEXT);
        vx_text_cut(r->c, x, y + 4, VX_FONT_SMALL, align, room, r->chart->names[i]);
    }
}

static void radar_polygon(const struct radar *r, size_t series)
{
    const struct vx_series *s = &r->chart->series[series];
    double x, y;
    vx_use_series(r->c, series);
    cairo_new_path(r->c);
    for (size_t i = 0; i < s->len && i < r->chart->names_len; i++) {
        if (!isfinite(s->y[i])) continue;
        radar_to(r, i, vx_axis_position(&r->axis, s->y[i]), &x, &y);
        cairo_line_to(r->c, x, y);
    }
    cairo_close_path(r->c);
    cairo_set_line_width(r->c, 2);
    cairo_stroke(r->c);
    for (size_t i = 0; i < s->len && i < r->chart->names_len; i++) {
        if (!isfinite(s->y[i])) continue;
        radar_to(r, i, vx_axis_position(&r->axis, s->y[i]), &x, &y);
        vx_mark(r->c, x, y, series, 3.4);
    }
}

static void radar_references(const struct radar *r)
{
    static const double dashes[] = {5, 3};
    for (size_t i = 0; i < r->chart->references_len; i++) {
        const struct vx_reference *ref = &r->chart->references[i];
        if (!isfinite(ref->y)) continue;
        vx_use_ink(r->c, VX_INK_REFERENCE);
        cairo_set_dash(r->c, dashes, 2, 0);
        radar_ring(r, vx_axis_position(&r->axis, ref->y), 1.6);
        cairo_set_dash(r->c, NULL, 0, 0);
    }
}

void vx_draw_radar(cairo_t *c, struct vx_box box, const struct vx_chart *chart)
{
    double low = 0, high = 1;
    box = vx_legend(c, vx_heading(c, box, chart), chart);
    if (chart->names_len == 0) return;
    vx_range(chart, false, &low, &high);
    struct radar r = {.c = c, .chart = chart, .x = box.x + box.width / 2, .y = box.y + (box.height - 20) / 2};
    const double radius = fmin(box.width / 2 - 150, (box.height - 20) / 2 - 22);
    r.axis = vx_axis_of(chart->y_scale, low, high, true);
    r.axis.to = radius;
    radar_rings(&r);
    radar_spokes(&r, box.width / 2 - radius - 14);
    radar_references(&r);
    for (size_t s = 0; s < chart->series_len; s++)
        radar_polygon(&r, s);
    vx_use_ink(c, VX_INK_TEXT);
    vx_text(c, r.x, box.y + box.height - 4, VX_FONT_TEXT, VX_CENTRE, chart->y_label);
}
