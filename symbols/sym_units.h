/* SPDX-License-Identifier: BSD-3-Clause */
/* Find the compilation unit of an address, even without .debug_aranges (clang and rustc write none).
 * Addresses are those in the DWARF. */
#ifndef SYM_UNITS_H
#define SYM_UNITS_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

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
    struct sym_unit *units;
    size_t units_len, units_room;
    struct sym_unit_range *rows; /* sorted by base */
    size_t len, room;
};

/* Read the units. Without memory or DWARF there are fewer, or none. */
void sym_units_read(struct sym_units *u, Dwarf *dwarf);
void sym_units_fini(struct sym_units *u);
/* The unit that holds the address, NULL: none. */
struct sym_unit *sym_units_find(const struct sym_units *u, uint64_t at);

#endif
