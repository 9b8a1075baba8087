/* SPDX-License-Identifier: BSD-3-Clause */
/* Space-filling curves over grids whose extents are powers of two: index along the curve <-> coordinates.
 *
 * Thread: any number at once.  Signal: safe. */
#ifndef NDM_CURVE_H
#define NDM_CURVE_H

#include "loadstone/ndm.h"

/* Z order: from the lowest bit up, one bit of each axis that has bits left, x first. */
void ndm_morton_cell(const unsigned bits[NDM_AXES_MAX], uint64_t index, uint64_t cell[NDM_AXES_MAX]);
uint64_t ndm_morton_index(const unsigned bits[NDM_AXES_MAX], const uint64_t cell[NDM_AXES_MAX]);

/* Hilbert order of dims axes of `bits` bits each: Skilling, "Programming the Hilbert curve", AIP Conf. Proc.
 * 707 (2004), x his first coordinate. */
void ndm_hilbert_cell(unsigned dims, unsigned bits, uint64_t index, uint64_t cell[NDM_AXES_MAX]);
uint64_t ndm_hilbert_index(unsigned dims, unsigned bits, const uint64_t cell[NDM_AXES_MAX]);

#endif
