/* SPDX-License-Identifier: BSD-3-Clause */
/* Types and variables of units by name, and functions by address. Each unit is read once, when it is asked about: programs
 * have units with hundreds of thousands of entries, and many questions about each. */
#ifndef SYM_NAMES_H
#define SYM_NAMES_H

#include "common/ls_index.h"
#include "symbols/sym_dies.h"

/* A piece of the machine code of a function. */
struct sym_piece {
    uint64_t base, end;
    struct sym_entry entry;
};
struct sym_unit_names;

/* Zeroed, apart from `units`, is empty. */
struct sym_names {
    struct sym_units *units;
    struct sym_unit_names *of_units; /* one for each */
    struct sym_entry *entries;       /* named ones; the first of a name in its unit, or in the file */
    size_t entries_len, entries_room;
    struct ls_index by_name;
    struct sym_piece *pieces;
    size_t pieces_len, pieces_room;
    uint32_t visits;
    bool has_all; /* types and variables of the whole file have been read */
    bool is_cut;  /* limits were reached, or memory ran out: entries are missing */
};

/* Is the entry's name `name`, apart from blanks? */
bool sym_is_spelled(const struct sym_entry *e, const char *name);

/* Is it a type that has a name, and is more than a declaration? */
bool sym_is_named_type(const struct sym_entry *e);
/* Find the unit that the entry imports. */
bool sym_imported_unit(struct sym_walk *walk, const struct sym_entry *e, struct sym_entry *out);

/* Find a defined type in the unit, or in all units of the file. */
bool sym_names_type(struct sym_names *n, const struct sym_unit *unit, const char *name, Dwarf_Die *out);
bool sym_names_type_anywhere(struct sym_names *n, const char *name, Dwarf_Die *out);
/* Find a variable outside of functions in the unit, or in all units of the file. */
bool sym_names_variable(struct sym_names *n, const struct sym_unit *unit, const char *name, Dwarf_Die *out);
bool sym_names_variable_anywhere(struct sym_names *n, const char *name, Dwarf_Die *out);
/* Find the function at an address in the DWARF. */
bool sym_names_function(struct sym_names *n, const struct sym_unit *unit, uint64_t at, Dwarf_Die *out);
void sym_names_fini(struct sym_names *n);

#endif
