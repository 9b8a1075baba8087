/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_session.h"

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
