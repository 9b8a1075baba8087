/* SPDX-License-Identifier: BSD-3-Clause */
/* List the fields, formats, tables and metrics for export. */
#ifndef EXP_LIST_H
#define EXP_LIST_H

#include "tools/export/exp_source.h"

#include <stdio.h>

/* Print the recording's fields, then formats, tables and metrics.
 * Errors: none; errors of out stay in it. */
void exp_print_list(const struct exp_source *e, FILE *out);
/* The same as JSON, schema 1.
 * Errors: as above. */
void exp_print_list_json(const struct exp_source *e, FILE *out);

#endif
