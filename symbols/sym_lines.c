/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_lines.h"

#include "common/ls_sorted.h"
#include "common/ls_vector.h"
#include "symbols/sym_dies.h"
#include "symbols/sym_answer.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- inlined calls --- */

/* An inlined call; its code may be in several pieces, with a row each. */
struct sym_call {
    uint64_t base, end;
    uint32_t depth;  /* 1: inlined into the function itself */
    uint32_t around; /* row of the enclosing call, SYM_NONE */
    uint32_t call;   /* the same for all pieces of one call */
    struct sym_entry entry;
};
struct sym_subprogram {
    uint64_t base, end;
    struct sym_entry entry;
};

/* Zeroed is empty. */
struct sym_unit_code {
    const struct sym_unit *unit;      /* unit of these functions */
    bool has_nested;                  /* functions in functions were read, too */
    struct sym_subprogram *functions; /* sorted by base; each piece of a function has a row */
    size_t functions_len, functions_room;
    const uint8_t *walked; /* entry of the function of these calls, NULL: none */
    struct sym_call *calls;
    size_t calls_len, calls_room;
};

static bool sym_add_function(struct sym_unit_code *s, const struct sym_entry *entry)
{
    struct sym_pieces pieces = {0};
    Dwarf_Addr base, end;
    while (sym_entry_piece(entry, &pieces, &base, &end)) {
        if (base >= end) continue;
        if (LS_GROW(s->functions, s->functions_room, s->functions_len + 1) != LS_OK) return false;
        s->functions[s->functions_len++] = (struct sym_subprogram){base, end, *entry};
    }
    return true;
}

static void sym_walk_functions(struct sym_unit_code *s, const struct sym_entry *parent, int depth)
{
    struct sym_entry e;
    if (depth > SYM_DIE_DEPTH_MAX || !sym_entry_child(parent, &e)) return;
    do {
        const int tag = sym_entry_tag(&e);
        if (tag == DW_TAG_subprogram && !sym_add_function(s, &e)) return;
        if (sym_tag_holds_functions(tag) && (tag != DW_TAG_subprogram || s->has_nested))
            sym_walk_functions(s, &e, depth + 1);
    } while (sym_entry_next(&e));
}

static int sym_compare_subprograms(const void *a, const void *b)
{
    const struct sym_subprogram *x = a, *y = b;
    return (x->base > y->base) - (x->base < y->base);
}

static void sym_unit_code_read(struct sym_unit_code *s, struct sym_walk *walk, bool nested)
{
    struct sym_entry body;
    s->has_nested = nested;
    s->functions_len = 0;
    s->walked = NULL;
    if (sym_entry_of(walk, &s->unit->body, &body)) sym_walk_functions(s, &body, 0);
    if (s->functions_len > 0)
        qsort(s->functions, s->functions_len, sizeof(*s->functions), sym_compare_subprograms);
}

static void sym_unit_code_enter(struct sym_unit_code *s, struct sym_walk *walk, const struct sym_unit *unit)
{
    if (s->unit == unit) return;
    s->unit = unit;
    sym_unit_code_read(s, walk, false);
}

static struct sym_subprogram *sym_function_at(const struct sym_unit_code *s, uint64_t at)
{
    size_t from; /* rows before from begin at or before at */
    LS_COUNT_FIRST(from, s->functions_len, i, s->functions[i].base <= at);
    return from > 0 && at < s->functions[from - 1].end ? &s->functions[from - 1] : NULL;
}

/* State of a walk through a function's calls. */
struct sym_call_walk {
    struct sym_unit_code *s;
    uint32_t around, calls;
};

static uint32_t sym_add_call(struct sym_call_walk *w, const struct sym_entry *entry)
{
    struct sym_pieces pieces = {0};
    Dwarf_Addr base, end;
    struct sym_unit_code *s = w->s;
    const uint32_t first = (uint32_t)s->calls_len;
    const uint32_t depth = w->around == SYM_NONE ? 1 : s->calls[w->around].depth + 1;
    while (sym_entry_piece(entry, &pieces, &base, &end)) {
        if (base >= end) continue;
        if (LS_GROW(s->calls, s->calls_room, s->calls_len + 1) != LS_OK) break;
        s->calls[s->calls_len++] = (struct sym_call){base, end, depth, w->around, w->calls, *entry};
    }
    w->calls++;
    return s->calls_len > first ? first : w->around;
}

