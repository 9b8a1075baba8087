/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/prof_phases.h"

#include "profile/prof_replay.h"

#include <stdlib.h>

static ls_err prof_phase_id(struct prof_run_state *run, uint32_t parent, const char *name, uint32_t *out)
{
    for (size_t i = 0; i < run->phases.len; i++)
        if (run->phases.rows[i].parent == parent && run->phases.rows[i].name == name) {
            *out = (uint32_t)i;
            return LS_OK;
        }
    LS_TRY(PROF_VECTOR_ROOM(&run->phases));
    *out = (uint32_t)run->phases.len;
    run->phases.rows[run->phases.len++] = (struct prof_phase){*out, parent, name};
    return LS_OK;
}

ls_err prof_phase_begin(struct prof_phase_stack *s, struct prof_run_state *run, const char *name)
{
    uint32_t id;
    LS_TRY(prof_phase_id(run, prof_phase_now(s), name, &id));
    LS_TRY(PROF_VECTOR_ROOM(&s->open));
    s->open.rows[s->open.len++] = (struct prof_open_phase){id, name};
    return LS_OK;
}

void prof_phase_end(struct prof_phase_stack *s, const char *name)
{
    for (size_t i = s->open.len; i-- > 0;)
        if (s->open.rows[i].name == name) {
            s->open.len = i;
            return;
        }
}

uint32_t prof_phase_now(const struct prof_phase_stack *s)
{
    return s->open.len > 0 ? s->open.rows[s->open.len - 1].id : UINT32_MAX;
}

void prof_phase_fini(struct prof_phase_stack *s)
{
    free(s->open.rows);
    s->open.rows = NULL;
    s->open.len = s->open.room = 0;
}
