/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_compact_parts.h"
#include "common/ls_text.h"
#include "symbols/sym_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row and the address of its instruction in the file's own view. */
struct pat_address {
    uint32_t module; /* row of the tables */
    uint64_t linked;
    struct pat_found *found;
};

static int pat_address_order(const void *a, const void *b)
{
    const struct pat_address *x = a, *y = b;
    if (x->module != y->module) return x->module < y->module ? -1 : 1;
    return (x->linked > y->linked) - (x->linked < y->linked);
}

static ls_err pat_say(char **text, const char *what)
{
    char *copy = strdup(what);
    if (!copy) return ls_nomem("the names of patterns");
    ls_text_clean(copy, strlen(copy), ""); /* cleaned, because it is printed on terminals */
    free(*text);
    *text = copy;
    return LS_OK;
}

/* Use the module of the site, because an unloaded module, or one of another process, may have the same
 * addresses. */
static const struct pat_module *pat_module_of(const struct pat_tables *t, const struct pat_found *f)
{
    if (f->module_row >= t->modules_len) return NULL;
    const struct pat_module *m = &t->modules[f->module_row];
    return m->path && *m->path ? m : NULL;
}

/* Rows whose module is known, sorted; the caller frees *out. */
static ls_err pat_addresses(const struct pat_findings *f, const struct pat_tables *t,
                            struct pat_address **out, size_t *out_len)
{
    *out_len = 0;
    *out = malloc((f->len + 1) * sizeof(**out));
    if (!*out) return ls_nomem("the addresses of %zu patterns", f->len);
    for (size_t i = 0; i < f->len; i++) {
        struct pat_found *row = &f->rows[i];
        const struct pat_module *m = pat_module_of(t, row);
        if (m) (*out)[(*out_len)++] = (struct pat_address){row->module_row, row->ip - m->bias, row};
    }
    qsort(*out, *out_len, sizeof(**out), pat_address_order);
    return LS_OK;
}

static ls_err pat_set_names(struct pat_found *f, const struct sym_answer *a, const struct sym_line *line)
{
    LS_TRY(pat_say(&f->function, sym_answer_text(a, line->function ? line->function : line->symbol)));
    LS_TRY(pat_say(&f->file, sym_answer_text(a, line->file)));
    f->line = line->line;
    return LS_OK;
}

/* A block has no declaration: take the size of its structures from the pointer that the instruction uses. */
static ls_err pat_ask_objects(sym_files *files, sym_file *file, const struct pat_address *addresses,
                              size_t len)
{
    struct sym_answer a = {0};
    uint64_t *linked = malloc(len * sizeof(*linked));
    char *texts = malloc(2 * len);
    const struct sym_type_questions questions = {linked, len, texts, 2 * len};
    ls_err e = linked && texts ? LS_OK : ls_nomem("the types of %zu patterns", len);
    for (size_t i = 0; e == LS_OK && i < len; i++) {
        linked[i] = addresses[i].linked;
        memcpy(texts + 2 * i, "a", 2); /* the object that the instruction accesses (sym_types.h) */
    }
    if (e == LS_OK) e = sym_file_types(files, file, &questions, &a);
    for (size_t i = 0; e == LS_OK && i < a.slots_len; i++) {
        const struct sym_slot *slot = &a.slots[i];
        struct pat_found *f = slot->question < len ? addresses[slot->question].found : NULL;
        if (f && f->is_heap && !f->object_bytes && slot->type < a.types_len &&
            a.types[slot->type].kind != SYM_TYPE_SCALAR)
            f->object_bytes = a.types[slot->type].len_bytes;
    }
    sym_answer_fini(&a);
    free(texts);
    free(linked);
    return e;
}

static bool pat_needs_object(const struct pat_address *addresses, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (addresses[i].found->is_heap && !addresses[i].found->object_bytes) return true;
    return false;
}

/* Name addresses of one module. */
static ls_err pat_ask_module(sym_files *files, const char *path, const struct pat_address *addresses,
                             size_t len)
{
    sym_file *file;
    struct sym_answer a = {0};
    uint64_t *linked = malloc(len * sizeof(*linked));
    if (!linked) return ls_nomem("%zu addresses", len);
    for (size_t i = 0; i < len; i++)
        linked[i] = addresses[i].linked;
    ls_err e = sym_files_get(files, path, &file);
    if (e == LS_OK) e = sym_file_lines(files, file, linked, len, &a);
    for (size_t i = 0; e == LS_OK && i < a.lines_len && i < len; i++)
        e = pat_set_names(addresses[i].found, &a, &a.lines[i]);
    if (e == LS_OK && pat_needs_object(addresses, len)) e = pat_ask_objects(files, file, addresses, len);
    sym_answer_fini(&a);
    free(linked);
    return e;
}

