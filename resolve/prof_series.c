/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_series.h"

#include <stdlib.h>

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

ls_err prof_series_write(const struct prof_series *s, prof_writer *w)
{
    for (int i = 0; i < PROF_SERIES_COUNT; i++)
        LS_TRY(prof_writer_table(w, prof_series_tables[i], s->points[i].rows, s->points[i].len));
    return LS_OK;
}

void prof_series_fini(struct prof_series *s)
{
    for (int i = 0; i < PROF_SERIES_COUNT; i++)
        free(s->points[i].rows);
    *s = (struct prof_series){0};
}
