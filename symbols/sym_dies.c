/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_dies.h"

#include "common/ls_sorted.h"
#include "common/ls_vector.h"
#include "symbols/sym_debug.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

bool sym_die_child(Dwarf_Die *parent, Dwarf_Die *out)
{
    return dwarf_child(parent, out) == 0 && dwarf_dieoffset(out) > dwarf_dieoffset(parent);
}

bool sym_die_next(Dwarf_Die *die)
{
    const Dwarf_Off at = dwarf_dieoffset(die);
    Dwarf_Die next;
    if (dwarf_siblingof(die, &next) != 0 || dwarf_dieoffset(&next) <= at) return false;
    *die = next;
    return true;
}

static const char *sym_die_text(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute found;
    return dwarf_formstring(dwarf_attr_integrate(die, attribute, &found));
}

const char *sym_die_name(Dwarf_Die *die, struct sym_demangler *d)
{
    const char *linkage = sym_die_text(die, DW_AT_linkage_name);
    if (!linkage) linkage = sym_die_text(die, DW_AT_MIPS_linkage_name);
    if (linkage) return sym_demangle(d, linkage);
    return sym_die_text(die, DW_AT_name);
}

bool sym_die_number(Dwarf_Die *die, unsigned attribute, uint64_t *out)
{
    Dwarf_Attribute found;
    Dwarf_Word value;
    if (dwarf_formudata(dwarf_attr_integrate(die, attribute, &found), &value) != 0) return false;
    *out = value;
    return true;
}

bool sym_die_is_fortran(Dwarf_Die *unit)
{
    static const int languages[] = {DW_LANG_Fortran77, DW_LANG_Fortran90, DW_LANG_Fortran95,
                                    DW_LANG_Fortran03, DW_LANG_Fortran08};
    const int language = dwarf_srclang(unit);
    for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++)
        if (language == languages[i]) return true;
    return false;
}

bool sym_tag_holds_functions(int tag)
{
    switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
        return true;
    default:
        return false;
    }
}

/* DW_OP_addr X [plus_uconst n], or an offset in thread-local storage. */
static bool sym_location_of_ops(const Dwarf_Op *ops, size_t len, uint64_t bias, struct sym_location *out)
{
    if (len == 0 || len > 2) return false;
    *out = (struct sym_location){.at = ops[0].number + bias};
    if (len == 1) return ops[0].atom == DW_OP_addr;
    if (ops[1].atom == DW_OP_plus_uconst && ops[0].atom == DW_OP_addr) {
        out->at += ops[1].number;
        return true;
    }
    *out = (struct sym_location){.at = ops[0].number, .is_tls = true};
    return ops[1].atom == DW_OP_form_tls_address || ops[1].atom == DW_OP_GNU_push_tls_address;
}

bool sym_die_location(Dwarf_Die *die, uint64_t bias, struct sym_location *out)
{
    Dwarf_Attribute found, address;
    Dwarf_Op *ops;
    size_t len;
    Dwarf_Addr at;
    if (!dwarf_attr(die, DW_AT_location, &found) || dwarf_getlocation(&found, &ops, &len) != 0) return false;
    if (len == 1 && (ops[0].atom == DW_OP_addrx || ops[0].atom == DW_OP_GNU_addr_index)) {
        if (dwarf_getlocation_attr(&found, &ops[0], &address) != 0 || dwarf_formaddr(&address, &at) != 0)
            return false;
        *out = (struct sym_location){.at = at + bias};
        return true;
    }
    return sym_location_of_ops(ops, len, bias, out);
}

/* --- entries --- */

bool sym_entry_has(const struct sym_entry *e, unsigned attribute)
{
    Dwarf_Attribute found;
    return sym_entry_attribute(e, attribute, &found) != NULL;
}

