/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_variables.h"

#include "common/ls_vector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ls_err sym_finding_add(struct sym_finding *f, struct sym_found row)
{
    LS_TRY(LS_GROW(f->rows, f->room, f->len + 1));
    f->rows[f->len++] = row;
    return LS_OK;
}

static int sym_found_compare_addresses(const struct sym_found *a, const struct sym_found *b)
{
    if (a->is_tls != b->is_tls) return a->is_tls ? 1 : -1;
    if (a->base != b->base) return a->base < b->base ? -1 : 1;
    return (a->end < b->end) - (a->end > b->end);
}

static int sym_compare_found(const void *x, const void *y)
{
    const struct sym_found *a = x, *b = y;
    const int by_address = sym_found_compare_addresses(a, b);
    if (by_address) return by_address;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static bool sym_is_variable(const struct sym_elf_symbol *s)
{
    return (s->type == STT_OBJECT || s->type == STT_TLS || s->type == STT_COMMON) && s->len_bytes > 0 &&
           s->linked + s->len_bytes > s->linked;
}

/* Order of names: environ before __environ, global before weak before local, short before long, then by the
 * offset of the text, which is the order of the table. */
static uint32_t sym_alias_rank(const struct sym_elf_symbol *s, const char *readable)
{
    size_t underscores = strspn(readable, "_"), len = strlen(readable);
    if (underscores > 15) underscores = 15;
    if (len > 0xffff) len = 0xffff;
    const uint32_t bind = s->bind == STB_LOCAL ? 2 : s->bind == STB_WEAK ? 1 : 0;
    return (uint32_t)(underscores << 24) | bind << 20 | (uint32_t)len;
}

/* Programs of gfortran: COMMON /name/ is linked as name_, blank COMMON as __BLNK__ (trans-common.c,
 * gfc_sym_mangled_common_id). */
static const char *sym_common_name(const char *linker, char *room, size_t room_bytes)
{
    const size_t len = strlen(linker);
    if (strcmp(linker, "__BLNK__") == 0) return "blank COMMON";
    if (len < 2 || len >= room_bytes - 2 || linker[len - 1] != '_' || linker[0] == '_') return NULL;
    snprintf(room, room_bytes, "/%.*s/", (int)(len - 1), linker);
    return room;
}

static bool sym_is_fortran_common(const struct sym_elf_symbol *s)
{
    return s->bind == STB_GLOBAL && s->type != STT_TLS &&
           strspn(s->name, "abcdefghijklmnopqrstuvwxyz_0123456789BLNK") == strlen(s->name);
}

static uint32_t sym_readable_name(struct sym_finding *f, const struct sym_elf_symbol *s, bool is_fortran,
                                  uint32_t *out_rank)
{
    char room[256];
    const char *common =
        is_fortran && sym_is_fortran_common(s) ? sym_common_name(s->name, room, sizeof(room)) : NULL;
    const char *readable = common ? common : sym_demangle(&f->demangler, s->name);
    *out_rank = sym_alias_rank(s, readable);
    return sym_draft_text(f->draft, readable);
}

static ls_err sym_find_symbols(struct sym_finding *f)
{
    const int len = sym_elf_symbols_len(f->elf);
    const bool is_fortran = sym_elf_needs(f->elf, "libgfortran.so");
    struct sym_elf_symbol s;
    uint32_t file = 0;
    for (int i = 0; i < len; i++) {
        const bool is_here = sym_elf_symbol(f->elf, i, &s);
        if (is_here && s.type == STT_FILE) file = sym_draft_text(f->draft, s.name);
        if (!is_here || !sym_is_variable(&s)) continue;
        struct sym_found row = {.base = s.linked,
                                .end = s.linked + s.len_bytes,
                                .linker = sym_draft_text(f->draft, s.name),
                                .file = s.bind == STB_LOCAL ? file : 0,
                                .is_tls = s.type == STT_TLS};
        row.name = sym_readable_name(f, &s, is_fortran, &row.rank);
        LS_TRY(sym_finding_add(f, row));
    }
    return LS_OK;
}

static int sym_compare_aliases(struct sym_finding *f, const struct sym_found *a, const struct sym_found *b)
{
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    return strcmp(sym_draft_text_at(f->draft, a->name), sym_draft_text_at(f->draft, b->name));
}

/* One row for each address. */
static void sym_drop_aliases(struct sym_finding *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->len; i++) {
        struct sym_found *last = kept ? &f->rows[kept - 1] : NULL;
        const bool is_alias = last && sym_found_compare_addresses(last, &f->rows[i]) == 0;
        if (!is_alias)
            f->rows[kept++] = f->rows[i];
        else if (sym_compare_aliases(f, &f->rows[i], last) < 0)
            *last = f->rows[i];
    }
    f->len = kept;
}

