/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/prof_phases.h"

#include "profile/prof_replay.h"

#include <stdlib.h>

static size_t prof_phase_slot(const struct prof_run_state *run, uint32_t parent, const char *name)
{
    const size_t mask = run->phase_table.room - 1;
    /* Fibonacci hashing (Knuth, TAOCP vol. 3, 6.4); names are unique pointers */
    size_t at =
        (size_t)((((uint64_t)(uintptr_t)name >> 3) ^ parent) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
    for (;; at = (at + 1) & mask) {
        const uint32_t id = run->phase_table.ids[at];
        if (id == PROF_NO_PHASE) return at;
        const struct prof_phase *p = &run->phases.rows[id];
        if (p->parent == parent && p->name == name) return at;
    }
}

/* At most half full. */
static ls_err prof_phase_table_room(struct prof_run_state *run)
{
    enum { PROF_FIRST_ROOM = 64 };
    if (2 * (run->phases.len + 1) <= run->phase_table.room) return LS_OK;
    const size_t room = run->phase_table.room ? 2 * run->phase_table.room : PROF_FIRST_ROOM;
    uint32_t *ids = malloc(room * sizeof(*ids));
    if (!ids) return ls_fail(LS_ERR_NOMEM, "out of memory for %zu phases", run->phases.len);
    for (size_t i = 0; i < room; i++)
        ids[i] = PROF_NO_PHASE;
    free(run->phase_table.ids);
    run->phase_table.ids = ids;
    run->phase_table.room = room;
    for (uint32_t i = 0; i < run->phases.len; i++)
        ids[prof_phase_slot(run, run->phases.rows[i].parent, run->phases.rows[i].name)] = i;
    return LS_OK;
}

static ls_err prof_phase_id(struct prof_run_state *run, uint32_t parent, const char *name, uint32_t *out)
{
    LS_TRY(prof_phase_table_room(run));
    uint32_t *slot = &run->phase_table.ids[prof_phase_slot(run, parent, name)];
    if (*slot == PROF_NO_PHASE) {
        LS_TRY(LS_VECTOR_ROOM(&run->phases));
        *slot = (uint32_t)run->phases.len;
        run->phases.rows[run->phases.len++] = (struct prof_phase){*slot, parent, name};
    }
    *out = *slot;
    return LS_OK;
}

static ls_err prof_phase_open(struct prof_phase_stack *s, struct prof_run_state *run,
                              struct prof_open_phase phase, struct prof_phase_point at)
{
    LS_TRY(LS_VECTOR_ROOM(&s->open));
    LS_TRY(LS_VECTOR_ROOM(&run->phase_spans));
    phase.span = (uint32_t)run->phase_spans.len;
    run->phase_spans.rows[run->phase_spans.len++] = (struct prof_phase_span){
        .phase = phase.id, .thread = at.thread, .begin_ns = at.time_ns, .end_ns = UINT64_MAX};
    s->open.rows[s->open.len++] = phase;
    return LS_OK;
}

/* Open under its name, so that its end is known, but nothing of its own. */
static ls_err prof_phase_hide(struct prof_phase_stack *s, struct prof_run_state *run,
                              struct prof_open_phase phase)
{
    LS_TRY(LS_VECTOR_ROOM(&s->open));
    phase.id = prof_phase_now(s);
    phase.span = UINT32_MAX;
    s->open.rows[s->open.len++] = phase;
    run->phases_hidden++;
    return LS_OK;
}

ls_err prof_phase_begin(struct prof_phase_stack *s, struct prof_run_state *run, const char *name,
                        uint32_t around, struct prof_phase_point at)
{
    struct prof_open_phase phase = {.name = name};
    const uint32_t own = prof_phase_now(s);
    if (s->open.len >= PROF_PHASE_DEPTH_MAX) return prof_phase_hide(s, run, phase);
    LS_TRY(prof_phase_id(run, own != PROF_NO_PHASE ? own : around, name, &phase.id));
    return prof_phase_open(s, run, phase, at);
}

static void prof_phase_close(struct prof_phase_stack *s, struct prof_run_state *run, size_t from,
                             uint64_t time_ns)
{
    for (size_t i = from; i < s->open.len && s->open.rows[i].span != UINT32_MAX; i++)
        run->phase_spans.rows[s->open.rows[i].span].end_ns = time_ns;
    s->open.len = from;
}

bool prof_phase_end(struct prof_phase_stack *s, struct prof_run_state *run, const char *name,
                    uint64_t time_ns)
{
    for (size_t i = s->open.len; i-- > 0;)
        if (s->open.rows[i].name == name) {
            prof_phase_close(s, run, i, time_ns);
            return true;
        }
    return false;
}

size_t prof_phase_end_all(struct prof_phase_stack *s, struct prof_run_state *run, uint64_t time_ns)
{
    const size_t len = s->open.len;
    prof_phase_close(s, run, 0, time_ns);
    return len;
}

ls_err prof_phase_copy(const struct prof_phase_stack *from, struct prof_phase_stack *to,
                       struct prof_run_state *run, struct prof_phase_point at)
{
    for (size_t i = 0; i < from->open.len && i < PROF_PHASE_DEPTH_MAX; i++)
        LS_TRY(prof_phase_open(to, run, from->open.rows[i], at));
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
