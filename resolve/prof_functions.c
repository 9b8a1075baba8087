/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_functions.h"

#include "common/ls_clock.h"
#include "common/ls_index.h"
#include "common/ls_text.h"
#include "common/ls_vector.h"
#include "resolve/prof_maps.h"
#include "spool/spool_reader.h"
#include "symbols/sym_perfmap.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- generated code --- */

struct prof_jit {
    const struct spool_image *image;
    const struct prof_survey *survey;
    prof_names *names;
    const char *path;
    sym_perfmap *map; /* NULL: none */
    bool is_looked_for;
};

ls_err prof_jit_new(const struct spool_image *image, const struct prof_survey *survey, prof_names *names,
                    prof_jit **out)
{
    prof_jit *j = calloc(1, sizeof(*j));
    if (!j) return ls_nomem("generated code");
    *j = (prof_jit){.image = image, .survey = survey, .names = names};
    j->path = prof_name_printf(names, "/tmp/perf-%u.map", image->pid);
    *out = j;
    return LS_OK;
}

void prof_jit_free(prof_jit *j)
{
    if (!j) return;
    sym_perfmap_free(j->map);
    free(j);
}

/* Wall clock when the process began, in seconds; a map from before belongs to another with its id. */
static int64_t prof_jit_begin_s(const prof_jit *j)
{
    for (size_t i = 0; i < j->image->streams.len; i++) {
        spool_reader *r;
        if (spool_reader_open(&j->image->streams.rows[i], &r) != LS_OK) continue;
        const int64_t begin_s = (int64_t)(spool_reader_header(r)->realtime_ns / LS_NS_PER_S);
        spool_reader_free(r);
        return begin_s;
    }
    return INT64_MAX;
}

static const sym_perfmap *prof_jit_map(prof_jit *j)
{
    if (!j->is_looked_for && sym_perfmap_open(j->path, prof_jit_begin_s(j), &j->map) != LS_OK) j->map = NULL;
    j->is_looked_for = true;
    return j->map;
}

/* The map's name for ip, "" for none: engines have code without symbols inside their files, and their maps
 * name that too. */
static const char *prof_jit_named(prof_jit *j, uint64_t ip)
{
    const sym_perfmap *map = prof_jit_map(j);
    return prof_name_of(j->names, map ? sym_perfmap_find(map, ip) : NULL);
}

/* NULL: ip is not in generated code; "": no map names it; else its function, from names. *out_base: where the
 * mapping begins. */
static const char *prof_jit_function(prof_jit *j, uint64_t ip, uint64_t *out_base)
{
    uint32_t row;
    if (!smr_live_find_range(j->survey->seen_live, ip, out_base, NULL, &row) ||
        j->survey->seen.rows[row].kind != PROF_NODE_JIT)
        return NULL;
    return prof_jit_named(j, ip);
}

static void prof_jit_name_line(prof_jit *j, struct prof_line *row, struct prof_jit_counts *counts)
{
    uint64_t base;
    const char *function = prof_jit_function(j, row->ip, &base);
    if (!function) return;
    counts->named += function[0] != '\0';
    counts->nameless += function[0] == '\0';
    row->module = prof_name_of(j->names, "[jit]");
    row->function = row->symbol = function;
    if (function[0] != '\0') return;
    /* all such code is one row, because its functions are not known */
    row->function = prof_name_of(j->names, "generated code without a name");
    row->symbol = prof_name_printf(j->names, "[jit] anon+0x%" PRIx64, row->ip - base);
}

struct prof_jit_counts prof_jit_name_lines(prof_jit *j, struct prof_line *rows, size_t len)
{
    struct prof_jit_counts counts = {.map_path = ""};
    for (size_t i = 0; i < len; i++) {
        if (rows[i].module[0] == '\0') prof_jit_name_line(j, &rows[i], &counts);
        if (rows[i].function[0] != '\0') continue;
        const char *function = prof_jit_named(j, rows[i].ip);
        if (function[0] == '\0') continue;
        rows[i].function = rows[i].symbol = function;
        counts.named++;
    }
    if (counts.named > 0) counts.map_path = j->path;
    return counts;
}

struct prof_functions {
    const struct prof_modules *modules;
    prof_jit *jit;
    prof_names *names;
    LS_VECTOR(const char *) found; /* names */
    struct ls_index by_ip;         /* rows of found */
};

prof_functions *prof_functions_new(const struct prof_modules *modules, prof_jit *jit, prof_names *names)
{
    prof_functions *f = calloc(1, sizeof(*f));
    if (f) *f = (prof_functions){.modules = modules, .jit = jit, .names = names};
    return f;
}

void prof_functions_free(prof_functions *f)
{
    if (!f) return;
    free(f->found.rows);
    ls_index_fini(&f->by_ip);
    free(f);
}

static const char *prof_function_generated(prof_functions *f, uint64_t ip)
{
    uint64_t base;
    const char *name = prof_jit_function(f->jit, ip, &base);
    return !name ? "" : *name ? name : prof_name_of(f->names, "[jit]");
}

static const char *prof_function_look_up(prof_functions *f, uint64_t ip)
{
    const struct prof_loaded *l = prof_modules_at(f->modules, NULL, ip);
    if (!l) return prof_function_generated(f, ip);
    const char *function =
        l->has_bias ? sym_file_function(f->modules->files, l->file, ip - l->bias).function : "";
    if (*function) return prof_name_of(f->names, function);
    const char *named = prof_jit_named(f->jit, ip);
    if (*named) return named;
    return prof_name_printf(f->names, l->path[0] == '[' ? "%s" : "[%s]", ls_base_name(l->path));
}

const char *prof_function_file(const prof_functions *f, uint64_t ip)
{
    const struct prof_loaded *l = prof_modules_at(f->modules, NULL, ip);
    return l ? l->path : "";
}

const char *prof_function_at(prof_functions *f, uint64_t ip)
{
    const uint32_t row = ls_index_find(&f->by_ip, ip);
    if (row < f->found.len) return f->found.rows[row];
    const char *name = prof_function_look_up(f, ip);
    if (LS_VECTOR_ADD(&f->found, name) == LS_OK) /* without memory it is looked up each time */
        ls_index_put(&f->by_ip, ip, (uint32_t)f->found.len - 1);
    return name;
}
