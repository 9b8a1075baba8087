/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_events.h"

struct prof_event_name {
    const char *name, *text;
};
#define PROF_EVENT_NAME(name, text) {#name, text},
static const struct prof_event_name prof_event_names[SPOOL_EVENT_COUNT] = {SPOOL_EVENT_LIST(PROF_EVENT_NAME)};

ls_err prof_event_put(struct prof_run_state *run, uint32_t process, struct prof_event event)
{
    LS_TRY(LS_VECTOR_ROOM(&run->events));
    event.process = process;
    run->events.rows[run->events.len++] = event;
    return LS_OK;
}

ls_err prof_event_take(struct prof_run_state *run, uint32_t process, const struct spool_event *e)
{
    if (e->kind >= SPOOL_EVENT_COUNT) {
        run->lost_records++;
        return LS_OK;
    }
    if (e->kind == SPOOL_EVENT_DROPPED_BYTES) run->dropped_bytes += e->count;
    if (e->kind == SPOOL_EVENT_THROTTLED) run->throttled += e->count;
    if (e->kind == SPOOL_EVENT_SAMPLES_LOST || e->kind == SPOOL_EVENT_HARDWARE_LOST)
        run->lost_records += e->count;
    return prof_event_put(run, process,
                          (struct prof_event){.time_ns = prof_since_start(run, e->time_ns),
                                              .kind = prof_event_names[e->kind].name,
                                              .text = prof_event_names[e->kind].text,
                                              .count = e->count,
                                              .detail_errno = (int)e->detail_errno});
}

ls_err prof_event_generated(struct prof_run_state *run, uint32_t process, const struct prof_jit_counts *n)
{
    const struct prof_event events[] = {
        {.kind = "JIT_MAP",
         .text = prof_name_printf(run->names, "instructions of generated code named by %s", n->map_path),
         .count = n->named},
        {.kind = "JIT_NAMELESS",
         .text =
             "instructions of generated code without a name: no /tmp/perf-PID.map of the program has them "
             "(node --perf-basic-prof, an agent of the JVM)",
         .count = n->nameless},
    };
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        struct prof_event e = events[i];
        e.time_ns = UINT64_MAX;
        if (e.count > 0) LS_TRY(prof_event_put(run, process, e));
    }
    return LS_OK;
}
