/* SPDX-License-Identifier: BSD-3-Clause */
/* From coordinates to a value: the cell of a grid, the nearest point of a mesh (a k-d tree: Bentley,
 * "Multidimensional binary search trees used for associative searching", 1975). For what natural-domain
 * functions return.
 *
 * Where nothing else is said: Thread: one at a time for one object.  Signal: not safe. */
#ifndef NDM_FINDER_H
#define NDM_FINDER_H

#include "ndm/ndm_shape.h"

#include <stdbool.h>

typedef struct ndm_finder ndm_finder;

/* Owns:   *out is freed by ndm_finder_free; g stays the caller's and must outlive it.
 * Errors: LS_ERR_NOMEM. */
ls_err ndm_finder_new(const struct ndm_geometry *g, ndm_finder **out);
void ndm_finder_free(ndm_finder *f); /* NULL-safe */

/* Cells of a grid or points of a mesh: what the finder's values count. */
enum ndm_centering ndm_finder_centering(const ndm_finder *f);

/* The grid cell that holds `at` (axes beyond the grid's dims are not looked at; the far border belongs to the
 * last cell), or the mesh's nearest point, of equally near ones the first. False: outside of the grid, not
 * finite, or a mesh without points.
 * Thread: any number at once. */
bool ndm_finder_find(const ndm_finder *f, const double at[NDM_AXES_MAX], uint64_t *out_value_index);

#endif
