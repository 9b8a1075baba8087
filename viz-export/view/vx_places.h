/* SPDX-License-Identifier: BSD-3-Clause */
/* Places at which the values of a field are drawn: one for each value, or for several if there are too many. */
#ifndef VX_PLACES_H
#define VX_PLACES_H

#include "ndm/ndm_field.h"
#include "common/ls_json.h"
#include "viz-export/view/vx_pack.h"

struct vx_places {
    uint32_t *place_of_value;
    uint64_t values_len;
    size_t len;
    uint64_t extents[NDM_AXES_MAX]; /* grids: places along each axis */
    uint64_t factors[NDM_AXES_MAX]; /* grids: cells of a place along each axis */
    double *points;                 /* meshes: 3 a place */
    /* flat meshes whose cells are all drawn */
    const struct ndm_geometry *polygons; /* NULL: places are drawn as points */
};

/* Make at most about max places.
 * Owns:   the caller ends out with vx_places_fini, also after a failure; out borrows g.
 * Errors: LS_ERR_NOMEM. */
ls_err vx_places_grid(const struct ndm_geometry *g, size_t max, struct vx_places *out);
ls_err vx_places_mesh(const struct ndm_geometry *g, enum ndm_centering centering, size_t max,
                      struct vx_places *out);
/* For each place of fine, the places of g, store the place that represents it where places are 2^level
 * times as long along each axis; out has room for fine->len.
 * Errors: LS_ERR_NOMEM. */
ls_err vx_places_coarser(const struct vx_places *fine, const struct ndm_geometry *g, unsigned level,
                         uint32_t *out);
/* Owns:   frees the contents of p. */
void vx_places_fini(struct vx_places *p);

/* Write the columns of the places of field `number`, and their description.
 * Errors: kept in p. */
void vx_places_pack(const struct vx_places *places, uint32_t number, struct vx_pack *p);
void vx_places_json(const struct vx_places *places, const struct ndm_geometry *g, struct ls_json *j);

#endif
