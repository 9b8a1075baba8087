/* SPDX-License-Identifier: BSD-3-Clause */
/* From records of the spool to rows: incidents (/events), reports on callbacks, time series of processes. */
#include "resolve/prof_functions.h"
#include "resolve/prof_replay.h"
#include "spool/spool_record.h"

#include <stdlib.h>
#include <string.h>

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

ls_err prof_event_put_own(struct prof_replay *r)
{
    const struct prof_event events[] = {
        {.kind = "FORKS_LEFT_OUT",
         .text = "fork children that do not know their parent's blocks: too many at once to resolve",
         .count = r->forks_left_out},
        {.kind = "PHASE_UNMATCHED",
         .text = "ends of phases that were not open in their thread",
         .count = r->phases_unmatched},
        {.kind = "PHASE_TOO_DEEP",
         .text = "phases nested so deep that they count as the one around them",
         .count = r->run->phases.hidden},
        {.kind = "PHASE_LEFT_OPEN",
         .text = "phases that their thread left open when it ended",
         .count = r->phases_left_open},
        {.kind = "MAP_DAMAGED",
         .text = "invalid records of natural domains and maps: the data that they map has no field",
         .count = r->run->domains.refused},
    };
    r->run->phases.hidden = r->run->domains.refused = 0;
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        struct prof_event e = events[i];
        e.time_ns = prof_process_of(r)->end_ns;
        if (e.count > 0) LS_TRY(prof_event_put(r->run, r->process, e));
    }
    return LS_OK;
}

/* --- files without names --- */

static ls_err prof_nameless_add(struct prof_run_state *run, const char *text)
{
    return LS_VECTOR_ADD(
        &run->events,
        (struct prof_event){
            .process = UINT32_MAX, .time_ns = UINT64_MAX, .kind = "NO_SYMBOLS", .text = text, .count = 1});
}

/* Images of interpreters and memory without a name have no symbols; /events has them all the same. */
static bool prof_is_mapped_data(const sym_file *f)
{
    return strcmp(sym_file_problem(f), SYM_PROBLEM_NOT_ELF) == 0 ||
           strncmp(sym_file_path(f), "/memfd:", strlen("/memfd:")) == 0;
}

ls_err prof_nameless_warn(struct prof_run_state *run, void (*warn)(void *user, const char *text))
{
    const sym_file *f;
    for (size_t i = 0; (f = sym_files_at(run->files, i)) != NULL; i++) {
        const char *problem = sym_file_problem(f);
        if (*problem == '\0' || !sym_file_was_asked(f)) continue;
        const char *text = prof_name_printf(
            run->names, "%s: %s; names of its functions and data are missing, addresses are kept",
            sym_file_path(f), problem);
        LS_TRY(prof_nameless_add(run, text));
        if (warn && !prof_is_mapped_data(f)) warn(run->user, text);
    }
    return LS_OK;
}

/* --- natural-domain callbacks --- */

/* Kind, and the texts before and after "natural-domain function F of "NODE"". */
struct prof_callback_row {
    const char *kind, *before, *after;
};
static const struct prof_callback_row prof_callback_rows[] = {
    [SPOOL_CALLBACK_RUNS] = {"CALLBACK_CRASHED", "the program ended inside the", ""},
    [SPOOL_CALLBACK_SLOW] = {"CALLBACK_SLOW", "the",
                             " took longer than 10 ms in one call: it was not called again"},
    [SPOOL_CALLBACK_COSTLY] = {"CALLBACK_COSTLY", "the",
                               " took more than half of the overhead budget: it was not called again"},
    [SPOOL_CALLBACK_GONE] = {"CALLBACK_GONE", "the code of the", " was unloaded: it was not called again"},
    [SPOOL_CALLBACK_LEFT] = {"CALLBACK_LEFT", "the", " ended its thread: it was not called again"},
    [SPOOL_CALLBACK_WAITING] = {"CALLBACK_WAITING", "the",
                                " did not return while the program waited for it (does it wait for a lock "
                                "that the program holds?)"},
    [SPOOL_CALLBACK_SUMMARY] = {"CALLBACK_CALLS", "calls of the", ""},
};
_Static_assert(sizeof(prof_callback_rows) / sizeof(prof_callback_rows[0]) == SPOOL_CALLBACK_LAST + 1,
               "each kind of news has a text");

static bool prof_callback_is_name(const char *name)
{
    return name[0] != '\0' && name[0] != '[';
}

