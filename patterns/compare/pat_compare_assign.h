/* SPDX-License-Identifier: BSD-3-Clause */
/* Which row goes with which column, so that the sum of costs is least. */
#ifndef PAT_COMPARE_ASSIGN_H
#define PAT_COMPARE_ASSIGN_H

#include "common/ls_error.h"

#include <stddef.h>
#include <stdint.h>

#define PAT_UNASSIGNED SIZE_MAX

/* costs[row * columns_len + column], all finite. out[row]: its column, PAT_UNASSIGNED where there are more
 * rows than columns. Of equally good solutions always the same.
 * Owns:   out has rows_len places.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_assign(const double *costs, size_t rows_len, size_t columns_len, size_t *out);

#endif
