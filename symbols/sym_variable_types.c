/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_variables.h"

#include "common/ls_sorted.h"

#include "symbols/sym_dies.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

/* State of a walk through the entries of a unit. */
struct sym_type_walk {
    struct sym_finding *f;
    size_t known_len;     /* rows that are sorted */
    const char *function; /* around, NULL: none */
    bool enters_functions;
    int depth;
};

static bool sym_type_of(Dwarf_Die *die, Dwarf_Die *out)
{
    Dwarf_Attribute found;
    Dwarf_Die type;
    return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &found), &type) &&
           dwarf_peel_type(&type, out) == 0;
}

/* Bytes of an element when die is an array, else 0. */
static uint64_t sym_elem_size(Dwarf_Die *die)
{
    Dwarf_Die type, element;
    Dwarf_Word bytes;
    if (!sym_type_of(die, &type) || dwarf_tag(&type) != DW_TAG_array_type) return 0;
    for (int depth = 0; depth < SYM_DIE_DEPTH_MAX && sym_type_of(&type, &element); depth++) {
        if (dwarf_tag(&element) != DW_TAG_array_type)
            return dwarf_aggregate_size(&element, &bytes) == 0 ? bytes : 0;
        type = element;
    }
    return 0;
}

static uint64_t sym_size(Dwarf_Die *die)
{
    Dwarf_Die type;
    Dwarf_Word bytes;
    return sym_type_of(die, &type) && dwarf_aggregate_size(&type, &bytes) == 0 ? bytes : 0;
}

/* The largest row that begins at the location. */
static struct sym_found *sym_row_at(const struct sym_type_walk *w, struct sym_location location)
{
    size_t from;
    LS_COUNT_FIRST(from, w->known_len, i,
                   w->f->rows[i].is_tls != location.is_tls ? !w->f->rows[i].is_tls
                                                           : w->f->rows[i].base < location.at);
    struct sym_found *row = &w->f->rows[from];
    return from < w->known_len && row->base == location.at && row->is_tls == location.is_tls ? row : NULL;
}

/* Compilers number the statics of functions: counter.0, x.4021. C++ names contain the function. */
static bool sym_is_numbered(const char *linker)
{
    const char *dot = strrchr(linker, '.');
    return dot && dot != linker && dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1);
}

static void sym_note_variable(struct sym_type_walk *w, const struct sym_entry *e)
{
    struct sym_location location;
    char text[1024];
    if (!sym_entry_location(e, w->f->elf->dwarf_bias, &location)) return;
    struct sym_found *row = sym_row_at(w, location);
    if (!row) return;
    Dwarf_Die die = sym_entry_die(e);
    row->elem_size_bytes = sym_elem_size(&die);
    const char *name = sym_entry_name(e);
    if (!w->function || !name || !sym_is_numbered(sym_draft_text_at(w->f->draft, row->linker))) return;
    snprintf(text, sizeof(text), "%.500s::%.500s", w->function, name);
    row->name = sym_draft_text(w->f->draft, text);
}

static ls_err sym_note_member(struct sym_type_walk *w, Dwarf_Die *die, const struct sym_found *block)
{
    struct sym_location location;
    const uint64_t len = sym_size(die);
    const char *name = dwarf_diename(die);
    if (dwarf_tag(die) != DW_TAG_variable || !name || len == 0 ||
        !sym_die_location(die, w->f->elf->dwarf_bias, &location) || location.is_tls)
        return LS_OK;
    if (location.at < block->base || location.at >= block->end || len > block->end - location.at)
        return LS_OK;
    const struct sym_found row = {.base = location.at,
                                  .end = location.at + len,
                                  .elem_size_bytes = sym_elem_size(die),
                                  .name = sym_draft_text(w->f->draft, name),
                                  .linker = block->linker,
                                  .rank = SYM_RANK_MEMBER};
    return sym_finding_add(w->f, row);
}

