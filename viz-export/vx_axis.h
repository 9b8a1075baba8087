/* SPDX-License-Identifier: BSD-3-Clause */
/* Axes: from values to places, and the places that get a number. */
#ifndef VX_AXIS_H
#define VX_AXIS_H

#include <stdbool.h>
#include <stddef.h>

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
double vx_axis_place(const struct vx_axis *a, double value);

/* About wanted ticks in out, at most VX_TICKS_MAX; their number is returned. */
size_t vx_axis_ticks(const struct vx_axis *a, unsigned wanted, struct vx_tick out[VX_TICKS_MAX]);

/* "12.3k", "4M", "-1.5", "0.01" into out; three significant digits. */
const char *vx_number(double value, char out[VX_TICK_BYTES]);

#endif
