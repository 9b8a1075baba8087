/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_modules.h"

#include <stdlib.h>

static void prof_find_bias(struct prof_loaded *l, uint64_t offset_bytes)
{
    uint64_t linked;
    if (!sym_file_linked(l->file, offset_bytes, &linked)) return;
    l->bias = l->base - linked;
    l->has_bias = l->bias == 0 || !sym_file_is_fixed(l->file);
}

/* The kernel's own library, which is in no file. */
static ls_err prof_modules_add_vdso(struct prof_modules *m, const struct prof_survey_bytes *bytes)
{
    const struct sym_image image = {.name = "[vdso]", .bytes = bytes->bytes, .len_bytes = bytes->len_bytes};
    struct prof_loaded l = {.path = image.name,
                            .base = bytes->base,
                            .end = bytes->base + bytes->len_bytes,
                            .died_ns = UINT64_MAX};
    if (bytes->len_bytes == 0) return LS_OK;
    LS_TRY(sym_files_get_image(m->files, &image, &l.file));
    prof_find_bias(&l, 0);
    return LS_VECTOR_ADD(&m->rows, l);
}

/* Engines copy their code closer to the code they generate (V8's embedded builtins): a fixed program that is
 * where it was linked may have pieces elsewhere too. */
static void prof_find_copies(struct prof_modules *m)
{
    for (size_t i = 0; i < m->rows.len; i++) {
        struct prof_loaded *l = &m->rows.rows[i];
        for (size_t other = 0; !l->has_bias && l->bias != 0 && other < m->rows.len; other++)
            l->has_bias = m->rows.rows[other].file == l->file && m->rows.rows[other].has_bias &&
                          m->rows.rows[other].bias == 0;
    }
}

ls_err prof_modules_init(struct prof_modules *m, const struct prof_survey *survey, sym_files *files)
{
    *m = (struct prof_modules){.files = files};
    for (size_t i = 0; i < survey->modules.len; i++) {
        const struct prof_survey_module *seen = &survey->modules.rows[i];
        struct prof_loaded l = {.path = seen->path,
                                .base = seen->base,
                                .end = seen->end,
                                .born_ns = seen->born_ns,
                                .died_ns = seen->died_ns};
        LS_TRY(sym_files_get(files, seen->path, &l.file));
        prof_find_bias(&l, seen->offset_bytes);
        LS_TRY(LS_VECTOR_ADD(&m->rows, l));
    }
    prof_find_copies(m);
    return prof_modules_add_vdso(m, &survey->vdso);
}

void prof_modules_fini(struct prof_modules *m)
{
    free(m->rows.rows);
    *m = (struct prof_modules){0};
}

struct prof_loaded *prof_modules_at(const struct prof_modules *m, const char *path, uint64_t addr)
{
    for (size_t i = 0; i < m->rows.len; i++) {
        struct prof_loaded *l = &m->rows.rows[i];
        if (addr >= l->base && addr < l->end && (!path || path == l->path)) return l;
    }
    return NULL;
}

struct prof_loaded *prof_modules_then(const struct prof_modules *m, uint64_t addr, uint64_t time_ns)
{
    for (size_t i = 0; i < m->rows.len; i++) {
        struct prof_loaded *l = &m->rows.rows[i];
        if (addr >= l->base && addr < l->end && time_ns >= l->born_ns && time_ns < l->died_ns) return l;
    }
    return prof_modules_at(m, NULL, addr);
}

ls_err prof_modules_write(const struct prof_modules *m, uint32_t process, prof_names *names,
                          prof_module_list *out)
{
    for (size_t i = 0; i < m->rows.len; i++) {
        const struct prof_loaded *l = &m->rows.rows[i];
        LS_TRY(LS_VECTOR_ADD(out,
                             (struct prof_module){.process = process,
                                                  .path = l->path,
                                                  .build_id = prof_name_of(names, sym_file_build_id(l->file)),
                                                  .base = l->base,
                                                  .end = l->end,
                                                  .bias = l->bias}));
    }
    return LS_OK;
}

static ls_err prof_session_fill(const struct prof_modules *modules, sym_session *session)
{
    for (size_t i = 0; i < modules->rows.len; i++) {
        const struct prof_loaded *l = &modules->rows.rows[i];
        if (l->has_bias && sym_file_unwinds(modules->files, l->file))
            LS_TRY(sym_session_add(session, sym_file_open_path(l->file), l->bias));
    }
    return LS_OK;
}

ls_err prof_session_open(const struct prof_modules *modules, sym_session **out)
{
    LS_TRY(sym_session_new(out));
    const ls_err e = prof_session_fill(modules, *out);
    if (e == LS_OK) return e;
    sym_session_free(*out);
    *out = NULL;
    return e;
}
