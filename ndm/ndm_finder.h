/* SPDX-License-Identifier: BSD-3-Clause */
/* Find a value by coordinates: the cell of a grid, the nearest point of a mesh (a k-d tree: Bentley,
 * "Multidimensional binary search trees used for associative searching", 1975). Used for the coordinates that
 * natural-domain functions return.
 *
 * Unless noted otherwise: Thread: one at a time for one object.  Signal: not safe. */
#ifndef NDM_FINDER_H
#define NDM_FINDER_H

#include "ndm/ndm_shape.h"

#include <stdbool.h>

typedef struct ndm_finder ndm_finder;

/* Owns:   *out is freed by ndm_finder_free; g stays the caller's and must outlive it.
 * Errors: LS_ERR_NOMEM. */
ls_err ndm_finder_new(const struct ndm_geometry *g, ndm_finder **out);
void ndm_finder_free(ndm_finder *f); /* NULL-safe */

/* Centering of the finder's values: cells of a grid or points of a mesh. */
enum ndm_centering ndm_finder_centering(const ndm_finder *f);

/* Find the grid cell that holds `at` (axes beyond the grid's dims are ignored; the far border belongs to the
 * last cell), or the mesh's nearest point, the first one if several are equally near. False: outside of the
 * grid, not finite, or a mesh without points.
 * Thread: any number at once. */
bool ndm_finder_find(const ndm_finder *f, const double at[NDM_AXES_MAX], uint64_t *out_value_index);

#endif
