/* SPDX-License-Identifier: BSD-3-Clause */
/* Which compilation unit an address is in, for modules without .debug_aranges (clang and rustc write none).
 */
#ifndef SYM_UNITS_H
#define SYM_UNITS_H

#include <elfutils/libdwfl.h>
#include <stddef.h>
#include <stdint.h>

struct sym_unit_range {
    uint64_t base, end;
    Dwarf_Die unit;
};

/* Zeroed is empty. */
struct sym_units {
    struct sym_unit_range *rows; /* sorted by base */
    size_t len, room;
    uint64_t bias;
};

/* Read the units of module. Without memory or DWARF there are fewer, or none. */
void sym_units_read(struct sym_units *u, Dwfl_Module *module);
void sym_units_fini(struct sym_units *u);
/* The line at ip, NULL: not known. */
Dwarf_Line *sym_units_line(struct sym_units *u, uint64_t ip);

#endif
