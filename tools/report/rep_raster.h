/* SPDX-License-Identifier: BSD-3-Clause */
/* A field as a picture of few pixels: cells binned or magnified, meshes binned, the third axis of a grid
 * looked through. Pure functions of a field and its domain. */
#ifndef REP_RASTER_H
#define REP_RASTER_H

#include "common/ls_error.h"
#include "ndm/ndm_field.h"

#include <stdbool.h>
#include <stdint.h>

/* Size and options of a picture. */
struct rep_canvas {
    uint32_t width, height; /* pixels at most */
    uint32_t aspect;        /* height of a pixel over its width: 1, or 2 for whole characters */
    bool one_layer;         /* with three axes: draw only layer, not the maximum over all layers */
    uint64_t layer;
};

enum rep_looked {
    REP_LOOKED_FLAT,  /* there is no third axis */
    REP_LOOKED_MAX,   /* the largest value along the third axis */
    REP_LOOKED_LAYER, /* one layer */
    REP_LOOKED_BINNED /* points or cells of a mesh, binned by x and y (all z together) */
};

struct rep_raster {
    uint32_t width, height; /* pixels; row 0 is at the bottom */
    double *values;         /* NaN: nothing was sampled there */
    double min, max;        /* range of values, NaN if all are NaN */
    double low[2], high[2]; /* coordinates of the borders, by axis */
    uint64_t cells[2];      /* cells in a pixel along each axis; 0: a cell has several pixels, or a mesh */
    enum rep_looked looked;
};

/* Requires that the field's metric m and the metrics of ndm_mix_needs(m) are loaded.
 * Owns:   the caller ends out with rep_raster_fini.
 * Errors: LS_ERR_NOMEM, LS_ERR_USAGE (no such layer). */
ls_err rep_raster_init(struct rep_raster *out, const struct ndm_geometry *g, const struct ndm_field *f,
                       enum ndm_metric m, const struct rep_canvas *canvas);
void rep_raster_fini(struct rep_raster *r);

#endif
