/* SPDX-License-Identifier: BSD-3-Clause */
/* Axes and colours: from values to positions and colours, and the positions that get a number. */
#ifndef VX_AXIS_H
#define VX_AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- axes ---- */

enum vx_scale { VX_LINEAR, VX_LOG2, VX_LOG10 };

enum { VX_TICKS_MAX = 16, VX_TICK_BYTES = 24 };

/* Values low to high are drawn at positions from to to. */
struct vx_axis {
    enum vx_scale scale;
    double low, high; /* low < high; both positive when logarithmic */
    double from, to;
};

struct vx_tick {
    double value;
    char text[VX_TICK_BYTES];
};

/* An axis from low to high with round ends; equal or unusable ends are widened. With from_zero, a linear axis
 * that begins slightly above 0 begins at 0. */
struct vx_axis vx_axis_of(enum vx_scale scale, double low, double high, bool from_zero);

/* Return the position of value; values outside are clamped to the ends. */
double vx_axis_position(const struct vx_axis *a, double value);

/* Write about `wanted` ticks to out, at most VX_TICKS_MAX, and return their number. */
size_t vx_axis_ticks(const struct vx_axis *a, unsigned wanted, struct vx_tick out[VX_TICKS_MAX]);

/* "12.3k", "4M", "-1.5", "0.01" into out; three significant digits. */
const char *vx_number(double value, char out[VX_TICK_BYTES]);

/* ---- colours ---- */

/* Colours for values: viridis (van der Walt and Smith 2015, CC0), which colour-blind people can read and
 * which prints in grey, on a linear or logarithmic scale. */

struct vx_rgb {
    double r, g, b; /* 0 to 1 */
};

/* Colours at equal distances, 0xrrggbb, with linear interpolation. The page of loadstone view gets them from
 * here; the terminal uses the nearest of its 256 colours (tools/report/rep_raster.c). */
enum { VX_VIRIDIS_STOPS = 10 };
extern const uint32_t vx_viridis_stops[VX_VIRIDIS_STOPS];
/* where from 0 to 1. */
struct vx_rgb vx_viridis(double where);
/* Return true if text on c is to be black, else white. */
bool vx_is_light(struct vx_rgb c);

/* Choose the scale for values: logarithmic if this is allowed, they are positive, and they span more than two
 * decades. */
struct vx_axis vx_colour_scale(double low, double high, bool may_be_log);
/* False: a value that has no colour (missing; 0 on a logarithmic scale). */
bool vx_colour_of(const struct vx_axis *scale, double value, struct vx_rgb *out);
/* Smallest (with positive: above 0) and largest value that is not missing; false: there is none. */
bool vx_value_range(const double *values, uint64_t len, bool positive, double *low, double *high);
/* Find the range of the values above 0 without a share of them at each end; false: too few values, or no
 * memory. */
bool vx_middle_range(const double *values, uint64_t len, double beyond, double *low, double *high);

#endif
