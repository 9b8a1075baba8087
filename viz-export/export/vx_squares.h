/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells of a layer of a grid, merged into squares, so that a few samples on many cells are visible;
 * ndm/ndm_mix.h defines how values are merged. */
#ifndef VX_SQUARES_H
#define VX_SQUARES_H

#include "viz-export/export/vx_select.h"

struct vx_squares {
    uint64_t side;       /* cells; 1: squares are cells */
    uint64_t across, up; /* squares */
    double *values;      /* across * up, NAN: missing; 0 of counts and sums */
};

/* The side is such that a square has some samples on average, and that an image can hold them.
 * Owns:   the caller ends s with vx_squares_fini.  Errors: LS_ERR_NOMEM; then s is empty. */
ls_err vx_squares_init(struct vx_squares *s, const struct vx_array *a, const struct ndm_geometry *g,
                       uint64_t layer);
void vx_squares_fini(struct vx_squares *s);

#endif
