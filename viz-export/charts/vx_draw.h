/* SPDX-License-Identifier: BSD-3-Clause */
/* Drawing functions shared by all charts: colours that colour-blind readers can distinguish, marks, text,
 * frames. */
#ifndef VX_DRAW_H
#define VX_DRAW_H

#include "viz-export/vx_axis.h"
#include "viz-export/charts/vx_chart.h"

#include <cairo.h>

enum vx_ink { VX_INK_TEXT, VX_INK_MUTED, VX_INK_GRID, VX_INK_REFERENCE };
enum vx_align { VX_LEFT, VX_CENTRE, VX_RIGHT };

struct vx_box {
    double x, y, width, height;
};

enum { VX_FONT_TITLE = 15, VX_FONT_TEXT = 11, VX_FONT_SMALL = 10 };

/* Okabe and Ito's palette without its yellow, which is too light on white; series beyond it differ by mark. */
void vx_use_series(cairo_t *c, size_t series);
/* The series whose colour a series of the chart has. */
size_t vx_colour_series(const struct vx_chart *chart, size_t series);
void vx_use_ink(cairo_t *c, enum vx_ink ink);

/* Text with its baseline at y; returns its width. */
double vx_text(cairo_t *c, double x, double y, double size, enum vx_align align, const char *text);
double vx_text_width(cairo_t *c, double size, const char *text);
/* Like vx_text, but shortened with dots to width. */
void vx_text_cut(cairo_t *c, double x, double y, double size, enum vx_align align, double width,
                 const char *text);
/* Draw text centred on x, y and rotated to read upwards. */
void vx_text_up(cairo_t *c, double x, double y, double size, const char *text);

void vx_line(cairo_t *c, double x0, double y0, double x1, double y1, double width);
/* Draw the following lines dashed; off: solid again. */
void vx_use_dashes(cairo_t *c, bool on);
/* Draw the mark of a series: circle, square, triangle, diamond, ... */
void vx_mark(cairo_t *c, double x, double y, size_t series, double radius);

/* Grid lines over plot at about `wanted` ticks of its horizontal axis, their numbers and the label below it. */
void vx_grid_across(cairo_t *c, struct vx_box plot, const struct vx_axis *axis, unsigned wanted,
                    const char *label);

/* Draw title and note at the top of box; return the rest of the box. */
struct vx_box vx_heading(cairo_t *c, struct vx_box box, const struct vx_chart *chart);
/* Draw the labels of two or more series in a row at the top of box; return the rest of the box. */
struct vx_box vx_legend(cairo_t *c, struct vx_box box, const struct vx_chart *chart);

/* Draw the chart into the box; one source file per chart type. */
void vx_draw_bars(cairo_t *c, struct vx_box box, const struct vx_chart *chart);
void vx_draw_xy(cairo_t *c, struct vx_box box, const struct vx_chart *chart);
void vx_draw_radar(cairo_t *c, struct vx_box box, const struct vx_chart *chart);

/* Return the height of a chart of this width. */
double vx_chart_height(const struct vx_chart *chart);

/* Smallest and largest finite value of all series' y (whiskers and references too) or x; false when there is
 * none. */
bool vx_range(const struct vx_chart *chart, bool of_x, double *low, double *high);

#endif
