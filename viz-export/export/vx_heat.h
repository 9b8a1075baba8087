/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat maps of fields: panels of one metric on one domain, each with axes and a colour bar. */
#ifndef VX_HEAT_H
#define VX_HEAT_H

#include "viz-export/export/vx_cells.h"
#include "viz-export/vx_axis.h"
#include "viz-export/charts/vx_draw.h"
#include "viz-export/export/vx_select.h"

struct vx_panel {
    const struct ndm_geometry *geometry;
    const struct vx_array *array;
    uint64_t layer;            /* 3-D grids: cell along the last axis */
    struct vx_axis scale;      /* shared by all panels with this metric */
    struct vx_squares squares; /* grids: the squares to draw */
    bool zero_is_nothing;      /* counts and sums: 0 is drawn like a missing value */
    bool has_values;           /* false: nothing to colour, scale is unset */
    char title[160];
};

/* Return the height of a panel of this width, heading and axes included. */
double vx_panel_height(const struct vx_panel *p, double width);
/* Errors: LS_ERR_NOMEM, LS_ERR_FORMAT (a damaged mesh); drawing errors stay in c's status. */
ls_err vx_panel_draw(cairo_t *c, struct vx_box box, const struct vx_panel *p);

/* The domain's position on paper: axes across and up, and their limits. */
struct vx_frame {
    struct vx_box plot;
    struct vx_axis x, y; /* from values to paper */
};

/* Return the colour of a value; false: it is not drawn. */
bool vx_panel_colour(const struct vx_panel *p, double value, struct vx_rgb *out);
/* Set the source to the pattern of missing values. */
void vx_use_nothing(cairo_t *c);
/* Draw the colours of values; one file per kind of domain.
 * Errors: as for vx_panel_draw. */
ls_err vx_heat_mesh(cairo_t *c, const struct vx_panel *p, const struct vx_frame *f);

/* Are there many values, of which less than half are present? Then dots are drawn instead of coloured faces. */
bool vx_is_sparse(const struct vx_panel *p);
/* Errors: LS_ERR_NOMEM. */
ls_err vx_heat_marks(cairo_t *c, const struct vx_panel *p, const struct vx_frame *f);

/* Position of a mesh point in the picture: across, up and away. In 3-D the eye is at x -, y -, z +. */
struct vx_seen {
    double across, up, away;
};
/* Find the axes of a mesh whose points are in a plane; all axes if they are not. */
struct vx_view {
    bool is_flat;
    int across, up; /* axes of a flat view */
};
struct vx_view vx_view_of(const struct ndm_geometry *g);
struct vx_seen vx_see(const struct vx_view *v, const double *point);

#endif
