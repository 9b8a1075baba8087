/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions, source lines and inlining of many addresses of one file. Sorted addresses make every unit and
 * function be read once. */
#ifndef SYM_LINES_H
#define SYM_LINES_H

#include "symbols/sym_elf.h"
#include "symbols/sym_functions.h"

#include <stddef.h>

typedef struct sym_lines sym_lines;

/* functions and units of e are read here; e is borrowed.  Errors: LS_ERR_NOMEM. */
ls_err sym_lines_new(const struct sym_elf *e, sym_lines **out);
void sym_lines_free(sym_lines *l); /* NULL-safe */
const struct sym_functions *sym_lines_functions(const sym_lines *l);

/* One row of d's lines for each of the linked addresses, which are sorted. Without DWARF: functions only. */
void sym_lines_read(sym_lines *l, const uint64_t *linked, size_t len, struct sym_draft *d);

#endif