const char *sym_entry_name(const struct sym_entry *e)
{
    const char *own = sym_entry_text(e, DW_AT_name);
    if (own || !sym_entry_may_have(e, SYM_ATTRIBUTE_BIT(DW_AT_specification) |
                                          SYM_ATTRIBUTE_BIT(DW_AT_abstract_origin)))
        return own;
    Dwarf_Die die = sym_entry_die(e);
    return dwarf_diename(&die);
}

/* Most locations are an address, or a place in a frame: the code of a function has thousands of these. */
bool sym_entry_location(const struct sym_entry *e, uint64_t bias, struct sym_location *out)
{
    Dwarf_Attribute found;
    Dwarf_Block block;
    if (!sym_entry_attribute(e, DW_AT_location, &found) || dwarf_formblock(&found, &block) != 0 ||
        block.length == 0)
        return false;
    const uint8_t op = block.data[0];
    if (op == DW_OP_fbreg || (op >= DW_OP_reg0 && op <= DW_OP_breg31)) return false;
    if (op == DW_OP_addr && block.length == 1 + sizeof(out->at)) {
        memcpy(&out->at, block.data + 1, sizeof(out->at));
        out->at += bias;
        out->is_tls = false;
        return true;
    }
    Dwarf_Die die = sym_entry_die(e);
    return sym_die_location(&die, bias, out);
}

/* Code in one piece. */
static bool sym_entry_whole(const struct sym_entry *e, Dwarf_Addr *out_base, Dwarf_Addr *out_end)
{
    Dwarf_Attribute low, high;
    Dwarf_Word len_bytes;
    if (!sym_entry_attribute(e, DW_AT_low_pc, &low) || !sym_entry_attribute(e, DW_AT_high_pc, &high) ||
        dwarf_formaddr(&low, out_base) != 0)
        return false;
    if (dwarf_formaddr(&high, out_end) == 0) return true;
    if (dwarf_formudata(&high, &len_bytes) != 0) return false;
    *out_end = *out_base + len_bytes;
    return true;
}

bool sym_entry_piece(const struct sym_entry *e, struct sym_pieces *p, Dwarf_Addr *out_base,
                     Dwarf_Addr *out_end)
{
    if (p->at == 0 && sym_entry_whole(e, out_base, out_end)) {
        p->at = 1; /* as dwarf_ranges does */
        return true;
    }
    if (p->at == 1 || !sym_entry_may_have(e, SYM_ATTRIBUTE_BIT(DW_AT_ranges))) return false;
    Dwarf_Die die = sym_entry_die(e);
    p->at = dwarf_ranges(&die, p->at, &p->base, out_base, out_end);
    return p->at > 0;
}

/* --- units --- */

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

void sym_units_read(struct sym_units *u, Dwarf *dwarf, const char *path)
{
    Dwarf_CU *cu = NULL, *next;
    Dwarf_Die die, body;
    Dwarf_Off last = 0;
    uint8_t kind; /* libdw looks for the split files of skeletons only */
    for (; dwarf_get_units(dwarf, cu, &next, NULL, &kind, &die, NULL) == 0; cu = next) {
        body = (Dwarf_Die){0};
        if (die.addr && kind == DW_UT_skeleton && sym_debug_may_split(&die, path))
            dwarf_get_units(dwarf, cu, &next, NULL, NULL, &die, &body);
        if (dwarf_dieoffset(&die) <= last) break; /* a circle */
        last = dwarf_dieoffset(&die);
        if (die.addr && !sym_units_add(u, die, body)) break;
    }
    if (u->len > 0) qsort(u->rows, u->len, sizeof(*u->rows), sym_compare_units);
}

void sym_units_fini(struct sym_units *u)
{
    sym_walk_fini(&u->walk);
    free(u->units);
    free(u->rows);
    *u = (struct sym_units){0};
}

struct sym_unit *sym_units_find(const struct sym_units *u, uint64_t at)
{
    size_t from; /* rows before from begin at or before at */
    LS_COUNT_FIRST(from, u->len, i, u->rows[i].base <= at);
    if (from == 0 || at >= u->rows[from - 1].end) return NULL;
    return &u->units[u->rows[from - 1].unit];
}
