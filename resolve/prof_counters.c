/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters that the launcher sampled: from the spool's file of series to /counters and /series/counters. */
#include "resolve/prof_replay.h"
#include "resolve/prof_resolve.h"
#include "spool/spool_series.h"

#include <stdlib.h>

static void counters_rows(const struct spool_series *s, prof_names *names, struct prof_counter *out)
{
    for (size_t i = 0; i < s->counters.len; i++) {
        const struct spool_series_counter *c = &s->counters.rows[i];
        out[i] = (struct prof_counter){.source = prof_name_of(names, c->source),
                                       .name = prof_name_of(names, c->name),
                                       .scope = prof_name_of(names, c->scope),
                                       .unit = prof_name_of(names, c->unit),
                                       .verified = prof_name_of(names, c->verified),
                                       .kind = c->kind,
                                       .is_level = c->is_level,
                                       .factor = c->factor,
                                       .roof_per_s = c->roof_per_s,
                                       .interval_ns = s->interval_ns,
                                       .reader_cpu_ns = s->cpu_ns};
    }
}

/* The launcher begins to read before the program starts: the part before the run's begin is left out, and its
 * share of an amount. */
static size_t counters_points(const struct spool_series *s, uint64_t start_ns, struct prof_reading *out)
{
    size_t len = 0;
    for (size_t i = 0; i < s->points.len; i++) {
        const struct spool_series_point *p = &s->points.rows[i];
        if (p->end_ns <= start_ns) continue;
        const uint64_t begin_ns = p->begin_ns < start_ns ? start_ns : p->begin_ns;
        const double part =
            begin_ns == p->begin_ns ? 1 : (double)(p->end_ns - begin_ns) / (double)(p->end_ns - p->begin_ns);
        out[len++] = (struct prof_reading){.counter = p->counter,
                                           .gap = p->gap,
                                           .begin_ns = begin_ns - start_ns,
                                           .end_ns = p->end_ns - start_ns,
                                           .value = s->counters.rows[p->counter].is_level ? p->value
                                                                                          : p->value * part};
    }
    return len;
}

ls_err prof_counters_write(const struct prof_resolve_options *o, struct prof_run_state *run)
{
    struct spool_series s;
    ls_err err = spool_series_read(o->spool_dir, &s);
    if (err != LS_OK && err != LS_ERR_NOMEM) { /* no reason to lose a recording */
        if (o->warn) o->warn(o->user, ls_last_error());
        spool_series_fini(&s);
        err = LS_OK;
    }
    struct prof_counter *rows = calloc(s.counters.len + 1, sizeof(*rows));
    struct prof_reading *points = calloc(s.points.len + 1, sizeof(*points));
    if (err == LS_OK && (!rows || !points)) err = ls_nomem("series");
    if (err == LS_OK) counters_rows(&s, run->names, rows);
    if (err == LS_OK) err = prof_writer_table(run->writer, PROF_TABLE_counters, rows, s.counters.len);
    if (err == LS_OK)
        err = prof_writer_table(run->writer, PROF_TABLE_readings, points,
                                counters_points(&s, run->start_ns, points));
    free(rows);
    free(points);
    spool_series_fini(&s);
    return err;
}
