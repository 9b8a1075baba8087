/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells of a grid, as an image that is stretched over the plot. Where there are more cells than the paper can
 * show, a point of it is the mean of those that have a value. */
#include "viz-export/vx_heat.h"

#include <math.h>

enum { VX_IMAGE_MAX = 2048 };

struct vx_image {
    const struct vx_panel *p;
    uint64_t cells_x, cells_y; /* of the domain */
    uint64_t width, height;    /* of the image */
};

static double vx_mean(const struct vx_image *m, uint64_t x, uint64_t y)
{
    const uint64_t x1 = (x + 1) * m->cells_x / m->width, y1 = (y + 1) * m->cells_y / m->height;
    const double *values = m->p->array->values + m->p->layer * m->cells_x * m->cells_y;
    double sum = 0;
    uint64_t len = 0;
    struct vx_rgb colour;
    for (uint64_t j = y * m->cells_y / m->height; j < y1; j++)
        for (uint64_t i = x * m->cells_x / m->width; i < x1; i++) {
            const double value = values[j * m->cells_x + i];
            if (!vx_panel_colour(m->p, value, &colour)) continue;
            sum += value;
            len++;
        }
    return len ? sum / (double)len : NAN;
}

static uint32_t vx_pixel(const struct vx_image *m, uint64_t x, uint64_t y)
{
    struct vx_rgb c = {0.9, 0.9, 0.9}; /* as vx_use_nothing */
    vx_panel_colour(m->p, vx_mean(m, x, y), &c);
    return 0xff000000u | (uint32_t)lround(c.r * 255) << 16 | (uint32_t)lround(c.g * 255) << 8 |
           (uint32_t)lround(c.b * 255);
}

static void vx_paint(cairo_t *c, cairo_surface_t *image, const struct vx_image *m, const struct vx_frame *f)
{
    cairo_save(c);
    cairo_translate(c, f->plot.x, f->plot.y);
    cairo_scale(c, f->plot.width / (double)m->width, f->plot.height / (double)m->height);
    cairo_set_source_surface(c, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(c), CAIRO_FILTER_NEAREST);
    cairo_rectangle(c, 0, 0, (double)m->width, (double)m->height);
    cairo_fill(c);
    cairo_restore(c);
}

ls_err vx_heat_grid(cairo_t *c, const struct vx_panel *p, const struct vx_frame *f)
{
    const struct ndm_geometry *g = p->geometry;
    struct vx_image m = {.p = p, .cells_x = g->extents[0], .cells_y = g->dims > 1 ? g->extents[1] : 1};
    m.width = m.cells_x < VX_IMAGE_MAX ? m.cells_x : VX_IMAGE_MAX;
    m.height = m.cells_y < VX_IMAGE_MAX ? m.cells_y : VX_IMAGE_MAX;
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)m.width, (int)m.height);
    if (cairo_surface_status(image) != CAIRO_STATUS_SUCCESS) {
        cairo_surface_destroy(image);
        return ls_fail(LS_ERR_NOMEM, "no memory for a picture of %s", g->label);
    }
    unsigned char *bytes = cairo_image_surface_get_data(image);
    const int stride = cairo_image_surface_get_stride(image);
    for (uint64_t y = 0; y < m.height; y++) {
        uint32_t *row = (uint32_t *)(void *)(bytes + y * (uint64_t)stride);
        const uint64_t from = vx_runs_down(g) ? y : m.height - 1 - y;
        for (uint64_t x = 0; x < m.width; x++)
            row[x] = vx_pixel(&m, x, from);
    }
    cairo_surface_mark_dirty(image);
    vx_paint(c, image, &m, f);
    cairo_surface_destroy(image);
    return LS_OK;
}
