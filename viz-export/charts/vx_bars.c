/* SPDX-License-Identifier: BSD-3-Clause */
/* Bar charts. */
#include "viz-export/charts/vx_draw.h"

#include <math.h>

enum { BARS_VALUE_ROOM = 64, BARS_AXIS_ROOM = 46 };

struct bars {
    cairo_t *c;
    const struct vx_chart *chart;
    struct vx_box plot;
    struct vx_axis axis; /* across */
    double slot;         /* height of the area for a name */
};

static double bars_name_room(cairo_t *c, const struct vx_chart *chart, double width)
{
    double widest = 0;
    for (size_t i = 0; i < chart->names_len; i++)
        widest = fmax(widest, vx_text_width(c, VX_FONT_TEXT, chart->names[i]));
    return fmin(widest + 12, width * 0.42);
}

static void bars_whisker(const struct bars *b, const struct vx_series *s, size_t i, double y, double half)
{
    if (!s->low || !s->high || !isfinite(s->low[i]) || !isfinite(s->high[i])) return;
    const double from = vx_axis_position(&b->axis, s->low[i]), to = vx_axis_position(&b->axis, s->high[i]);
    vx_use_ink(b->c, VX_INK_TEXT);
    vx_line(b->c, from, y, to, y, 1.2);
    vx_line(b->c, from, y - half, from, y + half, 1.2);
    vx_line(b->c, to, y - half, to, y + half, 1.2);
}

/* Write the value after the end of the bar or of its whisker, whichever reaches further. */
static void bars_value(const struct bars *b, const struct vx_series *s, size_t i, double y)
{
    char text[VX_TICK_BYTES];
    double end = vx_axis_position(&b->axis, s->y[i]);
    if (s->high && isfinite(s->high[i])) end = fmax(end, vx_axis_position(&b->axis, s->high[i]));
    vx_use_ink(b->c, VX_INK_TEXT);
    vx_text(b->c, end + 5, y + 3.5, VX_FONT_SMALL, VX_LEFT, vx_number(s->y[i], text));
}

static void bars_name(const struct bars *b, size_t i)
{
    const double top = b->plot.y + b->slot * (double)i,
                 height = b->slot * 0.72 / (double)b->chart->series_len;
    vx_use_ink(b->c, VX_INK_TEXT);
    vx_text_cut(b->c, b->plot.x - 7, top + b->slot / 2 + 4, VX_FONT_TEXT, VX_RIGHT, b->plot.x - 12,
                b->chart->names[i]);
    for (size_t s = 0; s < b->chart->series_len; s++) {
        const struct vx_series *series = &b->chart->series[s];
        if (i >= series->len || !isfinite(series->y[i])) continue;
        const double y = top + b->slot * 0.14 + height * (double)s;
        vx_use_series(b->c, s);
        cairo_rectangle(b->c, b->plot.x, y, vx_axis_position(&b->axis, series->y[i]) - b->plot.x, height - 1);
        cairo_fill(b->c);
        bars_whisker(b, series, i, y + (height - 1) / 2, fmin(4, height / 3));
        bars_value(b, series, i, y + (height - 1) / 2);
    }
}

static void bars_references(const struct bars *b)
{
    static const double dashes[] = {5, 3};
    for (size_t i = 0; i < b->chart->references_len; i++) {
        const struct vx_reference *r = &b->chart->references[i];
        if (!isfinite(r->y)) continue;
        const double x = vx_axis_position(&b->axis, r->y);
        vx_use_ink(b->c, VX_INK_REFERENCE);
        cairo_set_dash(b->c, dashes, 2, 0);
        vx_line(b->c, x, b->plot.y - 4, x, b->plot.y + b->plot.height, 1.4);
        cairo_set_dash(b->c, NULL, 0, 0);
        const bool right = x > b->plot.x + b->plot.width * 0.75;
        vx_text(b->c, right ? x - 4 : x + 4, b->plot.y - 6, VX_FONT_SMALL, right ? VX_RIGHT : VX_LEFT,
                r->label);
    }
}

void vx_draw_bars(cairo_t *c, struct vx_box box, const struct vx_chart *chart)
{
    double low = 0, high = 1;
    box = vx_legend(c, vx_heading(c, box, chart), chart);
    vx_range(chart, false, &low, &high);
    struct bars b = {.c = c, .chart = chart};
    const double names = bars_name_room(c, chart, box.width), above = chart->references_len ? 20 : 6;
    b.plot = (struct vx_box){box.x + names, box.y + above, box.width - names - BARS_VALUE_ROOM,
                             box.height - above - BARS_AXIS_ROOM};
    b.axis = vx_axis_of(chart->y_scale, low, high, true);
    b.axis.from = b.plot.x;
    b.axis.to = b.plot.x + b.plot.width;
    b.slot = b.plot.height / (double)(chart->names_len ? chart->names_len : 1);
    vx_grid_across(c, b.plot, &b.axis, 7, chart->y_label);
    bars_references(&b);
    for (size_t i = 0; i < chart->names_len; i++)
        bars_name(&b, i);
}