static void sym_walk_calls(struct sym_call_walk w, const struct sym_entry *parent, int depth, uint32_t *calls)
{
    struct sym_entry e;
    if (depth > SYM_DIE_DEPTH_MAX || !sym_entry_child(parent, &e)) return;
    do {
        const int tag = sym_entry_tag(&e);
        struct sym_call_walk inner = w;
        inner.calls = *calls;
        if (tag == DW_TAG_inlined_subroutine) inner.around = sym_add_call(&inner, &e);
        *calls = inner.calls;
        if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
            tag == DW_TAG_catch_block)
            sym_walk_calls(inner, &e, depth + 1, calls);
    } while (sym_entry_next(&e));
}

static void sym_unit_code_walk(struct sym_unit_code *s, struct sym_subprogram *function)
{
    uint32_t calls = 0;
    if (s->walked == function->entry.at) return;
    s->walked = function->entry.at;
    s->calls_len = 0;
    sym_walk_calls((struct sym_call_walk){s, SYM_NONE, 0}, &function->entry, 0, &calls);
}

/* The function that holds the address, NULL: none; then *out_call is the innermost inlined call there, or
 * SYM_NONE. The rows stay until another unit or function is asked about. */
static struct sym_subprogram *sym_unit_code_find(struct sym_unit_code *s, struct sym_units *units,
                                                 uint64_t at, uint32_t *out_call)
{
    *out_call = SYM_NONE;
    sym_unit_code_enter(s, &units->walk, sym_units_find(units, at));
    struct sym_subprogram *function = sym_function_at(s, at);
    if (!function && !s->has_nested) { /* rare, and the bodies of all functions take three times as long */
        sym_unit_code_read(s, &units->walk, true);
        function = sym_function_at(s, at);
    }
    if (!function) return NULL;
    sym_unit_code_walk(s, function);
    for (size_t i = 0; i < s->calls_len; i++) {
        const struct sym_call *c = &s->calls[i];
        if (at < c->base || at >= c->end) continue;
        if (*out_call == SYM_NONE || c->depth > s->calls[*out_call].depth) *out_call = (uint32_t)i;
    }
    return function;
}

static void sym_unit_code_fini(struct sym_unit_code *s)
{
    free(s->functions);
    free(s->calls);
    *s = (struct sym_unit_code){0};
}

struct sym_lines {
    const struct sym_elf *elf;
    struct sym_draft *draft;
    struct sym_functions functions;
    struct sym_unit_code scopes;
    struct sym_demangler demangler;
    /* names of the function of the last question */
    const struct sym_function *named;
    struct sym_routine names;
};

static uint32_t sym_text(sym_lines *l, const char *text)
{
    return sym_draft_text(l->draft, text);
}

static void sym_set_function(sym_lines *l, uint64_t linked, struct sym_line *out)
{
    const struct sym_function *f = sym_functions_find(&l->functions, linked);
    if (!f) return;
    if (f != l->named) {
        l->named = f;
        sym_function_names(f, &l->demangler, l->draft, &l->names);
    }
    out->symbol = l->names.symbol;
    out->function = l->names.function;
}

/* A relative name is relative to the unit's directory (DW_AT_comp_dir). */
static uint32_t sym_source_path(sym_lines *l, struct sym_unit *unit, const char *name)
{
    char path[4096];
    Dwarf_Attribute attribute;
    const char *dir = dwarf_formstring(dwarf_attr(&unit->die, DW_AT_comp_dir, &attribute));
    if (!name || name[0] == '/' || !dir || dir[0] != '/') return sym_text(l, name);
    const int len = snprintf(path, sizeof(path), "%s/%s", dir, name);
    return sym_text(l, len > 0 && (size_t)len < sizeof(path) ? path : name);
}

static void sym_set_line(sym_lines *l, struct sym_unit *unit, uint64_t at, struct sym_line *out)
{
    int number = 0;
    Dwarf_Line *row = dwarf_getsrc_die(&unit->die, at);
    if (!row) return;
    out->file = sym_source_path(l, unit, dwarf_linesrc(row, NULL, NULL));
    if (dwarf_lineno(row, &number) == 0 && number > 0) out->line = (uint32_t)number;
    if (dwarf_linecol(row, &number) == 0 && number > 0) out->column = (uint32_t)number;
}

/* Name the function itself: by the symbol table, or by the DWARF if the table has no name, and in Fortran,
 * whose symbols are not the names in the source. */
