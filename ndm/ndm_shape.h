/* SPDX-License-Identifier: BSD-3-Clause */
/* A domain as plain data, as the spool, run.h5 and the exporters hold it. It uses the shapes and centerings
 * of include/loadstone/ndm.h, where the program's handle has the same content.
 *
 * Unless noted otherwise: Thread: one at a time for one object.  Signal: not safe. */
#ifndef NDM_SHAPE_H
#define NDM_SHAPE_H

#include "loadstone/ndm.h"

enum ndm_kind { NDM_GRID, NDM_MESH };

struct ndm_geometry {
    enum ndm_kind kind;
    char *label, *unit; /* unit "": not given */
    uint32_t dims;      /* grid: axes; mesh: up to the last axis on which points differ */
    char *axes[NDM_AXES_MAX];
    /* grids */
    uint64_t extents[NDM_AXES_MAX]; /* cells; 1 for axes beyond dims */
    double origin[NDM_AXES_MAX];
    double spacing[NDM_AXES_MAX]; /* above 0; the program's 0 becomes 1 (ndm_make.c) */
    /* meshes */
    uint64_t points_len;
    double *points;         /* 3 * points_len, x y z of each */
    uint64_t cells_len;     /* number of cells, for grids too */
    uint64_t *offsets;      /* cells_len + 1, into connectivity */
    uint64_t *connectivity; /* from 0 */
    uint8_t *shapes;        /* enum ndm_shape of each cell */
};

/* Free the contents of g, not g itself. */
void ndm_geometry_fini(struct ndm_geometry *g);
/* Number of values of a field with this centering. */
uint64_t ndm_geometry_values(const struct ndm_geometry *g, enum ndm_centering centering);
/* Get the position of value i of such a field: the middle of a grid's cell (0 along axes beyond dims), a
 * point, or the mean of a cell's points.  Thread: any. */
void ndm_geometry_position(const struct ndm_geometry *g, enum ndm_centering centering, uint64_t i,
                           double at[NDM_AXES_MAX]);

/* --- checks ---
 *
 * Check that a geometry is valid, wherever it came from: the program, the spool, a file. */

#define NDM_EXTENT_MAX (UINT64_C(1) << 31)
#define NDM_CELLS_MAX (UINT64_C(1) << 40)
#define NDM_LABEL_MAX_BYTES 4096u

/* Errors: LS_ERR_ARG (no label, dims, extents, spacing, a coordinate that is not finite, an unknown shape),
 * LS_ERR_RANGE (more than NDM_CELLS_MAX cells, connectivity points outside); the text names the domain and
 * axis, point, or cell, position and index. */
ls_err ndm_geometry_check(const struct ndm_geometry *g);

#endif
