/* SPDX-License-Identifier: BSD-3-Clause */
/* A page of charts as data: its contents, not their layout. Only positions on paper are computed here. */
#ifndef VX_CHART_H
#define VX_CHART_H

#include "common/ls_error.h"
#include "viz-export/vx_axis.h"

/* X(id, name): how a chart is drawn. */
enum vx_kind {
    VX_BARS,  /* a horizontal bar for each name; series side by side */
    VX_LINES, /* points joined by lines */
    VX_DOTS,  /* points */
    VX_STEMS, /* a line from 0 to each point */
    VX_RADAR, /* a spoke for each name, a polygon for each series */
    VX_KINDS
};

/* NAN is a missing value and is not drawn. */
struct vx_series {
    const char *label;
    const double *x; /* NULL for bars and radars, which use the names */
    const double *y;
    const double *low, *high; /* whiskers of y, NULL: none */
    size_t len;
    bool is_dashed; /* an expectation: dashed, without marks; shaded between low and high (lines) */
    size_t twin;    /* 1 + the series that has the same colour (lines); 0: its own colour */
};

/* A line across the chart at y (at radius y of a radar). */
struct vx_reference {
    double y;
    const char *label;
};

struct vx_chart {
    enum vx_kind kind;
    const char *title, *note;      /* note: a line below the title, NULL: none */
    const char *x_label, *y_label; /* with units */
    enum vx_scale x_scale, y_scale;
    bool diagonals; /* lines y = x, x/2, x/4 ...: shares of x */
    const struct vx_series *series;
    size_t series_len;
    const char *const *names; /* names of bars and spokes */
    size_t names_len;
    const struct vx_reference *references;
    size_t references_len;
};

struct vx_page {
    const char *title;
    const char *subtitle;     /* one line, NULL: none */
    const char *const *facts; /* lines for the page of HTML: machine, method */
    size_t facts_len;
    const struct vx_chart *charts;
    size_t charts_len;
};

/* Write page to path in the format given by the file name's extension: .svg, .png or .html. An existing file
 * is replaced.
 * Errors: LS_ERR_USAGE for another extension; LS_ERR_IO and other errors of the file; LS_ERR_NOMEM;
 *         LS_ERR_UNSUPPORTED when built without cairo. */
ls_err vx_page_write(const struct vx_page *page, const char *path);

/* Check before the work whether the suffix of path names a format.
 * Errors: LS_ERR_USAGE, LS_ERR_UNSUPPORTED as above. */
ls_err vx_page_check(const char *path);

#endif
