/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_lines.h"

#include "symbols/sym_dies.h"
#include "symbols/sym_functions.h"
#include "symbols/sym_scopes.h"
#include "symbols/sym_units.h"

#include <dwarf.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

struct sym_lines {
    const struct sym_elf *elf;
    struct sym_draft *draft;
    struct sym_functions functions;
    struct sym_units units;
    struct sym_scopes scopes;
    struct sym_demangler demangler;
    /* the function asked about last: its names */
    const struct sym_function *named;
    uint32_t named_symbol, named_source;
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
        l->named_symbol = sym_text(l, sym_demangle(&l->demangler, f->name));
        l->named_source = sym_text(l, sym_function_source_name(&l->demangler, f->name));
    }
    out->symbol = l->named_symbol;
    out->function = l->named_source;
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
}

/* The function itself: by the symbol table; by the DWARF where that has no name, and in Fortran, whose
 * symbols are not the names in the source. */
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

static void sym_set_call_place(sym_lines *l, struct sym_unit *unit, Dwarf_Die *call, struct sym_inline *out)
{
    uint64_t file, line;
    Dwarf_Files *files;
    size_t files_len;
    if (sym_die_number(call, DW_AT_call_line, &line)) out->line = (uint32_t)line;
    if (sym_die_number(call, DW_AT_call_file, &file) &&
        dwarf_getsrcfiles(&unit->die, &files, &files_len) == 0 && file < files_len)
        out->file = sym_source_path(l, unit, dwarf_filesrc(files, (size_t)file, NULL, NULL));
}

/* From the innermost call outwards: each step names the function around the call, and the call's place. */
static void sym_set_inlines(sym_lines *l, struct sym_unit *unit, uint32_t call, struct sym_line *out)
{
    const uint32_t outer = out->function;
    out->first_inline = (uint32_t)l->draft->rows[SYM_ROW_inlines].len;
    const char *innermost = sym_die_name(&l->scopes.calls[call].die, &l->demangler);
    out->function = sym_text(l, innermost);
    while (call != SYM_NONE) {
        struct sym_call *c = &l->scopes.calls[call];
        struct sym_inline step = {.function = outer};
        sym_set_call_place(l, unit, &c->die, &step);
        call = c->around;
        if (call != SYM_NONE)
            step.function = sym_text(l, sym_die_name(&l->scopes.calls[call].die, &l->demangler));
        *SYM_DRAFT_ROW(l->draft, inlines) = step;
        out->inlines_len++;
    }
}

static void sym_set_source(sym_lines *l, uint64_t linked, struct sym_line *out)
{
    uint32_t call;
    const uint64_t at = linked - l->elf->dwarf_bias;
    struct sym_unit *unit = sym_units_find(&l->units, at);
    if (!unit) return;
    sym_set_line(l, unit, at, out);
    struct sym_subprogram *function = sym_scopes_find(&l->scopes, unit, at, &call);
    if (!function) return;
    out->function = sym_outer_name(l, unit, &function->die, out->function);
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
    if (e->dwarf) sym_units_read(&l->units, e->dwarf);
    *out = l;
    return LS_OK;
}

void sym_lines_free(sym_lines *l)
{
    if (!l) return;
    sym_functions_fini(&l->functions);
    sym_units_fini(&l->units);
    sym_scopes_fini(&l->scopes);
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
    l->named = NULL; /* its texts belong to another draft */
    for (size_t i = 0; i < len; i++) {
        struct sym_line line = {0};
        sym_set_function(l, linked[i], &line);
        sym_set_source(l, linked[i], &line);
        *SYM_DRAFT_ROW(d, lines) = line;
    }
}
