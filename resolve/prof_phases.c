/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_phases.h"

#include <stdlib.h>

static ls_err prof_phase_id(struct prof_phase_tables *t, uint32_t parent, const char *name, uint32_t *out)
{
    const uint64_t key = ls_index_key((uintptr_t)name, parent); /* names are unique pointers */
    for (size_t step = 0; ls_index_next(&t->ids, key, &step, out);)
        if (t->phases.rows[*out].parent == parent && t->phases.rows[*out].name == name) return LS_OK;
    *out = (uint32_t)t->phases.len;
    LS_TRY(LS_VECTOR_ADD(&t->phases, (struct prof_phase){*out, parent, name}));
    return ls_index_put(&t->ids, key, *out);
}

static ls_err prof_phase_open(struct prof_phase_stack *s, struct prof_phase_tables *t,
                              struct prof_open_phase phase, struct prof_phase_point at)
{
    LS_TRY(LS_VECTOR_ROOM(&s->open));
    LS_TRY(LS_VECTOR_ROOM(&t->spans));
    phase.span = (uint32_t)t->spans.len;
    t->spans.rows[t->spans.len++] = (struct prof_phase_span){
        .phase = phase.id, .thread = at.thread, .begin_ns = at.time_ns, .end_ns = UINT64_MAX};
    s->open.rows[s->open.len++] = phase;
    return LS_OK;
}

/* Open a phase under its name, so that its end is recognised, but count it as the one around it. */
static ls_err prof_phase_hide(struct prof_phase_stack *s, struct prof_phase_tables *t,
                              struct prof_open_phase phase)
{
    LS_TRY(LS_VECTOR_ROOM(&s->open));
    phase.id = prof_phase_now(s);
    phase.span = UINT32_MAX;
    s->open.rows[s->open.len++] = phase;
    t->hidden++;
    return LS_OK;
}

ls_err prof_phase_begin(struct prof_phase_stack *s, struct prof_phase_tables *t, const char *name,
                        uint32_t around, struct prof_phase_point at)
{
    struct prof_open_phase phase = {.name = name};
    const uint32_t own = prof_phase_now(s);
    if (s->open.len >= PROF_PHASE_DEPTH_MAX) return prof_phase_hide(s, t, phase);
    LS_TRY(prof_phase_id(t, own != PROF_NO_PHASE ? own : around, name, &phase.id));
    return prof_phase_open(s, t, phase, at);
}

static void prof_phase_close(struct prof_phase_stack *s, struct prof_phase_tables *t, size_t from,
                             uint64_t time_ns)
{
    for (size_t i = from; i < s->open.len && s->open.rows[i].span != UINT32_MAX; i++)
        t->spans.rows[s->open.rows[i].span].end_ns = time_ns;
    s->open.len = from;
}

bool prof_phase_end(struct prof_phase_stack *s, struct prof_phase_tables *t, const char *name,
                    uint64_t time_ns)
{
    for (size_t i = s->open.len; i-- > 0;)
        if (s->open.rows[i].name == name) {
            prof_phase_close(s, t, i, time_ns);
            return true;
        }
    return false;
}

size_t prof_phase_end_all(struct prof_phase_stack *s, struct prof_phase_tables *t, uint64_t time_ns)
{
    const size_t len = s->open.len;
    prof_phase_close(s, t, 0, time_ns);
    return len;
}

ls_err prof_phase_copy(const struct prof_phase_stack *from, struct prof_phase_stack *to,
                       struct prof_phase_tables *t, struct prof_phase_point at)
{
    for (size_t i = 0; i < from->open.len && i < PROF_PHASE_DEPTH_MAX; i++)
        LS_TRY(prof_phase_open(to, t, from->open.rows[i], at));
    return LS_OK;
}

uint32_t prof_phase_now(const struct prof_phase_stack *s)
{
    return s->open.len > 0 ? s->open.rows[s->open.len - 1].id : PROF_NO_PHASE;
}

void prof_phase_fini(struct prof_phase_stack *s)
{
    free(s->open.rows);
    *s = (struct prof_phase_stack){0};
}

void prof_phase_tables_fini(struct prof_phase_tables *t)
{
    free(t->phases.rows);
    free(t->spans.rows);
    ls_index_fini(&t->ids);
    *t = (struct prof_phase_tables){0};
}
