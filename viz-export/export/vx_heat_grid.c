/* SPDX-License-Identifier: BSD-3-Clause */
/* Squares of a grid's cells, as an image that is stretched over the plot. */
#include "viz-export/export/vx_heat.h"

#include <math.h>

static uint32_t vx_pixel(const struct vx_panel *p, double value)
{
    struct vx_rgb c = {0.9, 0.9, 0.9}; /* as vx_use_nothing */
    vx_panel_colour(p, value, &c);
    return 0xff000000u | (uint32_t)lround(c.r * 255) << 16 | (uint32_t)lround(c.g * 255) << 8 |
           (uint32_t)lround(c.b * 255);
}

/* The first square is at the corner where both axes begin; the last ones may extend beyond the domain. */
static void vx_paint(cairo_t *c, cairo_surface_t *image, const struct vx_panel *p, const struct vx_frame *f)
{
    const struct ndm_geometry *g = p->geometry;
    const double side = (double)p->squares.side, cells_y = g->dims > 1 ? (double)g->extents[1] : 1;
    const double width = f->plot.width * side / (double)g->extents[0],
                 height = f->plot.height * side / cells_y;
    const bool down = vx_runs_down(g);
    cairo_save(c);
    cairo_rectangle(c, f->plot.x, f->plot.y, f->plot.width, f->plot.height);
    cairo_clip(c);
    cairo_translate(c, f->plot.x, down ? f->plot.y : f->plot.y + f->plot.height);
    cairo_scale(c, width, g->dims == 1 ? -f->plot.height : down ? height : -height);
    cairo_set_source_surface(c, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(c), CAIRO_FILTER_NEAREST);
    cairo_paint(c);
    cairo_restore(c);
}

ls_err vx_heat_grid(cairo_t *c, const struct vx_panel *p, const struct vx_frame *f)
{
    const struct vx_squares *s = &p->squares;
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)s->across, (int)s->up);
    if (cairo_surface_status(image) != CAIRO_STATUS_SUCCESS) {
        cairo_surface_destroy(image);
        return ls_nomem("a picture of %s", p->geometry->label);
    }
    unsigned char *bytes = cairo_image_surface_get_data(image);
    const int stride = cairo_image_surface_get_stride(image);
    for (uint64_t y = 0; y < s->up; y++) {
        uint32_t *row = (uint32_t *)(void *)(bytes + y * (uint64_t)stride);
        for (uint64_t x = 0; x < s->across; x++)
            row[x] = vx_pixel(p, s->values[y * s->across + x]);
    }
    cairo_surface_mark_dirty(image);
    vx_paint(c, image, p, f);
    cairo_surface_destroy(image);
    return LS_OK;
}
