/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_units.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdlib.h>

static bool sym_units_add(struct sym_units *u, struct sym_unit_range row)
{
    if (u->len == u->room) {
        const size_t room = u->room ? 2 * u->room : 64;
        struct sym_unit_range *rows = realloc(u->rows, room * sizeof(*rows));
        if (!rows) return false;
        u->rows = rows;
        u->room = room;
    }
    u->rows[u->len++] = row;
    return true;
}

static int sym_compare_units(const void *a, const void *b)
{
    const struct sym_unit_range *x = a, *y = b;
    return (x->base > y->base) - (x->base < y->base);
}

static bool sym_units_add_unit(struct sym_units *u, Dwarf_Die *unit, uint64_t bias)
{
    ptrdiff_t at = 0;
    Dwarf_Addr ignored, base, end;
    while ((at = dwarf_ranges(unit, at, &ignored, &base, &end)) > 0)
        if (base < end && !sym_units_add(u, (struct sym_unit_range){base + bias, end + bias, *unit}))
            return false;
    return true;
}

void sym_units_read(struct sym_units *u, Dwfl_Module *module)
{
    Dwarf_Addr bias = 0;
    for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(module, unit, &bias)) != NULL;)
        if (!sym_units_add_unit(u, unit, bias)) break;
    u->bias = bias;
    if (u->len > 0) qsort(u->rows, u->len, sizeof(*u->rows), sym_compare_units);
}

void sym_units_fini(struct sym_units *u)
{
    free(u->rows);
    *u = (struct sym_units){0};
}

Dwarf_Line *sym_units_line(struct sym_units *u, uint64_t ip)
{
    size_t from = 0, to = u->len; /* rows before from begin at or before ip */
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (u->rows[middle].base <= ip)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == 0 || ip >= u->rows[from - 1].end) return NULL;
    return dwarf_getsrc_die(&u->rows[from - 1].unit, ip - u->bias);
}
