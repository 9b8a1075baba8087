/* SPDX-License-Identifier: BSD-3-Clause */
/* report --sharing: cache lines that several threads touch and one writes. */
#ifndef REP_SHARING_H
#define REP_SHARING_H

#include "tools/report/rep_view.h"

#include <stdio.h>

/* Print the cache lines, the costliest first; o->by is ignored.
 * Errors: as rep_view_init. */
ls_err rep_sharing(const struct rep_options *o, bool json, FILE *out);

#endif
