/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/vx_colour.h"

#include <math.h>

const uint32_t vx_viridis_stops[VX_VIRIDIS_STOPS] = {0x440154, 0x482878, 0x3e4a89, 0x31688e, 0x26828e,
                                                     0x1f9e89, 0x35b779, 0x6dcd59, 0xb4de2c, 0xfde725};

static double vx_mix(uint32_t a, uint32_t b, int shift, double part)
{
    const double from = (a >> shift) & 0xff, to = (b >> shift) & 0xff;
    return (from + (to - from) * part) / 255;
}

struct vx_rgb vx_viridis(double where)
{
    const double at = fmin(fmax(where, 0), 1) * (VX_VIRIDIS_STOPS - 1);
    const int stop = at >= VX_VIRIDIS_STOPS - 1 ? VX_VIRIDIS_STOPS - 2 : (int)at;
    const uint32_t a = vx_viridis_stops[stop], b = vx_viridis_stops[stop + 1];
    return (struct vx_rgb){vx_mix(a, b, 16, at - stop), vx_mix(a, b, 8, at - stop),
                           vx_mix(a, b, 0, at - stop)};
}

bool vx_is_light(struct vx_rgb c)
{
    return 0.299 * c.r + 0.587 * c.g + 0.114 * c.b > 0.5; /* luma of ITU-R BT.601 */
}

struct vx_axis vx_colour_scale(double low, double high, bool may_be_log)
{
    const bool logarithmic = may_be_log && low > 0 && high > 100 * low;
    struct vx_axis axis = vx_axis_of(logarithmic ? VX_LOG10 : VX_LINEAR, low, high, low < high / 2);
    axis.from = 0;
    axis.to = 1;
    return axis;
}

bool vx_colour_of(const struct vx_axis *scale, double value, struct vx_rgb *out)
{
    if (!isfinite(value) || (scale->scale != VX_LINEAR && value <= 0)) return false;
    *out = vx_viridis(vx_axis_place(scale, value));
    return true;
}

bool vx_value_range(const double *values, uint64_t len, bool positive, double *low, double *high)
{
    bool found = false;
    for (uint64_t i = 0; i < len; i++) {
        if (!isfinite(values[i]) || (positive && values[i] <= 0)) continue;
        if (!found || values[i] < *low) *low = values[i];
        if (!found || values[i] > *high) *high = values[i];
        found = true;
    }
    return found;
}
