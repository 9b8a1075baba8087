/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of the exported fields and metrics of a recording, and their arrays. */
#ifndef VX_SELECT_H
#define VX_SELECT_H

#include "common/ls_error.h"
#include "ndm/ndm_field.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- selection ---- */

/* Fields of one domain. */
struct vx_selection {
    const struct ndm_atlas *atlas;
    const struct ndm_geometry *geometry;
    uint32_t *fields; /* rows of atlas->fields */
    size_t fields_len;
    bool metrics[NDM_METRICS_LEN];
    uint32_t steps_len; /* 0: the whole run */
};

/* fields: names or patterns with *, separated by commas; NULL: all. metrics: names in run.h5, separated by
 * commas; NULL: all. Values of the fields are not checked.
 * Owns:   the caller ends out with vx_selection_fini, also after a failure; a is borrowed.
 * Errors: LS_ERR_NOT_FOUND (no field at all), LS_ERR_USAGE (names nothing; fields of several domains; steps
 *         asked for and none there, or different ones; the text lists the fields), LS_ERR_NOMEM. */
ls_err vx_select(const struct ndm_atlas *a, const char *fields, const char *metrics,
                 struct vx_selection *out);
/* Select the steps instead of the whole run.  Errors: LS_ERR_USAGE: no steps, or they differ. */
ls_err vx_select_steps(struct vx_selection *s);
void vx_selection_fini(struct vx_selection *s);

/* Label and begin of a step. */
const char *vx_step_label(const struct vx_selection *s, uint32_t step);
double vx_step_begin_s(const struct vx_selection *s, uint32_t step);

/* One metric of one field. */
struct vx_array {
    char *name; /* "stall_ns" of the one field selected, or of all nodes together; else "A.stall_ns" */
    const struct ndm_field *field;
    enum ndm_metric metric;
    const double *values;
    const double *weights; /* weights for values that are combined (ndm/ndm_mix.h) */
    uint64_t len;
};
#define VX_WHOLE_RUN UINT32_MAX
/* The arrays of a step, or of the whole run.
 * Owns:   the caller frees *out with vx_arrays_free.
 * Errors: LS_ERR_FORMAT (as many values as the domain has not), LS_ERR_NOMEM. */
ls_err vx_arrays_of(const struct vx_selection *s, uint32_t step, struct vx_array **out, size_t *out_len);
void vx_arrays_free(struct vx_array *arrays, size_t len);

/* ---- blocks of cells ---- */

/* Return the side at which a block of the selected grid holds some samples on average; 1: each cell does, or it is a mesh. */
uint64_t vx_merge_side(const struct vx_selection *s);
/* Replace the grid of the selected fields, and their loaded values, by blocks of `side` cells along each axis; ndm/ndm_mix.h
 * defines how values are combined. The last blocks may extend beyond the grid. a: the atlas that s was made from.
 * Errors: LS_ERR_NOMEM, LS_ERR_FORMAT; then some fields may be merged already. */
ls_err vx_merge_cells(struct ndm_atlas *a, const struct vx_selection *s, uint64_t side);

/* ---- squares of cells ---- */

/* Cells of a layer of a grid, merged into squares, so that few samples on many cells are visible;
 * ndm/ndm_mix.h defines how values are merged. */

struct vx_squares {
    uint64_t side;       /* cells; 1: squares are cells */
    uint64_t across, up; /* squares */
    double *values;      /* across * up, NAN: missing; 0 of counts and sums */
};

/* Choose the side so that a square has some samples on average, and that the squares fit in an image.
 * Owns:   the caller ends s with vx_squares_fini.  Errors: LS_ERR_NOMEM; then s is empty. */
ls_err vx_squares_init(struct vx_squares *s, const struct vx_array *a, const struct ndm_geometry *g,
                       uint64_t layer);
void vx_squares_fini(struct vx_squares *s);

#endif
