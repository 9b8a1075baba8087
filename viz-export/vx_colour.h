/* SPDX-License-Identifier: BSD-3-Clause */
/* Colours for values: viridis (van der Walt and Smith 2015, CC0), which colour-blind people can read and
 * which prints in grey, on a linear or logarithmic scale. */
#ifndef VX_COLOUR_H
#define VX_COLOUR_H

#include "viz-export/vx_axis.h"

#include <stdint.h>

struct vx_rgb {
    double r, g, b; /* 0 to 1 */
};

/* Colours at equal distances, 0xrrggbb; between them it is linear. The page of loadstone view has them from
 * here. The terminal has other ones, the nearest of its 256 (tools/report/rep_raster.c). */
enum { VX_VIRIDIS_STOPS = 10 };
extern const uint32_t vx_viridis_stops[VX_VIRIDIS_STOPS];
/* where from 0 to 1. */
struct vx_rgb vx_viridis(double where);
/* Return true if text on c is to be black, else white. */
bool vx_is_light(struct vx_rgb c);

/* The scale for values: logarithmic when they are positive and span more than two decades and may be so
 * drawn. */
struct vx_axis vx_colour_scale(double low, double high, bool may_be_log);
/* False: a value that has no colour (missing; 0 on a logarithmic scale). */
bool vx_colour_of(const struct vx_axis *scale, double value, struct vx_rgb *out);
/* Smallest (with positive: above 0) and largest value that is not missing; false: there is none. */
bool vx_value_range(const double *values, uint64_t len, bool positive, double *low, double *high);

#endif
