/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_typist.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of entries that the searches of one question, and of all, visit; types beyond it are lost. */
enum { SYM_QUESTION_VISITS_MAX = 4 << 20, SYM_VISITS_MAX = 128 << 20 };

bool sym_visit(struct sym_typist *t)
{
    if (++t->visits < SYM_VISITS_MAX && ++t->question_visits < SYM_QUESTION_VISITS_MAX) return true;
    t->is_cut = true;
    return false;
}

/* --- scopes --- */

static bool sym_entry_covers(const struct sym_entry *e, uint64_t address)
{
    struct sym_pieces pieces = {0};
    Dwarf_Addr base, end;
    while (sym_entry_piece(e, &pieces, &base, &end))
        if (address >= base && address < end) return true;
    return false;
}

static void sym_scopes_enter(struct sym_typist *t, const struct sym_entry *parent, int depth)
{
    struct sym_scopes *s = &t->scopes;
    struct sym_entry e;
    if (depth > SYM_DIE_DEPTH_MAX || !sym_entry_child(parent, &e)) return;
    do {
        const int tag = sym_entry_tag(&e);
        if (!sym_visit(t)) return;
        if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block)
            continue;
        if (s->len == SYM_SCOPES_MAX || !sym_entry_covers(&e, s->at)) continue;
        s->rows[s->len++] = sym_entry_die(&e);
        sym_scopes_enter(t, &e, depth + 1);
        return;
    } while (sym_entry_next(&e));
}

void sym_scopes_find(struct sym_typist *t, uint64_t at)
{
    struct sym_scopes *s = &t->scopes;
    if (s->unit && s->at == at) return;
    s->at = at;
    s->len = 0;
    s->unit = sym_units_find(t->units, at);
    if (!s->unit || !sym_names_function(&t->names, s->unit, at, &s->rows[0])) return;
    struct sym_entry function;
    s->len = 1;
    if (sym_entry_of(&t->units->walk, &s->rows[0], &function)) sym_scopes_enter(t, &function, 0);
}

bool sym_origin_of(Dwarf_Die *function, Dwarf_Die *out)
{
    Dwarf_Attribute found;
    *out = *function;
    for (int depth = 0; depth < SYM_STARS_MAX; depth++) {
        Dwarf_Die next;
        if (!dwarf_formref_die(dwarf_attr(out, DW_AT_abstract_origin, &found), &next) &&
            !dwarf_formref_die(dwarf_attr(out, DW_AT_specification, &found), &next))
            return depth > 0;
        *out = next;
    }
    return true;
}

bool sym_class_of(struct sym_typist *t, Dwarf_Die *function, Dwarf_Die *out)
{
    struct sym_entry around[SYM_DIE_DEPTH_MAX];
    Dwarf_Die origin, class;
    sym_origin_of(function, &origin);
    const size_t len = sym_entry_around(&t->units->walk, &origin, around, SYM_DIE_DEPTH_MAX);
    if (len == 0) return false;
    class = sym_entry_die(&around[len - 1]);
    return sym_type_is_record(&class) && sym_type_peel(&class, out, NULL);
}

/* --- variables by name --- */

static bool sym_is_named(const struct sym_entry *e, const char *name)
{
    const char *own = sym_entry_name(e);
    return own && strcmp(own, name) == 0;
}

static bool sym_variable_in(struct sym_typist *t, const struct sym_entry *parent, const char *name, int depth,
                            Dwarf_Die *out)
{
    struct sym_entry e;
    if (depth > SYM_STARS_MAX || !sym_entry_child(parent, &e)) return false;
    do {
        const int tag = sym_entry_tag(&e);
        if (!sym_visit(t)) return false;
        if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter || tag == DW_TAG_member) &&
            sym_is_named(&e, name)) {
            *out = sym_entry_die(&e);
            return true;
        }
        if ((tag == DW_TAG_namespace || tag == DW_TAG_lexical_block || tag == DW_TAG_module ||
             tag == DW_TAG_common_block) &&
            sym_variable_in(t, &e, name, depth + 1, out))
            return true;
    } while (sym_entry_next(&e));
    return false;
}

