/* SPDX-License-Identifier: BSD-3-Clause */
/* How the elements of an array run through a grid: element <-> cell.
 *
 * Where nothing else is said: Thread: any number at once.  Signal: not safe. */
#ifndef NDM_LAYOUT_H
#define NDM_LAYOUT_H

#include "ndm/ndm_shape.h"

#include <stdbool.h>

#define NDM_LAYOUT_PER_CELL_MAX (UINT64_C(1) << 32)

/* Whether l fits the grid g.  Errors: LS_ERR_ARG, LS_ERR_RANGE; the text names `label` (of the node) and the
 * axis. The functions below need this. */
ls_err ndm_layout_check(const struct ndm_layout *l, const struct ndm_geometry *g, const char *label);

/* Elements of the array, ghosts and padding included; NDM_STRIDED: the last one of a cell, and one. */
uint64_t ndm_layout_elements(const struct ndm_layout *l, const struct ndm_geometry *g);

/* Cell (linear, x fastest) that the element belongs to; false: ghost, padding, between cells, or behind all.
 * Signal: safe. */
bool ndm_layout_cell(const struct ndm_layout *l, const struct ndm_geometry *g, uint64_t element,
                     uint64_t *out_cell);

/* The first element of a cell below g's cells_len: the inverse.  Signal: safe. */
uint64_t ndm_layout_element(const struct ndm_layout *l, const struct ndm_geometry *g, uint64_t cell);

#endif
