/* SPDX-License-Identifier: BSD-3-Clause */
/* report --allocations: what was allocated where. */
#ifndef REP_ALLOCATIONS_H
#define REP_ALLOCATIONS_H

#include "tools/report/rep_view.h"

#include <stdio.h>

/* o: file and limit; nothing else is looked at.
 * Errors: those of prof_open, LS_ERR_NOMEM. */
ls_err rep_allocations(const struct rep_options *o, bool json, FILE *out);

#endif
