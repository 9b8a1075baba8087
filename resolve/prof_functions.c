/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_functions.h"

#include "common/ls_index.h"
#include "common/ls_text.h"
#include "common/ls_vector.h"
#include "resolve/prof_maps.h"

#include <stdlib.h>

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
