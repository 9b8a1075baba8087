/* SPDX-License-Identifier: BSD-3-Clause */
/* The place of each sample in the page's maps, so that a selection elsewhere filters the maps.
 * Fields of one domain (and centering) share the places of its field of all data. */
#ifndef VX_VIEW_PLACES_H
#define VX_VIEW_PLACES_H

#include "analyse/an_tiles.h"
#include "ndm/ndm_field.h"

struct vx_view_places {
    size_t places_max;  /* most places of a field that the page shows */
    uint32_t *base;     /* by field: the one whose places its samples are counted in */
    uint32_t *first;    /* by field: number of the first of these places */
    uint32_t *of_field; /* by sample: 1 + field, 0: in none */
    uint32_t *of_place; /* by sample: 1 + number of the place, 0: in none */
    uint32_t *coarser[AN_PLACE_LEVELS];
    uint32_t len; /* places in all; 0: samples have no places */
};

/* Columns of s needed: field, value.
 * Owns:   the caller ends out with vx_view_places_fini, also after a failure; nothing of a and s is kept.
 * Errors: LS_ERR_NOMEM. */
ls_err vx_view_places_init(struct vx_view_places *out, const struct ndm_atlas *a,
                           const struct prof_samples *s);
/* Owns:   frees the contents of p. */
void vx_view_places_fini(struct vx_view_places *p);
/* As an_tiles_init takes them; borrows p. */
struct an_places vx_view_places_of(const struct vx_view_places *p);

#endif
