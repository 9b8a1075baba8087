/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/charts/vx_draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct vx_colour {
    double r, g, b;
};

/* Okabe and Ito 2008, "Color Universal Design". */
static const struct vx_colour vx_palette[] = {
    {0.000, 0.447, 0.698}, /* blue */
    {0.902, 0.624, 0.000}, /* orange */
    {0.000, 0.620, 0.451}, /* bluish green */
    {0.835, 0.369, 0.000}, /* vermillion */
    {0.800, 0.475, 0.655}, /* reddish purple */
    {0.337, 0.706, 0.914}, /* sky blue */
    {0.200, 0.200, 0.200}, /* nearly black */
};
enum { VX_PALETTE = sizeof(vx_palette) / sizeof(vx_palette[0]) };

static const struct vx_colour vx_inks[] = {[VX_INK_TEXT] = {0.13, 0.13, 0.13},
                                           [VX_INK_MUTED] = {0.38, 0.38, 0.38},
                                           [VX_INK_GRID] = {0.87, 0.87, 0.87},
                                           [VX_INK_REFERENCE] = {0.35, 0.35, 0.35}};

void vx_use_series(cairo_t *c, size_t series)
{
    const struct vx_colour *k = &vx_palette[series % VX_PALETTE];
    cairo_set_source_rgb(c, k->r, k->g, k->b);
}

void vx_use_ink(cairo_t *c, enum vx_ink ink)
{
    cairo_set_source_rgb(c, vx_inks[ink].r, vx_inks[ink].g, vx_inks[ink].b);
}

static void vx_font(cairo_t *c, double size)
{
    cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           size >= VX_FONT_TITLE ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(c, size);
}

double vx_text_width(cairo_t *c, double size, const char *text)
{
    cairo_text_extents_t e;
    vx_font(c, size);
    cairo_text_extents(c, text, &e);
    return e.x_advance;
}

double vx_text(cairo_t *c, double x, double y, double size, enum vx_align align, const char *text)
{
    const double width = vx_text_width(c, size, text);
    cairo_move_to(c, align == VX_LEFT ? x : align == VX_RIGHT ? x - width : x - width / 2, y);
    cairo_show_text(c, text);
    return width;
}

void vx_text_cut(cairo_t *c, double x, double y, double size, enum vx_align align, double width,
                 const char *text)
{
    char cut[256];
    snprintf(cut, sizeof(cut), "%s", text);
    size_t len = strlen(cut);
    while (len > 1 && vx_text_width(c, size, cut) > width) {
        do
            len--;
        while (len > 1 && ((unsigned char)cut[len] & 0xc0) == 0x80); /* whole UTF-8 characters */
        snprintf(cut + len, sizeof(cut) - len, "...");
    }
    vx_text(c, x, y, size, align, cut);
}

void vx_text_up(cairo_t *c, double x, double y, double size, const char *text)
{
    cairo_save(c);
    cairo_translate(c, x, y);
    cairo_rotate(c, -M_PI / 2);
    vx_text(c, 0, 0, size, VX_CENTRE, text);
    cairo_restore(c);
}

void vx_line(cairo_t *c, double x0, double y0, double x1, double y1, double width)
{
    cairo_set_line_width(c, width);
    cairo_move_to(c, x0, y0);
    cairo_line_to(c, x1, y1);
    cairo_stroke(c);
}

void vx_use_dashes(cairo_t *c, bool on)
{
    static const double dashes[] = {5, 3};
    cairo_set_dash(c, dashes, on ? 2 : 0, 0);
}

static void vx_polygon(cairo_t *c, double x, double y, double radius, unsigned corners, double turn)
{
    for (unsigned k = 0; k < corners; k++) {
        const double angle = turn + 2 * M_PI * k / corners;
        cairo_line_to(c, x + radius * sin(angle), y - radius * cos(angle));
    }
    cairo_close_path(c);
}

void vx_mark(cairo_t *c, double x, double y, size_t series, double radius)
{
    static const struct {
        unsigned corners; /* 0: circle */
        double turn;
    } marks[] = {{0, 0}, {4, M_PI / 4}, {3, 0}, {4, 0}, {3, M_PI}, {5, 0}, {6, 0}, {3, M_PI / 2}};
    const size_t k = series % (sizeof(marks) / sizeof(marks[0]));
    cairo_new_path(c);
    if (marks[k].corners)
        vx_polygon(c, x, y, radius * 1.25, marks[k].corners, marks[k].turn);
    else
        cairo_arc(c, x, y, radius, 0, 2 * M_PI);
    cairo_fill(c);
}

