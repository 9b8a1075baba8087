/* SPDX-License-Identifier: BSD-3-Clause */
/* report --watch: the code that touched the element given to record --watch. */
#ifndef REP_WATCH_H
#define REP_WATCH_H

#include "tools/report/rep_view.h"

#include <stdio.h>

/* Errors: as rep_view_init; LS_ERR_USAGE if nothing was watched. */
ls_err rep_watch(const struct rep_options *o, bool json, FILE *out);

#endif
