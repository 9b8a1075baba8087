/* SPDX-License-Identifier: BSD-3-Clause */
/* report --processes: the tree of processes, how each ended, and its cost. */
#ifndef REP_PROCESSES_H
#define REP_PROCESSES_H

#include "tools/report/rep_view.h"

#include <stdio.h>

/* o: file, filters, limit; its grouping is ignored.
 * Errors: as rep_view_init, LS_ERR_NOMEM. */
ls_err rep_processes(const struct rep_options *o, bool json, FILE *out);

#endif
