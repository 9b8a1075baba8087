/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/vx_axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- axes ---- */

/* Return 1, 2 or 5 times a power of ten, near span / wanted. */
static double vx_step(double span, unsigned wanted)
{
    const double raw = span / (wanted ? wanted : 1), power = pow(10, floor(log10(raw))), lead = raw / power;
    return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

static double vx_base(enum vx_scale scale)
{
    return scale == VX_LOG2 ? 2 : 10;
}

/* Return the next power of 2, or 1, 2 or 5 times a power of 10, at or below value, or at or above it if up. */
static double vx_round_log(enum vx_scale scale, double value, bool up)
{
    static const double leads[] = {1, 2, 5, 10};
    if (scale == VX_LOG2) return up ? exp2(ceil(log2(value) - 1e-9)) : exp2(floor(log2(value) + 1e-9));
    const double power = pow(10, floor(log10(value) + 1e-12)), lead = value / power;
    for (size_t i = 0; i < 4; i++) {
        if (up && leads[i] >= lead * (1 - 1e-9)) return leads[i] * power;
        if (!up && i < 3 && leads[i + 1] > lead * (1 + 1e-9)) return leads[i] * power;
    }
    return up ? 10 * power : power;
}

static void vx_round_logarithmic(struct vx_axis *a)
{
    if (!(a->low > 0)) a->low = a->high > 0 ? a->high / 2 : 1;
    if (!(a->high > a->low)) a->high = a->low * vx_base(a->scale);
    a->low = vx_round_log(a->scale, a->low, false);
    a->high = vx_round_log(a->scale, a->high, true);
    if (!(a->high > a->low)) a->high = a->low * vx_base(a->scale);
}

static void vx_round_linear(struct vx_axis *a, bool from_zero)
{
    if (from_zero && a->low > 0) a->low = 0;
    if (from_zero && a->high < 0) a->high = 0;
    if (!(a->high > a->low)) {
        const double half = a->low != 0 ? fabs(a->low) / 2 : 1;
        a->low -= half;
        a->high += half;
    }
    const double step = vx_step(a->high - a->low, 6);
    a->low = step * floor(a->low / step + 1e-9);
    a->high = step * ceil(a->high / step - 1e-9);
}

struct vx_axis vx_axis_of(enum vx_scale scale, double low, double high, bool from_zero)
{
    struct vx_axis a = {
        .scale = scale, .low = isfinite(low) ? low : 0, .high = isfinite(high) ? high : 1, .to = 1};
    if (scale == VX_LINEAR)
        vx_round_linear(&a, from_zero);
    else
        vx_round_logarithmic(&a);
    return a;
}

double vx_axis_position(const struct vx_axis *a, double value)
{
    double at;
    if (!(value > a->low))
        at = 0;
    else if (!(value < a->high))
        at = 1;
    else if (a->scale == VX_LINEAR)
        at = (value - a->low) / (a->high - a->low);
    else
        at = log(value / a->low) / log(a->high / a->low);
    return a->from + at * (a->to - a->from);
}

const char *vx_number(double value, char out[VX_TICK_BYTES])
{
    static const struct {
        double above;
        const char *unit;
    } units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    double shown = value;
    const char *unit = "";
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (fabs(value) >= units[i].above * 0.9995 && fabs(value) >= 1e4 * 0.9995) {
            shown = value / units[i].above;
            unit = units[i].unit;
            break;
        }
    char digits[VX_TICK_BYTES - 2];
    if (fabs(shown) >= 999.5)
        snprintf(digits, sizeof(digits), "%.0f", shown);
    else
        snprintf(digits, sizeof(digits), "%.3g", shown);
    snprintf(out, VX_TICK_BYTES, "%s%s", strcmp(digits, "-0") == 0 ? "0" : digits, unit);
    return out;
}

static size_t vx_ticks_linear(const struct vx_axis *a, unsigned wanted, struct vx_tick out[VX_TICKS_MAX])
{
    const double step = vx_step(a->high - a->low, wanted);
    size_t n = 0;
    for (double k = ceil(a->low / step - 1e-9); k * step <= a->high + step * 1e-9 && n < VX_TICKS_MAX; k++)
        out[n++].value = k * step;
    return n;
}

static size_t vx_ticks_log2(const struct vx_axis *a, unsigned wanted, struct vx_tick out[VX_TICKS_MAX])
{
    const double first = round(log2(a->low)), last = round(log2(a->high));
    double every = ceil((last - first) / (wanted < VX_TICKS_MAX ? wanted : VX_TICKS_MAX - 1));
    size_t n = 0;
    if (!(every >= 1)) every = 1;
    for (double k = first; k <= last && n < VX_TICKS_MAX; k += every)
        out[n++].value = exp2(k);
    return n;
}

/* 1, 2, 5 over few decades, then 1 only, then every second decade and so on. */
static size_t vx_ticks_log10(const struct vx_axis *a, unsigned wanted, struct vx_tick out[VX_TICKS_MAX])
{
    static const double leads[] = {1, 2, 5};
    const double decades = log10(a->high / a->low), first = floor(log10(a->low) + 1e-9);
    const size_t leads_len = 3 * decades <= wanted ? 3 : 1;
    double every = ceil(decades / (wanted < VX_TICKS_MAX ? wanted : VX_TICKS_MAX - 1));
    size_t n = 0;
    if (!(every >= 1)) every = 1;
    for (double k = first; pow(10, k) <= a->high * (1 + 1e-9); k += every)
        for (size_t i = 0; i < leads_len && n < VX_TICKS_MAX; i++) {
            const double value = leads[i] * pow(10, k);
            if (value >= a->low * (1 - 1e-9) && value <= a->high * (1 + 1e-9)) out[n++].value = value;
        }
    return n;
}

static size_t vx_ticks_logarithmic(const struct vx_axis *a, unsigned wanted, struct vx_tick out[VX_TICKS_MAX])
{
    return a->scale == VX_LOG2 ? vx_ticks_log2(a, wanted, out) : vx_ticks_log10(a, wanted, out);
}

size_t vx_axis_ticks(const struct vx_axis *a, unsigned wanted, struct vx_tick out[VX_TICKS_MAX])
{
    const size_t n =
        a->scale == VX_LINEAR ? vx_ticks_linear(a, wanted, out) : vx_ticks_logarithmic(a, wanted, out);
    for (size_t i = 0; i < n; i++)
        vx_number(out[i].value, out[i].text);
    return n;
}

/* ---- colours ---- */

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
    *out = vx_viridis(vx_axis_position(scale, value));
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

static int vx_by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bool vx_middle_range(const double *values, uint64_t len, double beyond, double *low, double *high)
{
    double *sorted = len ? malloc(len * sizeof(*sorted)) : NULL;
    if (!sorted) return false;
    uint64_t found = 0;
    for (uint64_t i = 0; i < len; i++)
        if (isfinite(values[i]) && values[i] > 0) sorted[found++] = values[i];
    qsort(sorted, found, sizeof(*sorted), vx_by_value);
    const uint64_t left_out = (uint64_t)((double)found * beyond);
    if (left_out) {
        *low = sorted[left_out];
        *high = sorted[found - 1 - left_out];
    }
    free(sorted);
    return left_out > 0;
}