struct sym_name_order {
    uint32_t name, row;
};
static int sym_compare_names(const void *x, const void *y)
{
    const struct sym_name_order *a = x, *b = y;
    if (a->name != b->name) return a->name < b->name ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* Make names unique: if two files have a static `table`, the name becomes `table (first.c)`, and the address
 * is added if necessary. */
static void sym_distinguish(struct sym_finding *f, struct sym_found *row, bool by_file)
{
    char text[1024];
    const char *name = sym_draft_text_at(f->draft, row->name);
    const char *file = sym_draft_text_at(f->draft, row->file);
    if (by_file && !*file) return;
    if (by_file)
        snprintf(text, sizeof(text), "%.500s (%.500s)", name, file);
    else
        snprintf(text, sizeof(text), "%.900s at 0x%llx", name, (unsigned long long)row->base);
    row->name = sym_draft_text(f->draft, text);
}

static ls_err sym_make_unique(struct sym_finding *f, bool by_file)
{
    struct sym_name_order *order = malloc((f->len + 1) * sizeof(*order));
    if (!order) return ls_nomem("%zu variables", f->len);
    size_t len = 0;
    for (size_t i = 0; i < f->len; i++)
        if (f->rows[i].rank < SYM_RANK_MEMBER) /* members are below their block */
            order[len++] = (struct sym_name_order){f->rows[i].name, (uint32_t)i};
    qsort(order, len, sizeof(*order), sym_compare_names);
    for (size_t from = 0, to; from < len; from = to) {
        for (to = from + 1; to < len && order[to].name == order[from].name; to++)
            ;
        for (size_t i = from; to - from > 1 && i < to; i++)
            sym_distinguish(f, &f->rows[order[i].row], by_file);
    }
    free(order);
    return LS_OK;
}

/* The smallest row that contains the new one is on the chain around the row before it. */
static uint32_t sym_around(const struct sym_variable *rows, uint32_t len, const struct sym_found *row)
{
    uint32_t at = len ? len - 1 : SYM_NONE;
    while (at != SYM_NONE && (rows[at].end < row->end || rows[at].is_tls != row->is_tls))
        at = rows[at].around;
    return at;
}

static void sym_write_rows(struct sym_finding *f)
{
    for (size_t i = 0; i < f->len && !f->draft->is_short; i++) {
        const struct sym_found *row = &f->rows[i];
        const struct sym_rows *done = &f->draft->rows[SYM_ROW_variables];
        const struct sym_variable v = {.base = row->base,
                                       .end = row->end,
                                       .elem_size_bytes = row->elem_size_bytes,
                                       .name = row->name,
                                       .around = sym_around(done->rows, (uint32_t)done->len, row),
                                       .is_tls = row->is_tls};
        *SYM_DRAFT_ROW(f->draft, variables) = v;
    }
}

static ls_err sym_variables_fill(struct sym_finding *f)
{
    LS_TRY(sym_find_symbols(f));
    if (f->len == 0) return LS_OK;
    qsort(f->rows, f->len, sizeof(*f->rows), sym_compare_found);
    sym_drop_aliases(f);
    if (f->elf->dwarf) LS_TRY(sym_variable_types_read(f));
    qsort(f->rows, f->len, sizeof(*f->rows), sym_compare_found);
    sym_drop_aliases(f); /* a COMMON block of one member */
    LS_TRY(sym_make_unique(f, true));
    LS_TRY(sym_make_unique(f, false));
    sym_write_rows(f);
    return LS_OK;
}

ls_err sym_variables_read(const struct sym_elf *e, struct sym_draft *d)
{
    struct sym_finding f = {.elf = e, .draft = d};
    const ls_err err = sym_variables_fill(&f);
    sym_demangle_fini(&f.demangler);
    free(f.rows);
    return err;
}
