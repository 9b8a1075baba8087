/* SPDX-License-Identifier: BSD-3-Clause */
/* report --first-touch: page faults by node and thread: who touched which memory first, and so decided where
 * it lies. */
#ifndef REP_FIRST_TOUCH_H
#define REP_FIRST_TOUCH_H

#include "tools/report/rep_view.h"

#include <stdio.h>

/* Rows by o->by.  Errors: those of rep_view_init; LS_ERR_USAGE when the recording has no page faults. */
ls_err rep_first_touch(const struct rep_options *o, bool json, FILE *out);

#endif
