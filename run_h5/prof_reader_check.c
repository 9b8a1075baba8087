/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_h5/prof_reader_check.h"

#include "run_h5/prof_reader.h"

#include <stdbool.h>

#define PROF_NONE UINT32_MAX

static bool prof_in(uint64_t value, uint64_t len)
{
    return value < len;
}

static bool prof_in_or_none(uint32_t value, uint64_t len)
{
    return value == PROF_NONE || value < len;
}

/* Return the problem of row i, or NULL. */
typedef const char *prof_row_check(const void *rows, uint64_t i, const struct prof_lens *lens);

static const char *prof_check_node(const void *rows, uint64_t i, const struct prof_lens *lens)
{
    const struct prof_node *n = (const struct prof_node *)rows + i;
    if (n->id != i) return "id is not the row number";
    if (i == 0 ? n->parent != PROF_NONE : n->parent >= n->id) return "parent does not stand before its child";
    if (n->kind >= PROF_NODE_KIND_COUNT) return "kind is not known";
    return prof_in_or_none(n->process, lens->processes) ? NULL : "process is out of range";
}

static const char *prof_check_thread(const void *rows, uint64_t i, const struct prof_lens *lens)
{
    return prof_in(((const struct prof_thread *)rows)[i].process, lens->processes)
               ? NULL
               : "process is out of range";
}

static const char *prof_check_burst(const void *rows, uint64_t i, const struct prof_lens *lens)
{
    const struct prof_burst *b = (const struct prof_burst *)rows + i;
    if (!prof_in(b->thread, lens->threads)) return "thread is out of range";
    if (b->first_sample > lens->samples || b->samples_len > lens->samples - b->first_sample)
        return "samples are out of range";
    if (!prof_in_or_none(b->phase, lens->phases)) return "phase is out of range";
    return prof_in_or_none(b->frame, lens->frames) ? NULL : "frame is out of range";
}

static const char *prof_check_kernel(const void *rows, uint64_t i, const struct prof_lens *lens)
{
    const struct prof_kernel *k = (const struct prof_kernel *)rows + i;
    if (!prof_in(k->process, lens->processes)) return "process is out of range";
    if (!prof_in(k->cause, PROF_KERNEL_CAUSE_COUNT)) return "cause is not known";
    if (!prof_in_or_none(k->node, lens->nodes)) return "node is out of range";
    if (!prof_in_or_none(k->line, lens->lines)) return "line is out of range";
    if (!(k->time_ns >= 0) || !(k->error_ns >= 0)) return "time is negative";
    return prof_in_or_none(k->frame, lens->frames) ? NULL : "frame is out of range";
}

static const char *prof_check_in_place(const void *rows, uint64_t i, const struct prof_lens *lens)
{
    return prof_in(((const struct prof_in_place *)rows)[i].process, lens->processes)
               ? NULL
               : "process is out of range";
}

static const char *prof_check_module(const void *rows, uint64_t i, const struct prof_lens *lens)
{
    return prof_in(((const struct prof_module *)rows)[i].process, lens->processes)
               ? NULL
               : "process is out of range";
}

static const char *prof_check_line(const void *rows, uint64_t i, const struct prof_lens *lens)
{
    const struct prof_line *l = (const struct prof_line *)rows + i;
    if (!prof_in(l->process, lens->processes)) return "process is out of range";
    if (i == 0 || l[-1].process < l->process) return NULL;
    const bool is_later = l[-1].ip < l->ip || (l[-1].ip == l->ip && l[-1].until_ns < l->until_ns);
    if (l[-1].process > l->process || !is_later) return "rows are not sorted by process, ip and time";
    return NULL;
}

static const char *prof_check_inline(const void *rows, uint64_t i, const struct prof_lens *lens)
{
    const struct prof_inline *n = (const struct prof_inline *)rows + i;
    if (!prof_in(n->line, lens->lines)) return "line is out of range";
    const bool goes_on = i > 0 && n[-1].line == n->line;
    if (i > 0 && n[-1].line > n->line) return "rows are not sorted by line";
    return n->depth == (goes_on ? n[-1].depth + 1 : 1) ? NULL : "depths do not count from 1";
}

static const char *prof_check_phase(const void *rows, uint64_t i, const struct prof_lens *lens)
{
    const struct prof_phase *p = (const struct prof_phase *)rows + i;
    (void)lens;
    if (p->id != i) return "id is not the row number";
    return p->parent == PROF_NONE || p->parent < p->id ? NULL : "parent does not stand before its child";
}

static const char *prof_check_process(const void *rows, uint64_t i, const struct prof_lens *lens)
{
    const struct prof_process *p = (const struct prof_process *)rows + i;
    if (!prof_in_or_none(p->parent, lens->processes) || p->parent == i) return "parent is out of range";
    if (!prof_in_or_none(p->origin, PROF_ORIGIN_COUNT)) return "origin is not known";
    return prof_in_or_none(p->ended, PROF_ENDED_COUNT) ? NULL : "ended is not known";
}