/* Find a variable of this name below parent. */
static bool sym_variable_below(struct sym_typist *t, const Dwarf_Die *parent, const char *name, int depth,
                               Dwarf_Die *out)
{
    struct sym_entry e;
    return sym_entry_of(&t->units->walk, parent, &e) && sym_variable_in(t, &e, name, depth, out);
}

bool sym_member_named(struct sym_typist *t, Dwarf_Die *record, const char *name, int depth, Dwarf_Die *out)
{
    struct sym_entry e;
    Dwarf_Die type, inner;
    if (depth > SYM_STARS_MAX || !sym_entry_of(&t->units->walk, record, &e) || !sym_entry_child(&e, &e))
        return false;
    do {
        const int tag = sym_entry_tag(&e);
        if (!sym_visit(t)) return false;
        const bool is_member = tag == DW_TAG_member || tag == DW_TAG_variable;
        if (is_member && sym_is_named(&e, name)) {
            *out = sym_entry_die(&e);
            return true;
        }
        const bool is_open = tag == DW_TAG_inheritance || (tag == DW_TAG_member && !sym_entry_name(&e));
        Dwarf_Die die = sym_entry_die(&e);
        if (is_open && sym_type_next(&die, &type) && sym_type_peel(&type, &inner, NULL) &&
            sym_type_is_record(&inner) && sym_member_named(t, &inner, name, depth + 1, out))
            return true;
    } while (sym_entry_next(&e));
    return false;
}

bool sym_variable_named(struct sym_typist *t, const char *name, Dwarf_Die *out)
{
    struct sym_scopes *s = &t->scopes;
    Dwarf_Die origin, class;
    for (size_t i = s->len; i-- > 0;) {
        if (sym_variable_below(t, &s->rows[i], name, SYM_STARS_MAX, out)) return true;
        if (dwarf_tag(&s->rows[i]) == DW_TAG_lexical_block) continue;
        if (sym_origin_of(&s->rows[i], &origin) && sym_variable_below(t, &origin, name, 0, out)) return true;
        if (sym_variable_below(t, &s->rows[i], name, 0, out)) return true;
        if (sym_class_of(t, &s->rows[i], &class) && sym_member_named(t, &class, name, 0, out)) return true;
    }
    return s->unit && sym_names_variable(&t->names, s->unit, name, out);
}

/* --- types by name --- */

static bool sym_type_in(struct sym_typist *t, const struct sym_entry *parent, const char *name, int depth,
                        Dwarf_Die *out)
{
    struct sym_entry e, unit;
    if (depth > SYM_STARS_MAX || !sym_entry_child(parent, &e)) return false;
    do {
        const int tag = sym_entry_tag(&e);
        if (!sym_visit(t)) return false;
        if (sym_is_named_type(&e) && sym_is_spelled(&e, name)) {
            *out = sym_entry_die(&e);
            return true;
        }
        if (tag == DW_TAG_template_type_parameter && sym_is_spelled(&e, name)) {
            Dwarf_Die die = sym_entry_die(&e);
            return sym_type_next(&die, out);
        }
        if (tag == DW_TAG_imported_unit && sym_imported_unit(&t->units->walk, &e, &unit) &&
            sym_type_in(t, &unit, name, depth + 1, out))
            return true;
        if ((tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type ||
             tag == DW_TAG_class_type || tag == DW_TAG_lexical_block) &&
            sym_type_in(t, &e, name, depth + 1, out))
            return true;
    } while (sym_entry_next(&e));
    return false;
}

/* Find a defined type of this name below parent; dwz and partial units are followed. */
static bool sym_type_below(struct sym_typist *t, const Dwarf_Die *parent, const char *name, int depth,
                           Dwarf_Die *out)
{
    struct sym_entry e;
    return sym_entry_of(&t->units->walk, parent, &e) && sym_type_in(t, &e, name, depth, out);
}

