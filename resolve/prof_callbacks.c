/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_callbacks.h"

#include "resolve/prof_events.h"
#include "resolve/prof_functions.h"
#include "spool/spool_record.h"

/* Kind, and the texts before and after "natural-domain function F of "NODE"". */
struct prof_callback_row {
    const char *kind, *before, *behind;
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
                              function, label, row->behind);
    if (rec->rec.flags == SPOOL_CALLBACK_SUMMARY) e.count = rec->calls;
    if (rec->rec.flags == SPOOL_CALLBACK_RUNS) e.time_ns = p->end_ns;
    return prof_event_put(r->run, r->process, e);
}
