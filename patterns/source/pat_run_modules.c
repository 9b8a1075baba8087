/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_run_modules.h"
#include "patterns/source/pat_tables.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct pat_run_module {
    uint32_t row;  /* of the source's table, PAT_NONE: not needed yet */
    bool is_known; /* whether it is alone */
    bool is_alone; /* no other module of its process was ever at any of its addresses */
};

ls_err pat_run_modules_init(struct pat_run_modules *m, const prof_profile *p)
{
    *m = (struct pat_run_modules){0};
    m->modules = prof_modules(p, &m->len);
    m->lines = prof_lines(p, &m->lines_len);
    m->rows = calloc(m->len + 1, sizeof(*m->rows));
    if (!m->rows) return ls_nomem("%zu modules", m->len);
    for (size_t i = 0; i < m->len; i++)
        m->rows[i].row = PAT_NONE;
    return LS_OK;
}

void pat_run_modules_fini(struct pat_run_modules *m)
{
    free(m->rows);
    *m = (struct pat_run_modules){0};
}

static bool pat_run_is_alone(struct pat_run_modules *m, size_t i)
{
    const struct prof_module *a = &m->modules[i];
    struct pat_run_module *row = &m->rows[i];
    if (row->is_known) return row->is_alone;
    *row = (struct pat_run_module){row->row, true, true};
    for (size_t j = 0; j < m->len && row->is_alone; j++) {
        const struct prof_module *b = &m->modules[j];
        row->is_alone = j == i || a->process != b->process || a->end <= b->base || b->end <= a->base;
    }
    return row->is_alone;
}

/* The line of a place: of rows for one ip the first whose module was still there. */
static const struct prof_line *pat_run_line(const struct pat_run_modules *m, const struct pat_run_place *at)
{
    size_t from = 0, to = m->lines_len;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const struct prof_line *l = &m->lines[middle];
        const bool is_before = l->process != at->process
                                   ? l->process < at->process
                                   : l->ip < at->ip || (l->ip == at->ip && l->until_ns != UINT64_MAX &&
                                                        l->until_ns <= at->time_ns);
        if (is_before)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == m->lines_len) return NULL;
    const struct prof_line *l = &m->lines[from];
    return l->process == at->process && l->ip == at->ip ? l : NULL;
}

static bool pat_run_is_in(const struct prof_module *m, const struct pat_run_place *at)
{
    return m->process == at->process && at->ip >= m->base && at->ip < m->end;
}

/* The module at a place that the lines name, else the first one; m->len: none. */
static size_t pat_run_find(const struct pat_run_modules *m, const struct pat_run_place *at)
{
    const struct prof_line *line = NULL;
    size_t first = m->len, found = 0;
    for (size_t i = 0; i < m->len; i++) {
        if (!pat_run_is_in(&m->modules[i], at)) continue;
        if (found++ == 0)
            first = i;
        else if (found == 2)
            line = pat_run_line(m, at);
        if (found > 1 && !line) return first;
        if (found > 1 && strcmp(m->modules[first].path, line->module) == 0) return first;
        if (found > 1 && strcmp(m->modules[i].path, line->module) == 0) return i;
    }
    return first;
}

ls_err pat_run_modules_row(struct pat_run_modules *m, const struct pat_run_place *at, struct pat_tables *t,
                           uint32_t *out)
{
    size_t i = m->last;
    *out = PAT_NONE;
    if (i >= m->len || !pat_run_is_in(&m->modules[i], at) || !pat_run_is_alone(m, i)) i = pat_run_find(m, at);
    if (i == m->len) return LS_OK;
    m->last = i;
    const struct prof_module *seen = &m->modules[i];
    const struct pat_module row = {
        .path = (char *)seen->path, .start = seen->base, .end = seen->end, .bias = seen->bias};
    if (m->rows[i].row == PAT_NONE) LS_TRY(pat_tables_add_module(t, &row, &m->rows[i].row));
    *out = m->rows[i].row;
    return LS_OK;
}
