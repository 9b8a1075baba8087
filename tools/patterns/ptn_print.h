/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns that were found, for people and for scripts.
 *
 * Errors: none; errors of out stay in it. */
#ifndef PTN_PRINT_H
#define PTN_PRINT_H

#include "tools/patterns/ptn_read.h"

#include <stdio.h>

/* rows_max: a longer list is cut, with a note; 0: a screenful. */
void ptn_print(const char *path, const struct ptn_found *f, size_t rows_max, FILE *out);
/* Schema 1. */
void ptn_print_json(const char *path, const struct ptn_found *f, FILE *out);

#endif
