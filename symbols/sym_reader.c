/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_reader.h"

#include "symbols/sym_cfi.h"
#include "symbols/sym_elf.h"
#include "symbols/sym_lines.h"
#include "symbols/sym_variables.h"

#include <stdlib.h>
#include <string.h>

enum { SYM_OPEN_FILES = 4 };

struct sym_open_file {
    char *path;                  /* NULL: unused */
    bool wants_dwarf, has_dwarf; /* has: it was looked for */
    struct sym_elf elf;
    sym_lines *lines; /* NULL: not asked for */
    uint64_t used;    /* when, counted in questions */
};
struct sym_reader {
    struct sym_open_file files[SYM_OPEN_FILES];
    uint64_t questions;
};

sym_reader *sym_reader_new(void)
{
    return calloc(1, sizeof(sym_reader));
}

static void sym_open_file_close(struct sym_open_file *f)
{
    sym_lines_free(f->lines);
    sym_elf_close(&f->elf);
    free(f->path);
    *f = (struct sym_open_file){0};
}

void sym_reader_free(sym_reader *r)
{
    if (!r) return;
    for (size_t i = 0; i < SYM_OPEN_FILES; i++)
        sym_open_file_close(&r->files[i]);
    free(r);
}

static struct sym_open_file *sym_reader_known(sym_reader *r, const struct sym_request *request)
{
    for (size_t i = 0; i < SYM_OPEN_FILES; i++) {
        struct sym_open_file *f = &r->files[i];
        if (f->path && strcmp(f->path, request->path) == 0 && f->wants_dwarf == request->wants_dwarf)
            return f;
    }
    return NULL;
}

/* Open the file in place of the least recently used one; NULL: *out_problem is the reason. */
static struct sym_open_file *sym_reader_open(sym_reader *r, const struct sym_request *request,
                                             const char **out_problem)
{
    struct sym_open_file *f = sym_reader_known(r, request);
    if (f) return f;
    f = &r->files[0];
    for (size_t i = 1; i < SYM_OPEN_FILES; i++)
        if (r->files[i].used < f->used) f = &r->files[i];
    sym_open_file_close(f);
    if (!sym_elf_open(request->path, &f->elf, out_problem)) return NULL;
    f->path = strdup(request->path);
    f->wants_dwarf = request->wants_dwarf;
    *out_problem = "out of memory";
    return f->path ? f : NULL;
}

static void sym_open_file_find_dwarf(struct sym_open_file *f)
{
    if (f->wants_dwarf && !f->has_dwarf) sym_elf_find_dwarf(&f->elf);
    f->has_dwarf = true;
}

static ls_err sym_answer_functions(struct sym_open_file *f, const struct sym_request *request,
                                   struct sym_draft *d)
{
    sym_open_file_find_dwarf(f);
    if (!f->lines) LS_TRY(sym_lines_new(&f->elf, &f->lines));
    if (request->question == SYM_ASK_LINES)
        sym_lines_read(f->lines, request->linked, request->linked_len, d);
    else
        sym_functions_write(sym_lines_functions(f->lines), d);
    return LS_OK;
}

static ls_err sym_answer_question(struct sym_open_file *f, const struct sym_request *request,
                                  struct sym_draft *d)
{
    sym_elf_describe(&f->elf, d);
    switch (request->question) {
    case SYM_ASK_VARIABLES:
        sym_open_file_find_dwarf(f);
        return sym_variables_read(&f->elf, d);
    case SYM_ASK_FUNCTIONS:
    case SYM_ASK_LINES:
        return sym_answer_functions(f, request, d);
    case SYM_ASK_UNWIND:
        ((struct sym_head *)d->rows[SYM_ROW_heads].rows)->unwinds = sym_cfi_is_sound(&f->elf);
        return LS_OK;
    default:
        return LS_OK;
    }
}

ls_err sym_reader_answer(sym_reader *r, const struct sym_request *request, struct sym_draft *d)
{
    const char *problem;
    struct sym_open_file *f = sym_reader_open(r, request, &problem);
    if (!f) {
        *SYM_DRAFT_ROW(d, heads) = (struct sym_head){.problem = sym_draft_text(d, problem)};
        return LS_OK;
    }
    f->used = ++r->questions;
    LS_TRY(sym_answer_question(f, request, d));
    return d->is_short ? ls_nomem("%s", request->path) : LS_OK;
}
