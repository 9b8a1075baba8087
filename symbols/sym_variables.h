/* SPDX-License-Identifier: BSD-3-Clause */
/* The global and static variables of a file: from its symbol tables, with the additions of the DWARF (the
 * function a static is in, elements of arrays, members of COMMON blocks). If one place has several names,
 * always the same one is chosen. */
#ifndef SYM_VARIABLES_H
#define SYM_VARIABLES_H

#include "symbols/sym_demangle.h"
#include "symbols/sym_elf.h"

/* Ranks of COMMON blocks and their members: a block of one member gets the name of the member. */
#define SYM_RANK_BLOCK UINT32_MAX
#define SYM_RANK_MEMBER (UINT32_MAX - 1)

/* A variable while its facts are being collected. */
struct sym_found {
    uint64_t base, end, elem_size_bytes;
    uint32_t name;   /* name as in the source, in the draft's texts */
    uint32_t linker; /* as in the symbol table */
    uint32_t file;   /* source file the table names, 0: none */
    uint32_t rank;   /* the lowest among aliases is taken; SYM_RANK_* in COMMON */
    bool is_tls;
};
/* Zeroed is empty. */
struct sym_finding {
    const struct sym_elf *elf;
    struct sym_draft *draft;
    struct sym_demangler demangler;
    struct sym_found *rows; /* sorted by is_tls, base, larger ones first */
    size_t len, room;
};
/* A new row at the end, copied.  Errors: LS_ERR_NOMEM. */
ls_err sym_finding_add(struct sym_finding *f, struct sym_found row);

/* Fill d's variables. Without DWARF in e: names and sizes only.  Errors: LS_ERR_NOMEM. */
ls_err sym_variables_read(const struct sym_elf *e, struct sym_draft *d);

/* Complete the rows of f, which are sorted: elements of arrays, the function around a static. Fortran's
 * COMMON blocks get their names; rows for their members are appended.  Errors: LS_ERR_NOMEM. */
ls_err sym_variable_types_read(struct sym_finding *f);

#endif
