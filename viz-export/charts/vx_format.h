/* SPDX-License-Identifier: BSD-3-Clause */
/* File formats of a page: one row per format, chosen by the file name's extension. */
#ifndef VX_FORMAT_H
#define VX_FORMAT_H

#include "viz-export/charts/vx_chart.h"

#include <cairo.h>
#include <stdio.h>

struct vx_format {
    const char *end; /* ".svg" */
    ls_err (*write)(const struct vx_page *page, FILE *out, const char *path);
};

extern const struct vx_format vx_format_html;

enum { VX_PAGE_WIDTH = 960, VX_MARGIN = 22 };

/* Draw a single chart with its margins. */
double vx_single_height(const struct vx_chart *chart);
void vx_single_draw(cairo_t *c, const struct vx_chart *chart);

/* Write a PNG of a page's width and this height, on white, at most as many pixels as cairo's images have.
 * Errors: as of draw; LS_ERR_NOMEM, LS_ERR_IO, naming path. */
ls_err vx_picture_write(double height, ls_err (*draw)(cairo_t *c, const void *user), const void *user,
                        const char *path, FILE *out);

/* Write function for cairo: append the data to the FILE at closure. */
cairo_status_t vx_to_file(void *closure, const unsigned char *data, unsigned len);
/* Convert a cairo status to an error.  Errors: LS_ERR_NOMEM, LS_ERR_IO, naming path. */
ls_err vx_status(cairo_status_t status, const char *path);

#endif
