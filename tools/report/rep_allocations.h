/* SPDX-License-Identifier: BSD-3-Clause */
/* report --allocations: the allocations by call path. */
#ifndef REP_ALLOCATIONS_H
#define REP_ALLOCATIONS_H

#include "tools/report/rep_view.h"

#include <stdio.h>

/* Use only file and limit of o.
 * Errors: as prof_open, LS_ERR_NOMEM. */
ls_err rep_allocations(const struct rep_options *o, bool json, FILE *out);

#endif
