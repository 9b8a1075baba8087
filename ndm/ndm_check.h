/* SPDX-License-Identifier: BSD-3-Clause */
/* Check that a geometry is valid, wherever it came from: the program, the spool, a file.
 *
 * Thread: one at a time for one object.  Signal: not safe. */
#ifndef NDM_CHECK_H
#define NDM_CHECK_H

#include "ndm/ndm_shape.h"

#define NDM_EXTENT_MAX (UINT64_C(1) << 31)
#define NDM_CELLS_MAX (UINT64_C(1) << 40)
#define NDM_LABEL_MAX_BYTES 4096u

/* Errors: LS_ERR_ARG (no label, dims, extents, spacing, a coordinate that is not finite, an unknown shape),
 * LS_ERR_RANGE (more than NDM_CELLS_MAX cells, connectivity points outside); the text names the domain and
 * axis, point, or cell, position and index. */
ls_err ndm_geometry_check(const struct ndm_geometry *g);

#endif