static const char *prof_check_phase_span(const void *rows, uint64_t i, const struct prof_lens *lens)
{
    const struct prof_phase_span *s = (const struct prof_phase_span *)rows + i;
    if (!prof_in(s->phase, lens->phases)) return "phase is out of range";
    return prof_in(s->thread, lens->threads) ? NULL : "thread is out of range";
}

static const char *prof_check_event(const void *rows, uint64_t i, const struct prof_lens *lens)
{
    return prof_in_or_none(((const struct prof_event *)rows)[i].process, lens->processes)
               ? NULL
               : "process is out of range";
}

static const char *prof_check_frame(const void *rows, uint64_t i, const struct prof_lens *lens)
{
    const struct prof_frame *f = (const struct prof_frame *)rows + i;
    if (f->parent != PROF_NONE && f->parent >= i) return "parent does not stand before its child";
    if (!prof_in(f->process, lens->processes)) return "process is out of range";
    return prof_in_or_none(f->line, lens->lines) ? NULL : "line is out of range";
}

static const char *prof_check_site(const void *rows, uint64_t i, const struct prof_lens *lens)
{
    const struct prof_site *s = (const struct prof_site *)rows + i;
    if (s->id != i) return "id is not the row number";
    if (!prof_in(s->process, lens->processes)) return "process is out of range";
    if (!prof_in_or_none(s->frame, lens->frames) || !prof_in_or_none(s->label_frame, lens->frames))
        return "frame is out of range";
    return prof_in_or_none(s->node, lens->nodes) ? NULL : "node is out of range";
}

static prof_row_check *const prof_row_checks[PROF_TABLE_COUNT] = {
    [PROF_TABLE_nodes] = prof_check_node,        [PROF_TABLE_threads] = prof_check_thread,
    [PROF_TABLE_bursts] = prof_check_burst,      [PROF_TABLE_modules] = prof_check_module,
    [PROF_TABLE_lines] = prof_check_line,        [PROF_TABLE_phases] = prof_check_phase,
    [PROF_TABLE_processes] = prof_check_process, [PROF_TABLE_phase_spans] = prof_check_phase_span,
    [PROF_TABLE_events] = prof_check_event,      [PROF_TABLE_inlines] = prof_check_inline,
    [PROF_TABLE_frames] = prof_check_frame,      [PROF_TABLE_sites] = prof_check_site,
    [PROF_TABLE_kernels] = prof_check_kernel,    [PROF_TABLE_in_places] = prof_check_in_place,
};

ls_err prof_check_table(const char *path, enum prof_table_id id, const void *rows, uint64_t rows_len,
                        const struct prof_lens *lens)
{
    if (!prof_row_checks[id]) return LS_OK;
    if (id == PROF_TABLE_nodes && rows_len == 0) return ls_fail(LS_ERR_FORMAT, "%s: /nodes: no root", path);
    for (uint64_t i = 0; i < rows_len; i++) {
        const char *fault = prof_row_checks[id](rows, i, lens);
        if (fault)
            return ls_fail(LS_ERR_FORMAT, "%s: %s: row %llu: %s", path, prof_tables[id].group,
                           (unsigned long long)i, fault);
    }
    return LS_OK;
}

/* Columns that point to a table, or have few values: value < *limit, or missing. */
static uint64_t prof_column_limit(enum prof_column column, const struct prof_lens *lens)
{
    switch (column) {
    case PROF_COL_thread:
        return lens->threads;
    case PROF_COL_node:
        return lens->nodes;
    case PROF_COL_phase:
        return lens->phases;
    case PROF_COL_burst:
        return lens->bursts;
    case PROF_COL_op:
        return 3;
    case PROF_COL_level:
        return PROF_LEVEL_COUNT;
    case PROF_COL_latency_valid:
        return 2;
    default:
        return UINT64_MAX;
    }
}

static uint64_t prof_value_at(const void *values, enum prof_type type, uint64_t i)
{
    if (type == PROF_U8) return ((const uint8_t *)values)[i];
    return type == PROF_U32 ? ((const uint32_t *)values)[i] : 0;
}

ls_err prof_check_column(const char *path, enum prof_column column, const struct prof_rows *rows,
                         const struct prof_lens *lens)
{
    const struct prof_column_row *row = &prof_column_rows[column];
    const uint64_t limit = prof_column_limit(column, lens);
    if (limit == UINT64_MAX) return LS_OK;
    for (uint64_t i = 0; i < rows->len; i++) {
        const uint64_t value = prof_value_at(rows->values, row->type, i);
        if (value >= limit && value != row->fill)
            return ls_fail(LS_ERR_FORMAT, "%s: /samples/%s: row %llu: %llu is out of range", path, row->name,
                           (unsigned long long)(rows->first + i), (unsigned long long)value);
    }
    return LS_OK;
}
