/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat maps of fields: panels of one metric on one domain, each with axes and a colour bar. */
#ifndef VX_HEAT_H
#define VX_HEAT_H

#include "viz-export/vx_cells.h"
#include "viz-export/vx_colour.h"
#include "viz-export/vx_draw.h"
#include "viz-export/vx_select.h"
#include "viz-export/vx_squares.h"

struct vx_panel {
    const struct ndm_geometry *geometry;
    const struct vx_array *array;
    uint64_t layer;            /* of 3-D grids: cell along the last axis */
    struct vx_axis scale;      /* of all panels with this metric */
    struct vx_squares squares; /* of grids: what is drawn */
    bool zero_is_nothing;      /* of counts and sums: 0 is drawn as missing values are */
    bool has_values;           /* else nothing is to be coloured and scale says nothing */
    char title[160];
};

/* The height that a panel of this width wants, heading and axes included. */
double vx_panel_height(const struct vx_panel *p, double width);
/* Errors: LS_ERR_NOMEM, LS_ERR_FORMAT (a damaged mesh); those of drawing stay in c's status. */
ls_err vx_panel_draw(cairo_t *c, struct vx_box box, const struct vx_panel *p);

/* Where the domain lies on the paper: axes across and up, and their limits. */
struct vx_frame {
    struct vx_box plot;
    struct vx_axis x, y; /* from values to paper */
};

/* The colour of a value; false: it is drawn as nothing. */
bool vx_panel_colour(const struct vx_panel *p, double value, struct vx_rgb *out);
/* What is missing is drawn like this. */
void vx_use_nothing(cairo_t *c);
/* The colours of values, each kind of domain in a file of its own.
 * Errors: those of vx_panel_draw. */
ls_err vx_heat_grid(cairo_t *c, const struct vx_panel *p, const struct vx_frame *f);
ls_err vx_heat_mesh(cairo_t *c, const struct vx_panel *p, const struct vx_frame *f);

/* Are less than half of many values there? Then dots are drawn instead of coloured faces. */
bool vx_is_sparse(const struct vx_panel *p);
/* Errors: LS_ERR_NOMEM. */
ls_err vx_heat_marks(cairo_t *c, const struct vx_panel *p, const struct vx_frame *f);

/* Is axis y of a picture drawn downwards? Of grids whose second axis is called row, as matrices are written. */
bool vx_runs_down(const struct ndm_geometry *g);
/* Across, up and away: what a point of a mesh is in the picture. In 3-D the eye is at x -, y -, z +. */
struct vx_seen {
    double across, up, away;
};
/* Axes of a mesh whose points lie in a plane; all of them when they do not. */
struct vx_view {
    bool is_flat;
    int across, up; /* of a flat one */
};
struct vx_view vx_view_of(const struct ndm_geometry *g);
struct vx_seen vx_see(const struct vx_view *v, const double *point);

#endif
