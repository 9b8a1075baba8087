/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/rep_draw.h"

#include <math.h>

/* The colours of xterm's cube nearest to viridis (van der Walt and Smith, 2015) whose lightness rises with
 * each step: L* 21, 24, 38, 51, 64, 71, 79, 81, 83, 87. */
static const uint8_t rep_colours[REP_TINTS] = {53, 54, 24, 30, 36, 72, 113, 148, 184, 220};
static const char rep_signs[REP_TINTS + 1] = ".,:;=+*#%@";
enum { REP_NOTHING = -1 };

struct rep_range rep_scale_range(const struct rep_raster *r, enum ndm_metric m)
{
    const bool is_latency = m == NDM_LATENCY_MEAN || m == NDM_LATENCY_MAX;
    if (ndm_metric(m)->mixing == NDM_ADDS) return (struct rep_range){0, r->max};
    return is_latency ? (struct rep_range){r->min < r->max ? r->min : 0, r->max} : (struct rep_range){0, 1};
}

/* Which step of the scale value is on. */
static unsigned rep_tint(double value, const struct rep_range *scale)
{
    const double share = scale->high > scale->low ? (value - scale->low) / (scale->high - scale->low) : 0;
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
