/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_scripts.h"

#include "common/ls_hash.h"
#include "common/ls_text.h"
#include "resolve/prof_site_names.h"
#include "spool/spool_path.h"
#include "spool/spool_record.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- lines --- */

ls_err prof_scripts_add(struct prof_scripts *s, uint32_t process, const struct spool_script *r,
                        prof_names *names)
{
    const char *text = SPOOL_REC_TAIL(r);
    if (!spool_path_is_script(r->ip) || r->file_len + r->name_len == 0) return LS_OK;
    const struct prof_script row = {.ip = r->ip,
                                    .process = process,
                                    .file = prof_name_path(names, text, r->file_len),
                                    .function = prof_name(names, text + r->file_len, r->name_len),
                                    .line = r->line,
                                    .end_line = r->end_line,
                                    .column = r->column,
                                    .end_column = r->end_column};
    LS_TRY(LS_VECTOR_ADD(&s->rows, row));
    return ls_index_put(&s->by_ip, ls_index_key(r->ip, process), (uint32_t)s->rows.len - 1);
}

const struct prof_script *prof_scripts_find(const struct prof_scripts *s, uint32_t process, uint64_t ip)
{
    uint32_t row;
    if (!s || !spool_path_is_script(ip)) return NULL;
    for (size_t step = 0; ls_index_next(&s->by_ip, ls_index_key(ip, process), &step, &row);)
        if (s->rows.rows[row].ip == ip && s->rows.rows[row].process == process) return &s->rows.rows[row];
    return NULL;
}

void prof_scripts_set_lines(const struct prof_scripts *s, struct prof_line *rows, size_t len,
                            prof_names *names)
{
    for (size_t i = 0; i < len; i++) {
        const struct prof_script *script = prof_scripts_find(s, rows[i].process, rows[i].ip);
        if (!script) continue;
        rows[i].module = prof_name_of(names, "[script]");
        rows[i].function = rows[i].symbol = script->function;
        rows[i].file = script->file;
        rows[i].line = script->line;
    }
}

static bool script_is_in(const struct prof_script *s, const char *const *patterns)
{
    for (; *patterns; patterns++)
        if (fnmatch(*patterns, s->file, 0) == 0) return true;
    return false;
}

/* The loader of modules; files of libraries. */
static const char *const script_loader[] = {"<frozen importlib*", "<frozen zipimport*", NULL};
static const char *const script_libraries[] = {"<*", "*-packages/*", "*/lib/python[0-9]*", NULL};

size_t prof_scripts_cut(const struct prof_scripts *s, uint32_t process, uint64_t *ips, size_t len)
{
    size_t cut = 0;
    bool is_loading = false, is_first = true;
    for (size_t i = 0; i < len; i++) {
        const struct prof_script *script = prof_scripts_find(s, process, ips[i]);
        if (!script) continue;
        const bool loads = script_is_in(script, script_loader);
        if (is_first && !loads) return len;
        if (is_loading && !loads) cut = i; /* the importer */
        if (!loads && !script_is_in(script, script_libraries)) break;
        is_loading = loads;
        is_first = false;
    }
    memmove(ips, ips + cut, (len - cut) * sizeof(*ips));
    return len - cut;
}

uint64_t prof_script_identity(const struct prof_script *s)
{
    const uint32_t numbers[] = {s->line, s->end_line, s->column, s->end_column};
    const uint64_t hash = ls_hash_bytes(LS_HASH_BEGIN, numbers, sizeof(numbers));
    return ls_hash_text(ls_hash_text(hash, s->file), s->function);
}

void prof_scripts_fini(struct prof_scripts *s)
{
    free(s->rows.rows);
    ls_index_fini(&s->by_ip);
    *s = (struct prof_scripts){0};
}

/* --- callers --- */

void prof_script_text(const struct prof_caller *caller, char *out, size_t out_bytes)
{
    const char *file = ls_base_name(caller->file);
    if (!*file)
        snprintf(out, out_bytes, "%s", caller->function);
    else if (!*caller->function)
        snprintf(out, out_bytes, "%s:%u", file, caller->line);
    else
        snprintf(out, out_bytes, "%s:%u %s", file, caller->line, caller->function);
}

/* Files of Python whose functions make memory for their callers. */
static const char *const script_allocators[] = {"*-packages/numpy/*", "<__array_function__ internals>",
                                                "<frozen importlib*", "<frozen zipimport*", NULL};

const struct prof_script *prof_script_of(const struct prof_caller_tables *t, const struct prof_caller *caller)
{
    const struct prof_frame *f = &t->frames[caller->frame];
    return prof_scripts_find(t->scripts, f->process, f->ip);
}

/* The next frame of a script from `caller` on. False: there is none. */
static bool script_find(const struct prof_caller_tables *t, struct prof_caller *caller)
{
    while (!prof_script_of(t, caller))
        if (!prof_caller_next(t, caller)) return false;
    return true;
}

void prof_script_innermost(const struct prof_caller_tables *t, uint32_t frame, struct prof_caller *out)
{
    if (prof_caller_first(t, frame, out)) script_find(t, out);
}

bool prof_script_caller_of_site(const struct prof_caller_tables *t, uint32_t frame, struct prof_caller *out)
{
    struct prof_caller caller, script;
    if (!t->scripts || t->scripts->rows.len == 0 || !prof_caller_first(t, frame, &caller)) return false;
    script = caller;
    if (!script_find(t, &script)) return false;
    for (; caller.frame != script.frame; prof_caller_next(t, &caller)) {
        if (caller.line == 0 || fnmatch("*_multiarray_umath*", caller.module, 0) == 0) continue;
        if (prof_is_allocator(caller.module, caller.function, caller.file)) continue;
        *out = caller;
        return true;
    }
    *out = script;
    while (script_is_in(prof_script_of(t, &script), script_allocators))
        if (!prof_script_caller_next(t, &script)) return true;
    *out = script;
    return true;
}

bool prof_script_caller_next(const struct prof_caller_tables *t, struct prof_caller *caller)
{
    struct prof_caller next = *caller;
    const bool is_script = prof_script_of(t, caller) != NULL;
    if (!prof_caller_next(t, &next) || (is_script && !script_find(t, &next))) return false;
    *caller = next;
    return true;
}
