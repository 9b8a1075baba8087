/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_names.h"

#include "common/ls_hash.h"
#include "common/ls_sorted.h"
#include "common/ls_vector.h"

#include <dwarf.h>
#include <stdlib.h>

/* Limits of one file: entries that are visited (seconds), entries with names (a gigabyte), and nesting. */
enum { SYM_NAMES_VISITS_MAX = 128 << 20, SYM_NAMES_MAX = 8 << 20, SYM_NAMES_DEPTH_MAX = 8 };

enum sym_names_kind { SYM_NAMES_TYPES = 1, SYM_NAMES_VARIABLES = 2, SYM_NAMES_FUNCTIONS = 4 };

struct sym_unit_names {
    size_t first_piece, pieces_len; /* sorted by base */
    bool is_read, has_nested;       /* has_nested: also functions in functions */
};

/* A walk through a unit. */
struct sym_names_walk {
    struct sym_names *n;
    uint64_t scope; /* distinguishes the names of units; 0: the whole file */
    int kinds;
    bool nested; /* of functions, read those in functions, too */
};

bool sym_is_spelled(const struct sym_entry *e, const char *name)
{
    const char *own = sym_entry_name(e);
    if (!own) return false;
    for (;; own++, name++) {
        while (*own == ' ')
            own++;
        while (*name == ' ')
            name++;
        if (*own != *name) return false;
        if (!*own) return true;
    }
}

static uint64_t sym_name_key(uint64_t scope, enum sym_names_kind kind, const char *name)
{
    uint64_t hash = ls_hash_bytes(LS_HASH_BEGIN, &kind, sizeof(kind));
    for (; *name; name++)
        if (*name != ' ') hash = ls_hash_bytes(hash, name, 1);
    return ls_index_key(hash, scope);
}

static void sym_names_put(const struct sym_names_walk *w, enum sym_names_kind kind, const struct sym_entry *e)
{
    struct sym_names *n = w->n;
    const char *name = sym_entry_name(e);
    if (!name) return;
    const uint64_t key = sym_name_key(w->scope, kind, name);
    if (ls_index_find(&n->by_name, key) != LS_INDEX_NONE) return;
    if (n->entries_len >= SYM_NAMES_MAX ||
        LS_GROW(n->entries, n->entries_room, n->entries_len + 1) != LS_OK ||
        ls_index_put(&n->by_name, key, (uint32_t)n->entries_len) != LS_OK) {
        n->is_cut = true;
        return;
    }
    n->entries[n->entries_len++] = *e;
}

static bool sym_names_get(const struct sym_names *n, uint64_t scope, enum sym_names_kind kind,
                          const char *name, Dwarf_Die *out)
{
    const uint32_t row = ls_index_find(&n->by_name, sym_name_key(scope, kind, name));
    if (row == LS_INDEX_NONE) return false;
    *out = sym_entry_die(&n->entries[row]);
    return sym_is_spelled(&n->entries[row], name);
}

static void sym_names_put_function(struct sym_names *n, const struct sym_entry *e)
{
    struct sym_pieces pieces = {0};
    Dwarf_Addr base, end;
    while (sym_entry_piece(e, &pieces, &base, &end)) {
        if (base >= end) continue;
        if (LS_GROW(n->pieces, n->pieces_room, n->pieces_len + 1) != LS_OK) {
            n->is_cut = true;
            return;
        }
        n->pieces[n->pieces_len++] = (struct sym_piece){base, end, *e};
    }
}

bool sym_is_named_type(const struct sym_entry *e)
{
    switch (sym_entry_tag(e)) {
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_typedef:
    case DW_TAG_base_type:
    case DW_TAG_enumeration_type:
        return !sym_entry_has(e, DW_AT_declaration) || sym_entry_has(e, DW_AT_signature);
    default:
        return false;
    }
}

/* The kinds of entries that an entry may hold. */
static int sym_names_kinds_in(int tag, bool nested)
{
    if (nested && sym_tag_holds_functions(tag)) return SYM_NAMES_FUNCTIONS;
    switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
        return SYM_NAMES_TYPES | SYM_NAMES_VARIABLES | SYM_NAMES_FUNCTIONS;
    case DW_TAG_common_block:
        return SYM_NAMES_VARIABLES;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_imported_unit: /* of dwz */
        return SYM_NAMES_TYPES;
    default:
        return 0;
    }
}

bool sym_imported_unit(struct sym_walk *walk, const struct sym_entry *e, struct sym_entry *out)
{
    Dwarf_Attribute found;
    Dwarf_Die unit;
    return dwarf_formref_die(sym_entry_attribute(e, DW_AT_import, &found), &unit) &&
           sym_entry_of(walk, &unit, out);
}

