/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "common/ls_hash.h"
#include "common/ls_index.h"
#include "common/ls_owner.h"
#include "common/ls_sorted.h"
#include "common/ls_vector.h"

#include "symbols/sym_files.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct sym_file {
    char *path;
    char *open_path; /* NULL: path */
    int fd;          /* descriptor of an image that is in no file, else -1 */
    char *problem;   /* NULL: none */
    struct sym_answer head, variables, routines;
    bool has_variables, has_routines; /* types were requested */
    bool was_asked;
    bool has_unwinds, unwinds;
    bool loses_dwarf; /* reading its DWARF crashed a reader */
    uid_t author;     /* author of the names in all its answers */
};
struct sym_files {
    sym_worker *worker;
    char *no_worker; /* reason why there is no answer */
    LS_VECTOR(sym_file *) files;
    struct ls_index by_path;
};

ls_err sym_files_new(struct sym_limits limits, sym_files **out)
{
    sym_files *f = calloc(1, sizeof(*f));
    if (!f) return ls_nomem("symbols");
    if (sym_worker_new(limits, &f->worker) != LS_OK) f->no_worker = strdup(ls_last_error());
    *out = f;
    return LS_OK;
}

int sym_files_reader(const sym_files *f)
{
    return f->worker ? sym_worker_pid(f->worker) : 0;
}

static void sym_file_free(sym_file *f)
{
    if (f->fd >= 0) close(f->fd);
    free(f->path);
    free(f->open_path);
    free(f->problem);
    sym_answer_fini(&f->head);
    sym_answer_fini(&f->variables);
    sym_answer_fini(&f->routines);
    free(f);
}

void sym_files_free(sym_files *f)
{
    if (!f) return;
    for (size_t i = 0; i < f->files.len; i++)
        sym_file_free(f->files.rows[i]);
    sym_worker_free(f->worker);
    free(f->no_worker);
    free(f->files.rows);
    ls_index_fini(&f->by_path);
    free(f);
}

static uint64_t sym_path_key(const char *path)
{
    return ls_hash_text(LS_HASH_BEGIN, path);
}

/* NULL: not there. */
static sym_file *sym_files_find(const sym_files *f, const char *path)
{
    uint32_t row;
    for (size_t step = 0; ls_index_next(&f->by_path, sym_path_key(path), &step, &row);)
        if (strcmp(f->files.rows[row]->path, path) == 0) return f->files.rows[row];
    return NULL;
}

/* Only the first problem of a file is reported. */
static void sym_file_blame(sym_file *f, const char *problem)
{
    if (!f->problem && *problem) f->problem = strdup(problem);
}

static const char *sym_problem_in(const struct sym_answer *a)
{
    return a->heads_len ? sym_answer_text(a, a->heads[0].problem) : "its reader gave no answer";
}

/* If the DWARF is damaged, repeat the question without it, so that only the lines are lost and not the names
 * in the symbol tables. */
static ls_err sym_file_ask(sym_files *all, sym_file *f, struct sym_request request, struct sym_answer *out)
{
    *out = (struct sym_answer){0};
    if (!all->worker) return LS_OK;
    const unsigned deaths = sym_worker_deaths(all->worker);
    request.path = sym_file_open_path(f);
    f->was_asked |= request.question != SYM_ASK_HEAD && request.question != SYM_ASK_UNWIND;
    request.wants_dwarf = !f->loses_dwarf;
    LS_TRY(sym_worker_ask(all->worker, &request, out));
    if (out->heads_len) f->author = ls_owner_meet(f->author, out->heads[0].author);
    if (request.question != SYM_ASK_UNWIND) sym_file_blame(f, sym_problem_in(out));
    const bool has_less = request.question == SYM_ASK_HEAD || request.question == SYM_ASK_UNWIND;
    if (sym_worker_deaths(all->worker) == deaths || f->loses_dwarf || has_less) return LS_OK;
    f->loses_dwarf = true;
    sym_answer_fini(out);
    return sym_file_ask(all, f, request, out);
}

/* fd is an image's descriptor, opened through this process's descriptors; -1: none. */
static sym_file *sym_file_new(const char *path, int fd)
{
    char room[64];
    sym_file *f = calloc(1, sizeof(*f));
    if (!f) return NULL;
    f->fd = fd;
    f->author = fd >= 0 ? LS_OWNER_NOBODY : LS_OWNER_OURS; /* an image may come from any user */
    f->path = strdup(path);
    snprintf(room, sizeof(room), "/proc/%d/fd/%d", (int)getpid(), fd);
    if (fd >= 0) f->open_path = strdup(room);
    if (f->path && (fd < 0 || f->open_path)) return f;
    f->fd = -1; /* stays the caller's */
    sym_file_free(f);
    return NULL;
}

