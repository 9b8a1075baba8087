/* SPDX-License-Identifier: BSD-3-Clause */
/* Draw a raster on a terminal: half blocks in 256 colours, or ASCII characters. The colours are viridis,
 * which is readable with red-green colour blindness and gets brighter with the value. */
#ifndef REP_DRAW_H
#define REP_DRAW_H

#include "tools/report/rep_raster.h"

#include <stdio.h>

enum { REP_TINTS = 10 }; /* steps of the scale */

struct rep_range {
    double low, high;
};
/* The scale of a metric: counts and times begin at 0, latencies at the smallest, shares end at 1. */
struct rep_range rep_scale_range(const struct rep_raster *r, enum ndm_metric m);
/* One row of characters: with colour two rows of pixels, `row` and the one below it, else one. Row 0 is the
 * topmost character. */
void rep_draw_row(const struct rep_raster *r, const struct rep_range *scale, uint32_t row, bool colour,
                  FILE *out);
/* Rows of characters that r has. */
uint32_t rep_draw_rows(const struct rep_raster *r, bool colour);
/* The scale itself, each step `width` characters wide. */
void rep_draw_scale(uint32_t width, bool colour, FILE *out);

#endif
