/* SPDX-License-Identifier: BSD-3-Clause */
/* Find the function whose machine code contains an address, by the symbol tables: sorted once. (libdwfl looks
 * through all symbols for each address.) */
#ifndef SYM_FUNCTIONS_H
#define SYM_FUNCTIONS_H

#include "symbols/sym_demangle.h"
#include "symbols/sym_elf.h"

struct sym_function {
    uint64_t base, end;
    const char *name; /* as in the table */
    unsigned rank;    /* the lowest of several at one address is taken */
};
/* Zeroed is empty. */
struct sym_functions {
    struct sym_function *rows; /* sorted, one for each base */
    size_t len;
};

/* Errors: LS_ERR_NOMEM. */
ls_err sym_functions_read(const struct sym_elf *e, struct sym_functions *out);
void sym_functions_fini(struct sym_functions *f);
/* NULL: none there. */
const struct sym_function *sym_functions_find(const struct sym_functions *f, uint64_t linked);

/* All of them as rows of d's routines. */
void sym_functions_write(const struct sym_functions *f, struct sym_draft *d);

/* The function as the programmer wrote it: without the suffixes of the compiler's copies (.constprop.0,
 * .cold), demangled.  Valid until the next use of d. */
const char *sym_function_source_name(struct sym_demangler *d, const char *name);

#endif