static ls_err sym_files_add(sym_files *all, const char *path, int fd, sym_file **out)
{
    LS_TRY(LS_VECTOR_ROOM(&all->files));
    sym_file *f = sym_file_new(path, fd);
    if (!f) return ls_nomem("a module");
    if (ls_index_put(&all->by_path, sym_path_key(path), (uint32_t)all->files.len) != LS_OK) {
        f->fd = -1; /* stays the caller's */
        sym_file_free(f);
        return LS_ERR_NOMEM;
    }
    all->files.rows[all->files.len++] = f;
    sym_file_blame(f, all->no_worker ? all->no_worker : "");
    *out = f;
    return sym_file_ask(all, f, (struct sym_request){.question = SYM_ASK_HEAD}, &f->head);
}

ls_err sym_files_get(sym_files *f, const char *path, sym_file **out)
{
    sym_file *const known = sym_files_find(f, path);
    if (!known) return sym_files_add(f, path, -1, out);
    *out = known;
    return LS_OK;
}

ls_err sym_files_get_image(sym_files *f, const struct sym_image *image, sym_file **out)
{
    sym_file *const known = sym_files_find(f, image->name);
    *out = known;
    if (known) return LS_OK;
    const int fd = memfd_create(image->name, MFD_CLOEXEC);
    if (fd >= 0 && write(fd, image->bytes, image->len_bytes) != (ssize_t)image->len_bytes) {
        close(fd);
        return sym_files_get(f, image->name,
                             out); /* no file has this name, so the answer reports the problem */
    }
    const ls_err e = sym_files_add(f, image->name, fd, out);
    if (e != LS_OK && !*out && fd >= 0) close(fd);
    return e;
}

const sym_file *sym_files_at(const sym_files *f, size_t i)
{
    return i < f->files.len ? f->files.rows[i] : NULL;
}

const char *sym_file_path(const sym_file *f)
{
    return f->path;
}

const char *sym_file_open_path(const sym_file *f)
{
    return f->open_path ? f->open_path : f->path;
}

bool sym_file_was_asked(const sym_file *f)
{
    return f->was_asked;
}

void sym_file_mark_other(sym_file *f)
{
    f->was_asked = true;
    sym_file_blame(f, "is not the file that was mapped");
}

bool sym_file_unwinds(sym_files *all, sym_file *f)
{
    struct sym_answer a;
    if (f->has_unwinds) return f->unwinds;
    f->has_unwinds = true;
    if (sym_file_ask(all, f, (struct sym_request){.question = SYM_ASK_UNWIND}, &a) != LS_OK) return false;
    f->unwinds = a.heads_len && a.heads[0].unwinds;
    sym_answer_fini(&a);
    return f->unwinds;
}

uid_t sym_files_author(const sym_files *f, const char *path)
{
    const sym_file *const known = sym_files_find(f, path);
    return known ? known->author : LS_OWNER_NOBODY;
}

const char *sym_file_build_id(const sym_file *f)
{
    return f->head.heads_len ? sym_answer_text(&f->head, f->head.heads[0].build_id) : "";
}

const char *sym_file_problem(const sym_file *f)
{
    return f->problem ? f->problem : "";
}

uint64_t sym_file_tls_len_bytes(const sym_file *f)
{
    return f->head.heads_len ? f->head.heads[0].tls_len_bytes : 0;
}

static uint64_t sym_page_floor(const struct sym_segment *s, uint64_t value)
{
    const bool is_aligned = s->align_bytes > 1 && (s->align_bytes & (s->align_bytes - 1)) == 0;
    const uint64_t page = !is_aligned ? 1 : s->align_bytes < 4096 ? s->align_bytes : 4096;
    return value & ~(page - 1);
}

/* A mapping begins where a segment begins, rounded down to a page; pieces of a segment begin inside. */
bool sym_file_linked(const sym_file *f, uint64_t offset_bytes, uint64_t *out_linked)
{
    for (size_t i = 0; i < f->head.segments_len; i++) {
        const struct sym_segment *s = &f->head.segments[i];
        if (sym_page_floor(s, s->offset_bytes) != offset_bytes) continue;
        *out_linked = s->linked - (s->offset_bytes - offset_bytes);
        return true;
    }
    for (size_t i = 0; i < f->head.segments_len; i++) {
        const struct sym_segment *s = &f->head.segments[i];
        if (offset_bytes < s->offset_bytes || offset_bytes - s->offset_bytes >= s->file_bytes) continue;
        *out_linked = s->linked + (offset_bytes - s->offset_bytes);
        return true;
    }
    return false;
}

uint64_t sym_file_end(const sym_file *f)
{
    uint64_t end = 0;
    for (size_t i = 0; i < f->head.segments_len; i++) {
        const struct sym_segment *s = &f->head.segments[i];
        if (s->linked + s->len_bytes > end) end = s->linked + s->len_bytes;
    }
    return (end + 4095) & ~UINT64_C(4095);
}

