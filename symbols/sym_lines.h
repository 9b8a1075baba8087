/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions, source lines and inlining of many addresses of one file. Because addresses are sorted, every
 * unit and function is read once. */
#ifndef SYM_LINES_H
#define SYM_LINES_H

#include "symbols/sym_demangle.h"
#include "symbols/sym_elf.h"

#include <stddef.h>

/* --- functions ---
 *
 * Find the function whose machine code contains an address, by the symbol tables: sorted once. (libdwfl looks
 * through all symbols for each address.) */

struct sym_function {
    uint64_t base, end;
    const char *name; /* as in the table */
    unsigned rank;    /* the lowest of several at one address is taken */
    bool is_stub;     /* it calls the function `name` of another file: shown as name@plt */
};
enum { SYM_RANK_STUB = 1024 };
/* Zeroed is empty. */
struct sym_functions {
    struct sym_function *rows; /* sorted, one for each base */
    size_t len;
};

/* Errors: LS_ERR_NOMEM. */
ls_err sym_functions_read(const struct sym_elf *e, struct sym_functions *out);
void sym_functions_fini(struct sym_functions *f);
/* Add the stubs of the procedure linkage table to f, whose rows are sorted; they are not sorted afterwards. Errors:
 * LS_ERR_NOMEM. */
ls_err sym_plt_add(const struct sym_elf *e, struct sym_functions *f);
/* NULL: none there. */
const struct sym_function *sym_functions_find(const struct sym_functions *f, uint64_t linked);

/* Add all functions as rows to d's routines. */
void sym_functions_write(const struct sym_functions *f, struct sym_draft *d);

/* Names of a row of struct sym_routine and sym_line: demangled, and as the programmer wrote it. */
void sym_function_names(const struct sym_function *f, struct sym_demangler *demangler, struct sym_draft *d,
                        struct sym_routine *out);

typedef struct sym_lines sym_lines;

/* The functions of e are read here; e is borrowed.  Errors: LS_ERR_NOMEM. */
ls_err sym_lines_new(const struct sym_elf *e, sym_lines **out);
void sym_lines_free(sym_lines *l); /* NULL-safe */
const struct sym_functions *sym_lines_functions(const sym_lines *l);

/* Add one row to d's lines for each of the linked addresses, which are sorted. Without DWARF only functions
 * are found. */
void sym_lines_read(sym_lines *l, const uint64_t *linked, size_t len, struct sym_draft *d);

#endif