void vx_grid_across(cairo_t *c, struct vx_box plot, const struct vx_axis *axis, unsigned wanted,
                    const char *label)
{
    struct vx_tick ticks[VX_TICKS_MAX];
    const size_t n = vx_axis_ticks(axis, wanted, ticks);
    const double bottom = plot.y + plot.height;
    for (size_t i = 0; i < n; i++) {
        const double x = vx_axis_position(axis, ticks[i].value);
        vx_use_ink(c, VX_INK_GRID);
        vx_line(c, x, plot.y, x, bottom, 1);
        vx_use_ink(c, VX_INK_MUTED);
        vx_text(c, x, bottom + 15, VX_FONT_SMALL, VX_CENTRE, ticks[i].text);
    }
    vx_use_ink(c, VX_INK_TEXT);
    vx_text(c, plot.x + plot.width / 2, bottom + 34, VX_FONT_TEXT, VX_CENTRE, label);
}

struct vx_box vx_heading(cairo_t *c, struct vx_box box, const struct vx_chart *chart)
{
    double used = 22;
    vx_use_ink(c, VX_INK_TEXT);
    vx_text_cut(c, box.x, box.y + 16, VX_FONT_TITLE, VX_LEFT, box.width, chart->title);
    if (chart->note) {
        vx_use_ink(c, VX_INK_MUTED);
        vx_text_cut(c, box.x, box.y + 33, VX_FONT_TEXT, VX_LEFT, box.width, chart->note);
        used = 40;
    }
    return (struct vx_box){box.x, box.y + used, box.width, box.height - used};
}

size_t vx_colour_series(const struct vx_chart *chart, size_t series)
{
    const size_t twin = chart->series[series].twin;
    return twin ? twin - 1 : series;
}

struct vx_box vx_legend(cairo_t *c, struct vx_box box, const struct vx_chart *chart)
{
    if (chart->series_len < 2) return box;
    double x = box.x, y = box.y + 12;
    for (size_t s = 0; s < chart->series_len; s++) {
        const double width = 22 + vx_text_width(c, VX_FONT_TEXT, chart->series[s].label);
        if (x > box.x && x + width > box.x + box.width) {
            x = box.x;
            y += 16;
        }
        vx_use_series(c, vx_colour_series(chart, s));
        if (chart->series[s].is_dashed) {
            vx_use_dashes(c, true);
            vx_line(c, x, y - 4, x + 13, y - 4, 1.8);
            vx_use_dashes(c, false);
        } else {
            vx_mark(c, x + 6, y - 4, s, 4.5);
        }
        vx_use_ink(c, VX_INK_TEXT);
        vx_text(c, x + 15, y, VX_FONT_TEXT, VX_LEFT, chart->series[s].label);
        x += width + 6;
    }
    const double used = y - box.y + 10;
    return (struct vx_box){box.x, box.y + used, box.width, box.height - used};
}

static void vx_widen(double value, bool *any, double *low, double *high)
{
    if (!isfinite(value)) return;
    if (!*any || value < *low) *low = value;
    if (!*any || value > *high) *high = value;
    *any = true;
}

bool vx_range(const struct vx_chart *chart, bool of_x, double *low, double *high)
{
    bool any = false;
    for (size_t s = 0; s < chart->series_len; s++) {
        const struct vx_series *series = &chart->series[s];
        const double *const lists[] = {of_x ? series->x : series->y, of_x ? NULL : series->low,
                                       of_x ? NULL : series->high};
        for (size_t k = 0; k < 3; k++)
            for (size_t i = 0; lists[k] && i < series->len; i++)
                vx_widen(lists[k][i], &any, low, high);
    }
    for (size_t i = 0; !of_x && i < chart->references_len; i++)
        vx_widen(chart->references[i].y, &any, low, high);
    return any;
}

double vx_chart_height(const struct vx_chart *chart)
{
    const double series = chart->series_len ? (double)chart->series_len : 1;
    switch (chart->kind) {
    case VX_BARS:
        return 120 + (double)chart->names_len * (series > 1 ? 8 + 10 * series : 20);
    case VX_RADAR:
        return 560;
    default:
        return chart->diagonals ? 520 : 380;
    }
}
