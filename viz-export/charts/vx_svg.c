/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/charts/vx_format.h"

#include <cairo-svg.h>

static ls_err vx_svg_write(const struct vx_page *page, FILE *out, const char *path)
{
    cairo_surface_t *surface =
        cairo_svg_surface_create_for_stream(vx_to_file, out, VX_PAGE_WIDTH, vx_page_height(page));
    cairo_t *c = cairo_create(surface);
    vx_page_draw(c, page);
    cairo_status_t status = cairo_status(c);
    cairo_destroy(c);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return vx_status(status, path);
}

const struct vx_format vx_format_svg = {.end = ".svg", .write = vx_svg_write};
