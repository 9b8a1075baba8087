/* SPDX-License-Identifier: BSD-3-Clause */
/* A profile as one self-contained page of HTML: the program of viz-export/view/web, and the data that it
 * draws and filters. Only the resolution of fields is computed here (vx_view_fields.c). */
#ifndef VX_VIEW_H
#define VX_VIEW_H

#include "analyse/an_annotate.h"
#include "analyse/an_bootstrap.h"
#include "analyse/an_ranks.h"
#include "analyse/an_series.h"
#include "analyse/an_tiles.h"
#include "ndm/ndm_field.h"
#include "patterns/compact/pat_found.h"

#include <stdio.h>

/* ---- places of samples ---- */

/* The place of each sample in the page's maps, so that a selection elsewhere filters the maps.
 * Fields of one domain (and centering) share the places of its field of all data. */

struct vx_view_places {
    size_t places_max;  /* most places of a field that the page shows */
    uint32_t *base;     /* by field: the one whose places its samples are counted in */
    uint32_t *first;    /* by field: number of the first of these places */
    uint32_t *of_field; /* by sample: 1 + field, 0: in none; NULL where there are no fields */
    uint32_t *of_place; /* by sample: 1 + number of the place, 0: in none */
    uint32_t *coarser[AN_PLACE_LEVELS];
    uint32_t len; /* places in all; 0: samples have no places */
};

/* Columns of s needed: field, value, where a has fields.
 * Owns:   the caller ends out with vx_view_places_fini, also after a failure; nothing of a and s is kept.
 * Errors: LS_ERR_NOMEM. */
ls_err vx_view_places_init(struct vx_view_places *out, const struct ndm_atlas *a,
                           const struct prof_samples *s);
/* Owns:   frees the contents of p. */
void vx_view_places_fini(struct vx_view_places *p);
/* Return the places in the form that an_tiles_init takes; borrows p. */
struct an_places vx_view_places_of(const struct vx_view_places *p);

/* ---- the page ---- */

struct vx_fact {
    const char *key, *text; /* key "": continues the previous one */
};

/* Contents of the page; all members are borrowed. */
struct vx_view {
    const char *title, *command, *path, *version;
    const struct vx_fact *facts, *conclusion; /* the full head of the report, and its conclusion */
    size_t facts_len, conclusion_len;
    const struct an_tables *tables;
    uint64_t samples_len; /* rows, from which `rows` were drawn */
    const struct an_costs *costs;
    const struct an_tiles *tiles;
    const an_table *table; /* by the numbers of tiles->node */
    const an_bootstrap *bootstrap;
    const double *level_limit_cycles; /* PROF_LEVEL_COUNT */
    struct an_source_text sources;
    const struct ndm_atlas *atlas;
    const struct pat_findings *patterns; /* NULL: none */
    const char *layouts; /* JSON: the members of types, as report --layout --json prints them */
    const struct an_series_in *series;
    const struct an_ranks *ranks; /* len 0: the profile is not of a job */
    const struct vx_view_places *places;
    const struct an_tile_row *rows; /* samples for the parallel coordinates, rising */
    size_t rows_len;
};

/*
 * Errors: LS_ERR_NOMEM; LS_ERR_UNSUPPORTED when Loadstone was built without the page's program; LS_ERR_IO,
 *         naming path. */
ls_err vx_view_write(const struct vx_view *v, FILE *out, const char *path);
/* Check that Loadstone was built with the page's program; call it before the work. The text of a failure
 * names the missing part.
 * Errors: LS_ERR_UNSUPPORTED. */
ls_err vx_view_check(void);

#endif