static void sym_names_walk_below(struct sym_names_walk w, const struct sym_entry *parent, int depth)
{
    struct sym_entry e, unit;
    const int kinds = w.kinds;
    if (depth > (w.nested ? SYM_DIE_DEPTH_MAX : SYM_NAMES_DEPTH_MAX) || !sym_entry_child(parent, &e)) return;
    do {
        const int tag = sym_entry_tag(&e);
        if (++w.n->visits > SYM_NAMES_VISITS_MAX) w.n->is_cut = true;
        if (w.n->visits > SYM_NAMES_VISITS_MAX) return;
        if ((kinds & SYM_NAMES_TYPES) && sym_is_named_type(&e)) sym_names_put(&w, SYM_NAMES_TYPES, &e);
        if ((kinds & SYM_NAMES_VARIABLES) && tag == DW_TAG_variable)
            sym_names_put(&w, SYM_NAMES_VARIABLES, &e);
        if ((kinds & SYM_NAMES_FUNCTIONS) && tag == DW_TAG_subprogram) sym_names_put_function(w.n, &e);
        w.kinds = kinds & sym_names_kinds_in(tag, w.nested);
        if (!w.kinds) continue;
        if (tag != DW_TAG_imported_unit)
            sym_names_walk_below(w, &e, depth + 1);
        else if (sym_imported_unit(&w.n->units->walk, &e, &unit))
            sym_names_walk_below(w, &unit, depth + 1);
    } while (sym_entry_next(&e));
}

static int sym_compare_pieces(const void *a, const void *b)
{
    const struct sym_piece *x = a, *y = b;
    return (x->base > y->base) - (x->base < y->base);
}

/* Read kinds of entries of the unit at this row. */
static void sym_names_read(struct sym_names *n, size_t row, int kinds, bool nested)
{
    struct sym_unit_names *u = &n->of_units[row];
    const struct sym_names_walk w = {n, row + 1, kinds, nested};
    struct sym_entry body;
    *u = (struct sym_unit_names){.first_piece = n->pieces_len, .is_read = true, .has_nested = nested};
    if (sym_entry_of(&n->units->walk, &n->units->units[row].body, &body)) sym_names_walk_below(w, &body, 0);
    u->pieces_len = n->pieces_len - u->first_piece;
    if (u->pieces_len > 0)
        qsort(n->pieces + u->first_piece, u->pieces_len, sizeof(*n->pieces), sym_compare_pieces);
}

/* The number of the unit, from 1; its names have been read. 0: memory ran out. */
static uint64_t sym_names_unit(struct sym_names *n, const struct sym_unit *unit)
{
    if (!n->of_units) n->of_units = calloc(n->units->units_len, sizeof(*n->of_units));
    if (!n->of_units) n->is_cut = true;
    if (!n->of_units) return 0;
    const size_t row = (size_t)(unit - n->units->units);
    if (!n->of_units[row].is_read)
        sym_names_read(n, row, SYM_NAMES_TYPES | SYM_NAMES_VARIABLES | SYM_NAMES_FUNCTIONS, false);
    return row + 1;
}

bool sym_names_type(struct sym_names *n, const struct sym_unit *unit, const char *name, Dwarf_Die *out)
{
    const uint64_t scope = sym_names_unit(n, unit);
    return scope && sym_names_get(n, scope, SYM_NAMES_TYPES, name, out);
}

bool sym_names_variable(struct sym_names *n, const struct sym_unit *unit, const char *name, Dwarf_Die *out)
{
    const uint64_t scope = sym_names_unit(n, unit);
    return scope && sym_names_get(n, scope, SYM_NAMES_VARIABLES, name, out);
}

static void sym_names_read_all(struct sym_names *n)
{
    const struct sym_names_walk w = {n, 0, SYM_NAMES_TYPES | SYM_NAMES_VARIABLES, false};
    struct sym_entry body;
    for (size_t i = 0; !n->has_all && i < n->units->units_len; i++)
        if (sym_entry_of(&n->units->walk, &n->units->units[i].body, &body)) sym_names_walk_below(w, &body, 0);
    n->has_all = true;
}

bool sym_names_type_anywhere(struct sym_names *n, const char *name, Dwarf_Die *out)
{
    sym_names_read_all(n);
    return sym_names_get(n, 0, SYM_NAMES_TYPES, name, out);
}

bool sym_names_variable_anywhere(struct sym_names *n, const char *name, Dwarf_Die *out)
{
    sym_names_read_all(n);
    return sym_names_get(n, 0, SYM_NAMES_VARIABLES, name, out);
}

static bool sym_names_piece(const struct sym_names *n, const struct sym_unit_names *u, uint64_t at,
                            Dwarf_Die *out)
{
    const struct sym_piece *rows = n->pieces + u->first_piece;
    size_t from; /* rows before from begin at or before at */
    LS_COUNT_FIRST(from, u->pieces_len, i, rows[i].base <= at);
    if (from == 0 || at >= rows[from - 1].end) return false;
    *out = sym_entry_die(&rows[from - 1].entry);
    return true;
}

bool sym_names_function(struct sym_names *n, const struct sym_unit *unit, uint64_t at, Dwarf_Die *out)
{
    const uint64_t scope = sym_names_unit(n, unit);
    if (!scope) return false;
    const struct sym_unit_names *u = &n->of_units[scope - 1];
    if (sym_names_piece(n, u, at, out)) return true;
    if (u->has_nested) return false;
    sym_names_read(n, scope - 1, SYM_NAMES_FUNCTIONS, true);
    return sym_names_piece(n, u, at, out);
}

void sym_names_fini(struct sym_names *n)
{
    free(n->of_units);
    free(n->entries);
    free(n->pieces);
    ls_index_fini(&n->by_name);
    *n = (struct sym_names){0};
}
