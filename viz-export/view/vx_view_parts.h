/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a page's data, one file each: they add columns to a pack and members to its JSON text.
 * viz-export/view/web/src/model.js reads them. */
#ifndef VX_VIEW_PARTS_H
#define VX_VIEW_PARTS_H

#include "common/ls_json.h"
#include "viz-export/view/vx_pack.h"
#include "viz-export/view/vx_places.h"
#include "viz-export/view/vx_view.h"

/* Time and stall are counted in units of the whole's 2^-26, rounded so that the sums over the tiles of a node
 * err by one unit at most. Errors: kept in p. */
#define VX_VIEW_UNITS 0x1p26

void vx_view_tiles(const struct vx_view *v, struct vx_pack *p, struct ls_json *j);
/* The call tree, and the costs of its calls.  Errors: kept in p. */
void vx_view_stacks(const struct vx_view *v, struct vx_pack *p, struct ls_json *j);
void vx_view_sample(const struct vx_view *v, struct vx_pack *p, struct ls_json *j);
/* Nodes, lines, threads: the tables that the numbers of the tiles refer to.  Errors: kept in p. */
void vx_view_tables(const struct vx_view *v, struct ls_json *j);
void vx_view_sources(const struct vx_view *v, struct ls_json *j);
/* Are domain, centering and values consistent? */
bool vx_field_is_sound(const struct ndm_atlas *a, const struct ndm_field *f);
/* Find the places of a valid field on the page, at most about max.
 * Owns:   the caller ends out with vx_places_fini, also after a failure; out borrows a.
 * Errors: LS_ERR_NOMEM. */
ls_err vx_field_places(const struct ndm_atlas *a, const struct ndm_field *f, size_t max,
                       struct vx_places *out);
/* Store the maximum number of places per field with which all fields together fit into a page.
 * Errors: LS_ERR_NOMEM. */
ls_err vx_fields_places_max(const struct ndm_atlas *a, size_t *out);
/* Errors: LS_ERR_NOMEM. */
ls_err vx_view_fields(const struct vx_view *v, struct vx_pack *p, struct ls_json *j);

/* Errors: LS_ERR_NOMEM. */
ls_err vx_view_patterns(const struct vx_view *v, struct ls_json *j);

/* The ranks of a job; nothing in other profiles.  Errors: LS_ERR_NOMEM. */
ls_err vx_view_ranks(const struct vx_view *v, struct ls_json *j);

/* Counters of the machine in slices of the run, and the spans of outer phases.  Errors: LS_ERR_NOMEM. */
ls_err vx_view_series(const struct vx_view *v, struct ls_json *j);

/* The program and the style sheet of the page, compiled in (viz-export/view/web/embed.sh makes the file);
 * length 0: not built. */
extern const unsigned char vx_view_script[], vx_view_style[];
extern const size_t vx_view_script_len, vx_view_style_len;

#endif
