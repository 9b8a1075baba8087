/* SPDX-License-Identifier: BSD-3-Clause */
/* Convert the program's arguments (include/loadstone/ndm.h) to checked plain data: copies, with indices from
 * 0.
 *
 * Thread: any.  Signal: not safe. */
#ifndef NDM_MAKE_H
#define NDM_MAKE_H

#include "ndm/ndm_map.h"

/* Owns:   *out is freed by ndm_geometry_fini, ndm_map_fini.
 * Errors: as ndm_domain_new_grid, ndm_domain_new_mesh, ndm_map_indirect; then *out is empty. */
ls_err ndm_make_grid(const struct ndm_grid *grid, struct ndm_geometry *out);
ls_err ndm_make_mesh(const struct ndm_mesh *mesh, struct ndm_geometry *out);
/* The map is not yet checked against its domain. `label` is the node's label. */
ls_err ndm_make_targets(const struct ndm_indirection *indirection, const char *label, struct ndm_map *out);

#endif
