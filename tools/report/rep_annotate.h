/* SPDX-License-Identifier: BSD-3-Clause */
/* report --annotate: the source of a function, or its instructions, with the cost of each line. */
#ifndef REP_ANNOTATE_H
#define REP_ANNOTATE_H

#include "tools/report/rep_view.h"

#include <stdio.h>

struct rep_annotate_options {
    const char *function;
    bool by_instruction; /* also where there is source */
    bool json;
};

/* Print every function of that name; o->by is ignored.
 * Errors: as rep_view_init; LS_ERR_USAGE when there is no such function, with the
 *         nearest names. */
ls_err rep_annotate(const struct rep_options *o, const struct rep_annotate_options *a, FILE *out);

#endif