/* The row that holds the location and is linked under this name. */
static struct sym_found *sym_block_around(const struct sym_type_walk *w, struct sym_location location,
                                          const char *linker)
{
    size_t from; /* rows before from begin at or before the location */
    LS_COUNT_FIRST(from, w->known_len, i, !w->f->rows[i].is_tls && w->f->rows[i].base <= location.at);
    if (from == 0 || location.is_tls) return NULL;
    struct sym_found *row = &w->f->rows[from - 1];
    const bool is_named = strcmp(sym_draft_text_at(w->f->draft, row->linker), linker) == 0;
    return location.at < row->end && is_named ? row : NULL;
}

/* The block itself has no location in gfortran's DWARF, its members have. */
static struct sym_found *sym_block_of(const struct sym_type_walk *w, Dwarf_Die *die, const char *name)
{
    Dwarf_Attribute found;
    Dwarf_Die member;
    struct sym_location location;
    const char *linker = dwarf_formstring(dwarf_attr(die, DW_AT_linkage_name, &found));
    if (!linker) linker = name;
    if (sym_die_location(die, w->f->elf->dwarf_bias, &location)) return sym_row_at(w, location);
    if (!linker || !sym_die_child(die, &member)) return NULL;
    do
        if (sym_die_location(&member, w->f->elf->dwarf_bias, &location))
            return sym_block_around(w, location, linker);
    while (sym_die_next(&member));
    return NULL;
}

/* Program units may divide a COMMON block into members differently; the first division is used. */
static ls_err sym_note_common(struct sym_type_walk *w, Dwarf_Die *die)
{
    char text[256] = "blank COMMON";
    Dwarf_Die member;
    const char *name = dwarf_diename(die);
    struct sym_found *row = sym_block_of(w, die, name);
    if (!row || row->rank == SYM_RANK_BLOCK) return LS_OK;
    if (name && strcmp(name, "__BLNK__") != 0) snprintf(text, sizeof(text), "/%.200s/", name);
    row->name = sym_draft_text(w->f->draft, text);
    row->rank = SYM_RANK_BLOCK;
    const struct sym_found block = *row;
    if (!sym_die_child(die, &member)) return LS_OK;
    do
        LS_TRY(sym_note_member(w, &member, &block));
    while (sym_die_next(&member));
    return LS_OK;
}

static bool sym_is_entered(const struct sym_type_walk *w, int tag)
{
    switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
        return true;
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
    case DW_TAG_inlined_subroutine:
        return w->enters_functions;
    default:
        return false;
    }
}

static ls_err sym_walk_types(struct sym_type_walk w, const struct sym_entry *parent)
{
    struct sym_entry e;
    if (w.depth > SYM_DIE_DEPTH_MAX || !sym_entry_child(parent, &e)) return LS_OK;
    do {
        const int tag = sym_entry_tag(&e);
        if (tag == DW_TAG_variable) sym_note_variable(&w, &e);
        if (tag == DW_TAG_common_block) {
            Dwarf_Die die = sym_entry_die(&e);
            LS_TRY(sym_note_common(&w, &die));
        }
        if (!sym_is_entered(&w, tag)) continue;
        struct sym_type_walk inner = w;
        inner.depth++;
        if (tag == DW_TAG_subprogram) inner.function = sym_entry_name(&e);
        LS_TRY(sym_walk_types(inner, &e));
    } while (sym_entry_next(&e));
    return LS_OK;
}

static bool sym_has_numbered(const struct sym_finding *f)
{
    for (size_t i = 0; i < f->len; i++)
        if (sym_is_numbered(sym_draft_text_at(f->draft, f->rows[i].linker))) return true;
    return false;
}

ls_err sym_variable_types_read(struct sym_finding *f)
{
    struct sym_units *units = f->elf->units;
    struct sym_entry body;
    const bool has_numbered = sym_has_numbered(f);
    ls_err e = LS_OK;
    struct sym_type_walk w = {.f = f, .known_len = f->len};
    for (size_t i = 0; i < units->units_len && e == LS_OK; i++) {
        w.enters_functions = has_numbered || sym_die_is_fortran(&units->units[i].body);
        if (sym_entry_of(&units->walk, &units->units[i].body, &body)) e = sym_walk_types(w, &body);
    }
    return e;
}
