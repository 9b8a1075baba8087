/* SPDX-License-Identifier: BSD-3-Clause */
/* The cells of a mesh as files hold them: a mesh of points alone has a vertex at each. */
#ifndef VX_CELLS_H
#define VX_CELLS_H

#include "common/ls_error.h"
#include "ndm/ndm_shape.h"

#include <stdbool.h>

struct vx_cells {
    uint64_t len;
    const uint64_t *offsets;      /* len + 1 */
    const uint64_t *connectivity; /* offsets[len] */
    const uint8_t *shapes;        /* enum ndm_shape */
    void *own_offsets, *own_shapes;
};

/* Owns:   the caller ends c with vx_cells_fini; g is borrowed.
 * Errors: LS_ERR_FORMAT (offsets fall, a cell names no point), LS_ERR_NOMEM. */
ls_err vx_cells_init(struct vx_cells *c, const struct ndm_geometry *g);
void vx_cells_fini(struct vx_cells *c);
/* Convert a grid to a mesh: lines, quadrilaterals or hexahedra by its number of axes, cells in the same
 * order.
 * Owns:   the caller ends out with ndm_geometry_fini, also after a failure.  Errors: LS_ERR_NOMEM. */
ls_err vx_mesh_of_grid(const struct ndm_geometry *g, struct ndm_geometry *out);
/* Do all cells have the same shape, and the number of points of this shape? */
bool vx_cells_are_alike(const struct vx_cells *c);

#endif