static bool prof_callback_is_code(struct prof_replay *r, const struct spool_callback *rec)
{
    const struct prof_mapping *m = prof_survey_seen(r->survey, rec->argument, rec->time_ns);
    return m && (m->access & PROF_MAP_EXEC);
}

/* The argument of a binding (C++, Fortran) is the program's function. */
static const char *prof_callback_function(struct prof_replay *r, const struct spool_callback *rec)
{
    prof_functions *functions = prof_functions_new(&r->modules, r->jit, r->run->names);
    if (!functions) return NULL;
    const char *own = prof_function_at(functions, rec->function);
    const char *bound = prof_function_at(functions, rec->argument);
    prof_functions_free(functions);
    if (prof_callback_is_code(r, rec) && prof_callback_is_name(bound)) return bound;
    if (prof_callback_is_name(own)) return own;
    return prof_name_printf(r->run->names, "at 0x%llx", (unsigned long long)rec->function);
}

static const char *prof_callback_node(struct prof_replay *r, const struct spool_callback *rec)
{
    if (rec->label_len > 0) return prof_name(r->run->names, SPOOL_REC_TAIL(rec), rec->label_len);
    const struct prof_survey *s = r->survey;
    const struct prof_survey_node *n = prof_survey_known(s, rec->node);
    return n && n->label ? n->label : "";
}

static bool prof_callback_is_news(const struct spool_callback *rec)
{
    return rec->rec.flags != SPOOL_CALLBACK_RUNS || rec->entered != 0;
}

ls_err prof_callback_take(struct prof_replay *r, const struct spool_callback *rec)
{
    const struct prof_callback_row *row = &prof_callback_rows[rec->rec.flags];
    struct prof_process *p = prof_process_of(r);
    if (rec->all_spent_ns > p->bursts_ns) p->bursts_ns = rec->all_spent_ns;
    if (!prof_callback_is_news(rec)) return LS_OK;
    const char *function = prof_callback_function(r, rec);
    if (!function) return ls_nomem("the name of a function");
    const char *label = prof_callback_node(r, rec);
    struct prof_event e = {.time_ns = prof_since_start(r->run, rec->time_ns), .kind = row->kind, .count = 1};
    e.text = prof_name_printf(r->run->names, "%s natural-domain function %s of \"%s\"%s", row->before,
                              function, label, row->after);
    if (rec->rec.flags == SPOOL_CALLBACK_SUMMARY) e.count = rec->calls;
    if (rec->rec.flags == SPOOL_CALLBACK_RUNS) e.time_ns = p->end_ns;
    return prof_event_put(r->run, r->process, e);
}

/* --- time series --- */

static const enum prof_table_id prof_series_tables[PROF_SERIES_COUNT] = {
    [PROF_SERIES_RESIDENT] = PROF_TABLE_resident_bytes,
    [PROF_SERIES_MINOR_FAULTS] = PROF_TABLE_minor_faults,
    [PROF_SERIES_MAJOR_FAULTS] = PROF_TABLE_major_faults,
};

ls_err prof_series_add(struct prof_series *s, struct prof_point at, const struct spool_resources *r)
{
    const uint64_t values[PROF_SERIES_COUNT] = {
        [PROF_SERIES_RESIDENT] = r->resident_bytes,
        [PROF_SERIES_MINOR_FAULTS] = r->minor_faults,
        [PROF_SERIES_MAJOR_FAULTS] = r->major_faults,
    };
    for (int i = 0; i < PROF_SERIES_COUNT; i++) {
        LS_TRY(LS_VECTOR_ROOM(&s->points[i]));
        at.value = values[i];
        s->points[i].rows[s->points[i].len++] = at;
    }
    return LS_OK;
}

static int prof_compare_points(const void *a, const void *b)
{
    const struct prof_point *x = a, *y = b;
    if (x->process != y->process) return (x->process > y->process) - (x->process < y->process);
    return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

/* A thread that lost the processor between reading the clock and writing its record made that record late. */
ls_err prof_series_write(struct prof_series *s, prof_writer *w)
{
    for (int i = 0; i < PROF_SERIES_COUNT; i++) {
        if (s->points[i].len > 0)
            qsort(s->points[i].rows, s->points[i].len, sizeof(s->points[i].rows[0]), prof_compare_points);
        LS_TRY(prof_writer_table(w, prof_series_tables[i], s->points[i].rows, s->points[i].len));
    }
    return LS_OK;
}

void prof_series_fini(struct prof_series *s)
{
    for (int i = 0; i < PROF_SERIES_COUNT; i++)
        free(s->points[i].rows);
    *s = (struct prof_series){0};
}