static uint32_t sym_outer_name(sym_lines *l, struct sym_unit *unit, Dwarf_Die *function, uint32_t by_symbol)
{
    const bool is_fortran = sym_die_is_fortran(&unit->body);
    if (by_symbol && !is_fortran) return by_symbol;
    const char *name = is_fortran ? dwarf_diename(function) : sym_die_name(function, &l->demangler);
    const char *symbol = sym_draft_text_at(l->draft, by_symbol);
    if (is_fortran && strstr(symbol, "::")) return by_symbol; /* module::procedure is more precise */
    const uint32_t by_dwarf = name ? sym_text(l, name) : 0;
    return by_dwarf ? by_dwarf : by_symbol;
}

static void sym_set_call_line(sym_lines *l, struct sym_unit *unit, Dwarf_Die *call, struct sym_inline *out)
{
    uint64_t file, line, column;
    Dwarf_Files *files;
    size_t files_len;
    if (sym_die_number(call, DW_AT_call_line, &line)) out->line = (uint32_t)line;
    if (sym_die_number(call, DW_AT_call_column, &column)) out->column = (uint32_t)column;
    if (sym_die_number(call, DW_AT_call_file, &file) &&
        dwarf_getsrcfiles(&unit->die, &files, &files_len) == 0 && file < files_len)
        out->file = sym_source_path(l, unit, dwarf_filesrc(files, (size_t)file, NULL, NULL));
}

/* The name of the function that was inlined. */
static uint32_t sym_call_name(sym_lines *l, uint32_t call)
{
    Dwarf_Die die = sym_entry_die(&l->scopes.calls[call].entry);
    return sym_text(l, sym_die_name(&die, &l->demangler));
}

/* Follow the inlined calls from the innermost one outwards; each step gives the function around the call, and
 * the line of the call. */
static void sym_set_inlines(sym_lines *l, struct sym_unit *unit, uint32_t call, struct sym_line *out)
{
    const uint32_t outer = out->function;
    out->first_inline = (uint32_t)l->draft->rows[SYM_ROW_inlines].len;
    out->function = sym_call_name(l, call);
    while (call != SYM_NONE) {
        struct sym_call *c = &l->scopes.calls[call];
        struct sym_inline step = {.function = outer};
        Dwarf_Die die = sym_entry_die(&c->entry);
        sym_set_call_line(l, unit, &die, &step);
        call = c->around;
        if (call != SYM_NONE) step.function = sym_call_name(l, call);
        *SYM_DRAFT_ROW(l->draft, inlines) = step;
        out->inlines_len++;
    }
}

static void sym_set_source(sym_lines *l, uint64_t linked, struct sym_line *out)
{
    uint32_t call;
    const uint64_t at = linked - l->elf->dwarf_bias;
    struct sym_units *units = l->elf->units;
    struct sym_unit *unit = units ? sym_units_find(units, at) : NULL;
    if (!unit) return;
    sym_set_line(l, unit, at, out);
    struct sym_subprogram *function = sym_unit_code_find(&l->scopes, units, at, &call);
    if (!function) return;
    Dwarf_Die die = sym_entry_die(&function->entry);
    out->function = sym_outer_name(l, unit, &die, out->function);
    if (!out->symbol) out->symbol = out->function;
    if (call != SYM_NONE) sym_set_inlines(l, unit, call, out);
}

ls_err sym_lines_new(const struct sym_elf *e, sym_lines **out)
{
    sym_lines *l = calloc(1, sizeof(*l));
    if (!l) return ls_nomem("lines");
    l->elf = e;
    const ls_err err = sym_functions_read(e, &l->functions);
    if (err != LS_OK) {
        sym_lines_free(l);
        return err;
    }
    *out = l;
    return LS_OK;
}

void sym_lines_free(sym_lines *l)
{
    if (!l) return;
    sym_functions_fini(&l->functions);
    sym_unit_code_fini(&l->scopes);
    sym_demangle_fini(&l->demangler);
    free(l);
}

const struct sym_functions *sym_lines_functions(const sym_lines *l)
{
    return &l->functions;
}

void sym_lines_read(sym_lines *l, const uint64_t *linked, size_t len, struct sym_draft *d)
{
    l->draft = d;
    l->named = NULL; /* another draft owns its texts */
    for (size_t i = 0; i < len; i++) {
        struct sym_line line = {0};
        sym_set_function(l, linked[i], &line);
        sym_set_source(l, linked[i], &line);
        *SYM_DRAFT_ROW(d, lines) = line;
    }
}
