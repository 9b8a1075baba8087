/* SPDX-License-Identifier: BSD-3-Clause */
/* Walking debugging entries that may be damaged: always forwards, never deeper than any real program nests. */
#ifndef SYM_DIES_H
#define SYM_DIES_H

#include "symbols/sym_demangle.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

enum { SYM_DIE_DEPTH_MAX = 64 };

/* Find the first child of parent, or the next sibling of *die; false: there is none, or it is not after the
 * current entry. */
bool sym_die_child(Dwarf_Die *parent, Dwarf_Die *out);
bool sym_die_next(Dwarf_Die *die);

/* Name of the function or variable that die is, or is a copy of: by its linkage name, else by its name. NULL:
 * none.  Valid until the next use of d. */
const char *sym_die_name(Dwarf_Die *die, struct sym_demangler *d);
/* An attribute of die, or of the entry it is a copy of, as number.  False: none. */
bool sym_die_number(Dwarf_Die *die, unsigned attribute, uint64_t *out);
bool sym_die_is_fortran(Dwarf_Die *unit);

#endif