bool sym_file_is_fixed(const sym_file *f)
{
    return f->head.heads_len && f->head.heads[0].is_fixed;
}

size_t sym_file_variables_len(sym_files *all, sym_file *f)
{
    if (!f->has_variables) {
        f->has_variables = true;
        if (sym_file_ask(all, f, (struct sym_request){.question = SYM_ASK_VARIABLES}, &f->variables) != LS_OK)
            sym_file_blame(f, ls_last_error());
    }
    return f->variables.variables_len;
}

static const struct sym_thing sym_nothing = {.name = "", .row = SYM_NONE, .around = SYM_NONE};

struct sym_thing sym_file_variable(const sym_file *f, uint32_t row)
{
    const size_t len = f->variables.variables_len;
    if (row >= len) return sym_nothing;
    const struct sym_variable *v = &f->variables.variables[row];
    return (struct sym_thing){
        .name = sym_answer_text(&f->variables, v->name),
        .base = v->base,
        .end = v->end,
        .elem_size_bytes = v->elem_size_bytes,
        .row = row,
        .around = v->around,
        .is_tls = v->is_tls,
        .is_leaf = row + 1 == len || v[1].is_tls != v->is_tls || v[1].base >= v->end,
    };
}

static struct sym_thing sym_find_variable(sym_files *all, sym_file *f, uint32_t is_tls, uint64_t at)
{
    const size_t len = sym_file_variables_len(all, f);
    const struct sym_variable *rows = f->variables.variables;
    size_t from; /* rows before from begin at or before at */
    LS_COUNT_FIRST(from, len, i, rows[i].is_tls != is_tls ? !rows[i].is_tls : rows[i].base <= at);
    uint32_t row = from > 0 ? (uint32_t)(from - 1) : SYM_NONE;
    while (row != SYM_NONE && rows[row].is_tls == is_tls && at >= rows[row].end)
        row = rows[row].around;
    return row != SYM_NONE && rows[row].is_tls == is_tls ? sym_file_variable(f, row) : sym_nothing;
}

struct sym_thing sym_file_find_variable(sym_files *all, sym_file *f, uint64_t linked)
{
    return sym_find_variable(all, f, 0, linked);
}

struct sym_thing sym_file_find_tls(sym_files *all, sym_file *f, uint64_t offset_bytes)
{
    return sym_find_variable(all, f, 1, offset_bytes);
}

struct sym_thing sym_file_find_section(const sym_file *f, uint64_t linked)
{
    for (size_t i = 0; i < f->head.sections_len; i++) {
        const struct sym_section *s = &f->head.sections[i];
        if (s->is_tls || linked < s->base || linked >= s->end) continue;
        return (struct sym_thing){.name = sym_answer_text(&f->head, s->name),
                                  .base = s->base,
                                  .end = s->end,
                                  .row = (uint32_t)i,
                                  .around = SYM_NONE};
    }
    return sym_nothing;
}

struct sym_function_names sym_file_function(sym_files *all, sym_file *f, uint64_t linked)
{
    if (!f->has_routines) {
        f->has_routines = true;
        if (sym_file_ask(all, f, (struct sym_request){.question = SYM_ASK_FUNCTIONS}, &f->routines) != LS_OK)
            sym_file_blame(f, ls_last_error());
    }
    const struct sym_routine *rows = f->routines.routines;
    size_t from; /* rows before from begin at or before linked */
    LS_COUNT_FIRST(from, f->routines.routines_len, i, rows[i].base <= linked);
    if (from == 0 || linked >= rows[from - 1].end) return (struct sym_function_names){"", ""};
    return (struct sym_function_names){sym_answer_text(&f->routines, rows[from - 1].symbol),
                                       sym_answer_text(&f->routines, rows[from - 1].function)};
}

ls_err sym_file_lines(sym_files *all, sym_file *f, const uint64_t *linked, size_t len, struct sym_answer *out)
{
    const struct sym_request request = {.question = SYM_ASK_LINES, .linked = linked, .linked_len = len};
    LS_TRY(sym_file_ask(all, f, request, out));
    if (out->lines_len != len) sym_answer_fini(out);
    return LS_OK;
}

ls_err sym_file_types(sym_files *all, sym_file *f, const struct sym_type_questions *questions,
                      struct sym_answer *out)
{
    const struct sym_request request = {.question = SYM_ASK_TYPES,
                                        .linked = questions->linked,
                                        .linked_len = questions->len,
                                        .texts = questions->texts,
                                        .texts_len = questions->texts_len};
    LS_TRY(sym_file_ask(all, f, request, out));
    if (out->typings_len != questions->len) sym_answer_fini(out);
    return LS_OK;
}
