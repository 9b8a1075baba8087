/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of a file by address, from its symbol tables, with one name for each address. */
#include "symbols/sym_lines.h"

#include "common/ls_sorted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool sym_is_function(const struct sym_elf_symbol *s)
{
    return s->type == STT_FUNC || s->type == STT_GNU_IFUNC || (s->type == STT_NOTYPE && s->len_bytes > 0);
}

/* Global names before local ones, names without leading underscores before those with, then weak ones last. */
static unsigned sym_function_rank(const struct sym_elf_symbol *s)
{
    unsigned underscores = 0;
    while (underscores < 15 && s->name[underscores] == '_')
        underscores++;
    /* prefer the kernel's (vDSO) names, which differ from the C library's */
    const bool is_mangled = strncmp(s->name, "_Z", 2) == 0, is_vdso = strncmp(s->name, "__vdso_", 7) == 0;
    const unsigned plainness = is_vdso ? 0 : is_mangled ? 1 : underscores + 1;
    return (s->bind == STB_LOCAL ? 128u : 0u) + (s->type == STT_NOTYPE ? 64u : 0u) + 2 * plainness +
           (s->bind == STB_WEAK);
}

static int sym_compare_functions(const void *a, const void *b)
{
    const struct sym_function *x = a, *y = b;
    if (x->base != y->base) return x->base < y->base ? -1 : 1;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    const size_t x_len = strlen(x->name), y_len = strlen(y->name);
    return x_len != y_len ? (x_len > y_len) - (x_len < y_len) : strcmp(x->name, y->name);
}

/* Return the end of the section of code that contains an address; without sections there is no limit. */
static uint64_t sym_section_end(const struct sym_elf *e, uint64_t linked)
{
    GElf_Shdr sh;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(e->elf, scn)) != NULL;)
        if (gelf_getshdr(scn, &sh) && (sh.sh_flags & SHF_EXECINSTR) && linked >= sh.sh_addr &&
            linked - sh.sh_addr < sh.sh_size)
            return sh.sh_addr + sh.sh_size;
    return UINT64_MAX;
}

/* Keep one name for each address; functions without a length (assembler) extend to the next one in their section. */
static void sym_functions_tidy(const struct sym_elf *e, struct sym_functions *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->len; i++) {
        struct sym_function *last = kept ? &f->rows[kept - 1] : NULL;
        if (last && last->base == f->rows[i].base) {
            if (f->rows[i].end > last->end) last->end = f->rows[i].end;
            continue;
        }
        f->rows[kept++] = f->rows[i];
    }
    f->len = kept;
    uint64_t section_end = 0;
    for (size_t i = 0; i < kept; i++) {
        struct sym_function *row = &f->rows[i];
        if (row->end > row->base) continue;
        if (row->base >= section_end) section_end = sym_section_end(e, row->base);
        const uint64_t next = i + 1 < kept ? f->rows[i + 1].base : UINT64_MAX;
        row->end = next < section_end ? next : section_end;
    }
}

ls_err sym_functions_read(const struct sym_elf *e, struct sym_functions *out)
{
    const int len = sym_elf_symbols_len(e);
    struct sym_elf_symbol s;
    out->len = 0;
    out->rows = malloc(((size_t)len + 1) * sizeof(*out->rows));
    if (!out->rows) return ls_nomem("%d symbols", len);
    for (int i = 0; i < len; i++)
        if (sym_elf_symbol(e, i, &s) && sym_is_function(&s))
            out->rows[out->len++] =
                (struct sym_function){s.linked, s.linked + s.len_bytes, s.name, sym_function_rank(&s), false};
    qsort(out->rows, out->len, sizeof(*out->rows), sym_compare_functions);
    LS_TRY(sym_plt_add(e, out));
    qsort(out->rows, out->len, sizeof(*out->rows), sym_compare_functions);
    sym_functions_tidy(e, out);
    return LS_OK;
}

void sym_functions_fini(struct sym_functions *f)
{
    free(f->rows);
    *f = (struct sym_functions){0};
}

const struct sym_function *sym_functions_find(const struct sym_functions *f, uint64_t linked)
{
    size_t from; /* rows before from begin at or before linked */
    LS_COUNT_FIRST(from, f->len, i, f->rows[i].base <= linked);
    return from > 0 && linked < f->rows[from - 1].end ? &f->rows[from - 1] : NULL;
}

/* Suffixes of the copies of a function that GCC and clang make. */
static size_t sym_source_len(const char *name)
{
    static const char *const suffixes[] = {".constprop.", ".isra.",  ".part.", ".cold", ".lto_priv.",
                                           ".localalias", ".clone.", ".llvm.", ".warm", ".hot"};
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        const char *found = strstr(name + (*name != '\0'), suffixes[i]);
        if (found && (size_t)(found - name) < len) len = (size_t)(found - name);
    }
    return len;
}

/* The function as the programmer wrote it: without the suffixes of the compiler's copies (.constprop.0, .cold), demangled.
 * Valid until the next use of d. */
static const char *sym_function_source_name(struct sym_demangler *d, const char *name)
{
    const size_t len = sym_source_len(name);
    char *copy = name[len] ? strndup(name, len) : NULL;
    const char *readable = sym_demangle(d, copy ? copy : name);
    if (copy && readable == copy) readable = name; /* too long to be demangled */
    free(copy);
    return readable;
}

void sym_function_names(const struct sym_function *f, struct sym_demangler *demangler, struct sym_draft *d,
                        struct sym_routine *out)
{
    char stub[4096] = "";
    if (f->is_stub) snprintf(stub, sizeof(stub), "%s@plt", sym_demangle(demangler, f->name));
    out->symbol = sym_draft_text(d, *stub ? stub : sym_demangle(demangler, f->name));
    out->function = *stub ? out->symbol : sym_draft_text(d, sym_function_source_name(demangler, f->name));
}

void sym_functions_write(const struct sym_functions *f, struct sym_draft *d)
{
    struct sym_demangler demangler = {0};
    for (size_t i = 0; i < f->len && !d->is_short; i++) {
        struct sym_routine row = {.base = f->rows[i].base, .end = f->rows[i].end};
        if (row.base >= row.end) continue;
        sym_function_names(&f->rows[i], &demangler, d, &row);
        *SYM_DRAFT_ROW(d, routines) = row;
    }
    sym_demangle_fini(&demangler);
}
