/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/charts/vx_format.h"

#include <math.h>

/* Two pixels a unit: sharp on dense screens and in print. Cairo's images end at 32767 pixels. */
enum { VX_PNG_SCALE = 2, VX_PNG_PIXELS_MAX = 32767 };

static ls_err vx_png_write(const struct vx_page *page, FILE *out, const char *path)
{
    const double height = vx_page_height(page);
    const double scale =
        height * VX_PNG_SCALE > VX_PNG_PIXELS_MAX ? VX_PNG_PIXELS_MAX / height : VX_PNG_SCALE;
    if (scale < 0.5)
        return ls_fail(LS_ERR_RANGE,
                       "%s: %zu charts with this many rows do not fit one image; write .svg or .html", path,
                       page->charts_len);
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(VX_PAGE_WIDTH * scale),
                                                          (int)floor(height * scale));
    cairo_t *c = cairo_create(surface);
    cairo_scale(c, scale, scale);
    vx_page_draw(c, page);
    cairo_status_t status = cairo_status(c);
    cairo_destroy(c);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_write_to_png_stream(surface, vx_to_file, out);
    cairo_surface_destroy(surface);
    return vx_status(status, path);
}

const struct vx_format vx_format_png = {.end = ".png", .write = vx_png_write};