static bool sym_type_in_scopes(struct sym_typist *t, const char *name, Dwarf_Die *out)
{
    struct sym_scopes *s = &t->scopes;
    Dwarf_Die origin, class;
    for (size_t i = s->len; i-- > 0;) {
        if (sym_type_below(t, &s->rows[i], name, 0, out)) return true;
        if (dwarf_tag(&s->rows[i]) == DW_TAG_lexical_block) continue;
        if (sym_origin_of(&s->rows[i], &origin) && sym_type_below(t, &origin, name, 0, out)) return true;
        if (sym_class_of(t, &s->rows[i], &class) && sym_type_below(t, &class, name, 0, out)) return true;
    }
    return s->unit && sym_names_type(&t->names, s->unit, name, out);
}

/* Look a type up in all units: for definitions that the unit of the code only declares, and in type units. */
static bool sym_type_anywhere(struct sym_typist *t, const char *name, Dwarf_Die *out)
{
    return sym_names_type_anywhere(&t->names, name, out);
}

/* C's short names of types that have longer names in DWARF. */
static const char *sym_base_name(const char *name)
{
    static const char *const names[][2] = {
        {"unsigned", "unsigned int"},
        {"signed", "int"},
        {"short", "short int"},
        {"unsigned short", "short unsigned int"},
        {"unsigned short int", "short unsigned int"},
        {"long", "long int"},
        {"unsigned long", "long unsigned int"},
        {"unsigned long int", "long unsigned int"},
        {"long long", "long long int"},
        {"unsigned long long", "long long unsigned int"},
        {"unsigned long long int", "long long unsigned int"},
        {"std::size_t", "size_t"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(name, names[i][0]) == 0) return names[i][1];
    return name;
}

const char *sym_last_part(const char *name)
{
    const char *last = name;
    int depth = 0;
    for (const char *at = name; *at; at++) {
        depth += *at == '<';
        depth -= *at == '>';
        if (depth == 0 && at[0] == ':' && at[1] == ':') last = at + 2;
    }
    return last;
}

static const char *sym_skip_words(const char *text)
{
    static const char *const words[] = {"struct ", "class ",    "union ",   "enum ",
                                        "const ",  "typename ", "volatile "};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strncmp(text, words[i], strlen(words[i])) == 0) return sym_skip_words(text + strlen(words[i]));
    return text;
}

/* Write "node**" in the form used for DWARF's types: "node * *". */
static uint32_t sym_pointer_named(struct sym_typist *t, char name[SYM_WORD_BYTES])
{
    int stars = 0;
    for (size_t len = strlen(name); len > 0 && (name[len - 1] == '*' || name[len - 1] == ' ');) {
        stars += name[--len] == '*';
        name[len] = '\0';
    }
    for (; stars > 0 && strlen(name) + 3 < SYM_WORD_BYTES; stars--)
        strcat(name, " *");
    return sym_layout_add_pointer(&t->layouts, name);
}

uint32_t sym_type_named(struct sym_typist *t, const char *text)
{
    char name[SYM_WORD_BYTES];
    Dwarf_Die die;
    snprintf(name, sizeof(name), "%s", sym_skip_words(text));
    size_t len = strlen(name);
    while (len > 0 && name[len - 1] == ' ')
        name[--len] = '\0';
    if (len == 0) return SYM_NONE;
    if (name[len - 1] == '*') return sym_pointer_named(t, name);
    const char *plain = sym_last_part(sym_base_name(name));
    if (!sym_type_in_scopes(t, plain, &die) && !sym_type_anywhere(t, plain, &die)) return SYM_NONE;
    return sym_layout_add(&t->layouts, &die);
}

bool sym_type_defined(struct sym_typist *t, Dwarf_Die *type, Dwarf_Die *out)
{
    if (!sym_type_peel(type, out, NULL)) return false;
    if (!sym_type_is_record(out) || !dwarf_hasattr(out, DW_AT_declaration)) return true;
    const char *name = dwarf_diename(out);
    return name && sym_type_anywhere(t, name, out);
}

uint32_t sym_type_whole(struct sym_typist *t, Dwarf_Die *type)
{
    Dwarf_Die plain, whole;
    if (!sym_type_peel(type, &plain, NULL) || !sym_type_defined(t, type, &whole)) return SYM_NONE;
    /* a type that is defined here keeps the name of its typedef */
    return sym_layout_add(&t->layouts, plain.addr == whole.addr ? type : &whole);
}
