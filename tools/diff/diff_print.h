/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison on the terminal, and as JSON. */
#ifndef DIFF_PRINT_H
#define DIFF_PRINT_H

#include "tools/diff/diff_view.h"

#include <stdio.h>

enum { DIFF_JSON_SCHEMA = 1 };

void diff_print_text(const struct diff_view *v, FILE *out);
void diff_print_json(const struct diff_view *v, FILE *out);
/* Write the reasons why the two runs are not comparable, one sentence each, to out. Return their number. */
enum { DIFF_WARNINGS_MAX = 8, DIFF_WARNING_BYTES = 256 };
size_t diff_warnings(const struct diff_view *v, char out[DIFF_WARNINGS_MAX][DIFF_WARNING_BYTES]);

#endif
