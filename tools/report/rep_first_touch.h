/* SPDX-License-Identifier: BSD-3-Clause */
/* report --first-touch: page faults by node and thread. The thread that touched a page first decided on which
 * NUMA node the page was placed. */
#ifndef REP_FIRST_TOUCH_H
#define REP_FIRST_TOUCH_H

#include "tools/report/rep_view.h"

#include <stdio.h>

/* Rows by o->by.  Errors: as rep_view_init; LS_ERR_USAGE when the recording has no page faults. */
ls_err rep_first_touch(const struct rep_options *o, bool json, FILE *out);

#endif
