/* SPDX-License-Identifier: BSD-3-Clause */
/* Order of an array's elements in a grid: conversion between element and cell.
 *
 * Unless noted otherwise: Thread: any number at once.  Signal: not safe. */
#ifndef NDM_LAYOUT_H
#define NDM_LAYOUT_H

#include "ndm/ndm_shape.h"

#include <stdbool.h>

#define NDM_LAYOUT_PER_CELL_MAX (UINT64_C(1) << 32)

/* Check that l fits the grid g.  Errors: LS_ERR_ARG, LS_ERR_RANGE; the text names `label` (of the node) and
 * the axis. The functions below need a layout that passed. */
ls_err ndm_layout_check(const struct ndm_layout *l, const struct ndm_geometry *g, const char *label);

/* Number of elements of the array, ghosts and padding included; NDM_STRIDED: the last element of any cell +
 * 1. */
uint64_t ndm_layout_elements(const struct ndm_layout *l, const struct ndm_geometry *g);

/* Find the cell (linear, x fastest) of an element; false: ghost, padding, between cells, or beyond the array.
 * Signal: safe. */
bool ndm_layout_cell(const struct ndm_layout *l, const struct ndm_geometry *g, uint64_t element,
                     uint64_t *out_cell);

/* Return the first element of a cell below g's cells_len, the inverse of ndm_layout_cell.  Signal: safe. */
uint64_t ndm_layout_element(const struct ndm_layout *l, const struct ndm_geometry *g, uint64_t cell);

#endif
