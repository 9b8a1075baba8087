/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/prof_session.h"

static ls_err prof_session_fill(const struct prof_survey *survey, sym_session *session)
{
    for (size_t i = 0; i < survey->modules.len; i++) {
        const struct prof_survey_module *m = &survey->modules.rows[i];
        LS_TRY(sym_session_add(session, m->path, m->base, m->end, m->offset_bytes));
    }
    const struct prof_survey_bytes *v = &survey->vdso;
    if (v->len_bytes == 0) return LS_OK;
    const struct sym_image vdso = {
        .name = "[vdso]", .bytes = v->bytes, .len_bytes = v->len_bytes, .base = v->base};
    return sym_session_add_image(session, &vdso);
}

ls_err prof_session_open(const struct prof_survey *survey, sym_session **out)
{
    LS_TRY(sym_session_new(out));
    const ls_err e = prof_session_fill(survey, *out);
    if (e == LS_OK) return LS_OK;
    sym_session_free(*out);
    *out = NULL;
    return e;
}
