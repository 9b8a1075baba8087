/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_units.h"

#include "common/ls_vector.h"

#include <stdbool.h>
#include <stdlib.h>

static bool sym_units_add_range(struct sym_units *u, struct sym_unit_range row)
{
    if (LS_GROW(u->rows, u->room, u->len + 1) != LS_OK) return false;
    u->rows[u->len++] = row;
    return true;
}

static int sym_compare_units(const void *a, const void *b)
{
    const struct sym_unit_range *x = a, *y = b;
    return (x->base > y->base) - (x->base < y->base);
}

static bool sym_units_add(struct sym_units *u, Dwarf_Die die, Dwarf_Die body)
{
    ptrdiff_t at = 0;
    Dwarf_Addr ignored, base, end;
    if (LS_GROW(u->units, u->units_room, u->units_len + 1) != LS_OK) return false;
    u->units[u->units_len] = (struct sym_unit){die, body.addr ? body : die};
    while ((at = dwarf_ranges(&die, at, &ignored, &base, &end)) > 0)
        if (base < end && !sym_units_add_range(u, (struct sym_unit_range){base, end, (uint32_t)u->units_len}))
            return false;
    u->units_len++;
    return true;
}

void sym_units_read(struct sym_units *u, Dwarf *dwarf)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die die, body;
    Dwarf_Off last = 0;
    while (dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, &body) == 0) {
        if (dwarf_dieoffset(&die) <= last) break; /* a circle */
        last = dwarf_dieoffset(&die);
        if (die.addr && !sym_units_add(u, die, body)) break;
    }
    if (u->len > 0) qsort(u->rows, u->len, sizeof(*u->rows), sym_compare_units);
}

void sym_units_fini(struct sym_units *u)
{
    free(u->units);
    free(u->rows);
    *u = (struct sym_units){0};
}

struct sym_unit *sym_units_find(const struct sym_units *u, uint64_t at)
{
    size_t from = 0, to = u->len; /* rows before from begin at or before at */
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (u->rows[middle].base <= at)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == 0 || at >= u->rows[from - 1].end) return NULL;
    return &u->units[u->rows[from - 1].unit];
}
