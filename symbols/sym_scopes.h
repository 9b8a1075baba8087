/* SPDX-License-Identifier: BSD-3-Clause */
/* Inlining: the functions of one compilation unit, and for each function that is asked about a flat list of
 * its inlined calls. Each entry is walked once, for any number of addresses. */
#ifndef SYM_SCOPES_H
#define SYM_SCOPES_H

#include "symbols/sym_units.h"

#include <stdbool.h>

/* An inlined call; its code may be in several pieces: one row each. */
struct sym_call {
    uint64_t base, end;
    uint32_t depth;  /* 1: inlined into the function itself */
    uint32_t around; /* row of the call that this one is inside of, SYM_NONE */
    uint32_t call;   /* the same for all pieces of one call */
    Dwarf_Die die;
};
struct sym_subprogram {
    uint64_t base, end;
    Dwarf_Die die;
};

/* Zeroed is empty. */
struct sym_scopes {
    const void *unit;                 /* unit of these functions */
    struct sym_subprogram *functions; /* sorted by base; each piece of a function has a row */
    size_t functions_len, functions_room;
    Dwarf_Off walked; /* function of these calls, 0: none */
    struct sym_call *calls;
    size_t calls_len, calls_room;
};

/* The function that holds the address, NULL: none; then *out_call is the innermost inlined call there, or
 * SYM_NONE. The rows stay until another unit or function is asked about. */
struct sym_subprogram *sym_scopes_find(struct sym_scopes *s, struct sym_unit *unit, uint64_t at,
                                       uint32_t *out_call);
void sym_scopes_fini(struct sym_scopes *s);

#endif
