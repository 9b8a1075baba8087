/* SPDX-License-Identifier: BSD-3-Clause */
/* A field as a picture of few pixels: cells binned or magnified, meshes binned, the third axis of a grid
 * looked through. Pure functions of a field and its domain. */
#ifndef REP_RASTER_H
#define REP_RASTER_H

#include "common/ls_error.h"
#include "ndm/ndm_field.h"
#include "run_h5/prof_reader.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ---- a field as a picture of few pixels ---- */

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

/* ---- drawn on a terminal ---- */

/* Draw a raster on a terminal: half blocks in 256 colours, or ASCII characters. The colours are viridis,
 * which is readable with red-green colour blindness and gets brighter with the value. */

enum { REP_TINTS = 10 }; /* steps of the scale */

struct rep_range {
    double low, high;
    bool is_log;
};
/* The scale of a metric: counts and times begin at 0, shares end at 1. Latencies have the range of most
 * pixels, because a few loads that were interrupted took a hundred times longer than all others. */
struct rep_range rep_scale_range(const struct rep_raster *r, enum ndm_metric m);
/* One row of characters: with colour two rows of pixels, `row` and the one below it, else one. Row 0 is the
 * topmost character. */
void rep_draw_row(const struct rep_raster *r, const struct rep_range *scale, uint32_t row, bool colour,
                  FILE *out);
/* Rows of characters that r has. */
uint32_t rep_draw_rows(const struct rep_raster *r, bool colour);
/* The scale itself, each step `width` characters wide. */
void rep_draw_scale(uint32_t width, bool colour, FILE *out);

/* ---- fields ---- */

/* Find the field that a user means, and summarize its values in words. */

struct rep_field_choice {
    uint32_t field; /* index in the atlas */
    enum ndm_metric metric;
};

/* "NODE" or "NODE:METRIC". NODE is a node's label, labels joined by /, #id, a domain's label, or a field's
 * name; METRIC one of rep_metric_words, stall by default. Errors: LS_ERR_USAGE; the text lists the fields. */
ls_err rep_field_find(const prof_profile *p, const struct ndm_atlas *a, const char *text,
                      struct rep_field_choice *out);
/* The word for a metric on the command line. */
const char *rep_metric_word(enum ndm_metric m);

enum { REP_HOTTEST_MAX = 3 };
struct rep_hottest {
    uint64_t values[REP_HOTTEST_MAX]; /* the largest ones, the largest first */
    uint32_t len;
    double sum, max;
    /* For additive metrics: each axis is cut in thirds; the part with the largest sum. */
    bool has_part;
    double part_share;
    int part[NDM_AXES_MAX];                       /* 0 low, 1 middle, 2 high; -1: the axis is not cut */
    double low[NDM_AXES_MAX], high[NDM_AXES_MAX]; /* its borders */
    uint32_t parts;                               /* in all: 3, 9, 27 */
};
void rep_field_hottest(const struct ndm_geometry *g, const struct ndm_field *f, enum ndm_metric m,
                       struct rep_hottest *out);

#endif