static ls_err pat_ask_all(const struct pat_tables *t, const struct pat_address *addresses, size_t len)
{
    sym_files *files;
    ls_err e = LS_OK;
    LS_TRY(sym_files_new((struct sym_limits){0}, &files));
    for (size_t i = 0, end; e == LS_OK && i < len; i = end) {
        end = i + 1;
        while (end < len && addresses[end].module == addresses[i].module)
            end++;
        e = pat_ask_module(files, t->modules[addresses[i].module].path, addresses + i, end - i);
    }
    sym_files_free(files);
    return e;
}

/* The line that the source itself names: "/x/kern.cu:10". */
static ls_err pat_take_line(struct pat_found *f, const struct pat_tables *t)
{
    char file[4096];
    if (!f->source_line || f->source_line > t->lines_len) return LS_OK;
    snprintf(file, sizeof(file), "%s", t->lines[f->source_line - 1]);
    char *colon = strrchr(file, ':');
    if (colon && colon[1] && colon[1 + strspn(colon + 1, "0123456789")] == '\0') {
        f->line = (uint32_t)strtoul(colon + 1, NULL, 10);
        *colon = '\0';
    }
    return pat_say(&f->file, file);
}

ls_err pat_names_read(struct pat_findings *f, const struct pat_tables *t)
{
    struct pat_address *addresses;
    size_t len;
    for (size_t i = 0; i < f->len; i++)
        LS_TRY(pat_take_line(&f->rows[i], t));
    LS_TRY(pat_addresses(f, t, &addresses, &len));
    const ls_err e = len ? pat_ask_all(t, addresses, len) : LS_OK;
    free(addresses);
    return e;
}

ls_err pat_names_known(const struct pat_tables *t, const uint32_t *sites, size_t len, bool *known)
{
    struct pat_findings f = {.rows = calloc(len + 1, sizeof(*f.rows)), .len = len};
    if (!f.rows) return ls_nomem("the names of %zu instructions", len);
    for (size_t i = 0; i < len; i++) {
        const struct pat_site *site = &t->sites[sites[i]];
        f.rows[i].ip = site->ip;
        f.rows[i].module_row = site->module;
        f.rows[i].source_line = site->line;
    }
    const ls_err e = pat_names_read(&f, t);
    for (size_t i = 0; e == LS_OK && i < len; i++)
        known[i] = f.rows[i].file && *f.rows[i].file;
    pat_findings_fini(&f);
    return e;
}

/* " in spmv_row (spmv.c:41)", " in libm.so.6+0x1234", " at 0x401136" */
static void pat_put_location(FILE *out, const struct pat_found *f, const struct pat_tables *t)
{
    const struct pat_module *m = pat_module_of(t, f);
    if (*f->function)
        fprintf(out, " in %s", f->function);
    else if (m)
        fprintf(out, " in %s+0x%llx", ls_base_name(m->path), (unsigned long long)f->linked_ip);
    else
        fprintf(out, " at 0x%llx", (unsigned long long)f->ip);
    if (*f->file && f->line) fprintf(out, " (%s:%u)", ls_base_name(f->file), f->line);
}

static ls_err pat_write_name(struct pat_found *f, const struct pat_tables *t)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    if (!out) return ls_nomem("the names of patterns");
    fputs(pat_config_word(&f->config), out);
    if (*f->home) fprintf(out, " of `%s`", f->home);
    if (*f->index_home) fprintf(out, " through `%s`", f->index_home);
    pat_put_location(out, f, t);
    if (fclose(out) != 0) {
        free(text);
        return ls_nomem("the names of patterns");
    }
    free(f->config.name);
    f->config.name = text;
    return LS_OK;
}

ls_err pat_names_write(struct pat_findings *f, const struct pat_tables *t)
{
    for (size_t i = 0; i < f->len; i++)
        LS_TRY(pat_write_name(&f->rows[i], t));
    return LS_OK;
}
