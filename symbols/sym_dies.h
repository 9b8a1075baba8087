/* SPDX-License-Identifier: BSD-3-Clause */
/* Debugging entries that may be damaged: their names, code and locations, and the units of a file. */
#ifndef SYM_DIES_H
#define SYM_DIES_H

#include "symbols/sym_demangle.h"
#include "symbols/sym_walk.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SYM_DIE_DEPTH_MAX = 64 };

/* Find the first child of parent, or the next sibling of *die; false: there is none, or it is not after the
 * current entry. */
bool sym_die_child(Dwarf_Die *parent, Dwarf_Die *out);
bool sym_die_next(Dwarf_Die *die);

/* Name of the function or variable that die is, or is a copy of: by its linkage name, else by its name. NULL:
 * none.  Valid until the next use of d. */
const char *sym_die_name(Dwarf_Die *die, struct sym_demangler *d);
/* Read an attribute as a number, from die or from the entry that die is a copy of. False: there is none. */
bool sym_die_number(Dwarf_Die *die, unsigned attribute, uint64_t *out);
/* The location of a variable that does not change. */
struct sym_location {
    uint64_t at; /* linked address, or offset in a thread's block */
    bool is_tls;
};
/* bias: linked address minus address in the DWARF.  False: it has no such location. */
bool sym_die_location(Dwarf_Die *die, uint64_t bias, struct sym_location *out);
bool sym_die_is_fortran(Dwarf_Die *unit);
/* May entries with this tag hold functions? Most functions are in units, name spaces, modules and types. Nested functions,
 * functions of local types, and functions that GCC makes of OpenMP's regions are in functions and their blocks. */
bool sym_tag_holds_functions(int tag);

/* --- the same for entries --- */

/* Does the entry itself have the attribute? */
bool sym_entry_has(const struct sym_entry *e, unsigned attribute);
/* The name of the entry, or of the one that it completes or is a copy of. NULL: none. */
const char *sym_entry_name(const struct sym_entry *e);
bool sym_entry_location(const struct sym_entry *e, uint64_t bias, struct sym_location *out);
/* A walk over the pieces of an entry's code; zeroed before the first one. */
struct sym_pieces {
    ptrdiff_t at;
    Dwarf_Addr base; /* to which dwarf_ranges adds later pieces */
};
/* Get the next piece of the entry's code. False: there are no more. */
bool sym_entry_piece(const struct sym_entry *e, struct sym_pieces *p, Dwarf_Addr *out_base,
                     Dwarf_Addr *out_end);

/* --- units ---
 *
 * Find the compilation unit of an address, even without .debug_aranges (clang and rustc write none).
 * Addresses are those in the DWARF. */

struct sym_unit_range {
    uint64_t base, end;
    uint32_t unit; /* row of units */
};
struct sym_unit {
    Dwarf_Die die;  /* has the line table */
    Dwarf_Die body; /* has the functions: die itself, or the unit of a .dwo file */
};

/* Zeroed is empty. */
struct sym_units {
    struct sym_walk walk; /* through their entries */
    struct sym_unit *units;
    size_t units_len, units_room;
    struct sym_unit_range *rows; /* sorted by base */
    size_t len, room;
};

/* Read the units of the file at path. Without memory or DWARF there are fewer, or none. */
void sym_units_read(struct sym_units *u, Dwarf *dwarf, const char *path);
void sym_units_fini(struct sym_units *u);
/* The unit that holds the address, NULL: none. */
struct sym_unit *sym_units_find(const struct sym_units *u, uint64_t at);

#endif
