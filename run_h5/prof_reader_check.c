/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_h5/prof_file.h"

#include <stdio.h>
#include <string.h>

/* --- columns, by their meaning in the list of prof_schema.h --- */

static uint64_t value_at(enum prof_type type, const void *at)
{
    uint32_t value;
    if (type == PROF_U8) return *(const uint8_t *)at;
    if (type != PROF_U32) return 0;
    memcpy(&value, at, sizeof(value));
    return value;
}

/* Least wrong value; UINT64_MAX: all values are valid. */
static uint64_t limit_of(const struct prof_field *f, const struct prof_lens *lens)
{
    if (f->meaning == PROF_ROW) return lens->rows[f->table];
    return f->meaning == PROF_CODE ? f->codes->len : UINT64_MAX;
}

/* The values of one column, stride_bytes apart. */
struct column {
    const struct prof_field *field;
    const uint8_t *values;
    uint64_t stride_bytes, len;
};

/* Return the first row whose value the column's meaning forbids; len: none. */
static uint64_t first_wrong(struct column c, const struct prof_lens *lens)
{
    const struct prof_field *f = c.field;
    const uint64_t limit = limit_of(f, lens);
    if (limit == UINT64_MAX && f->meaning != PROF_ID && f->meaning != PROF_EARLIER) return c.len;
    for (uint64_t i = 0; i < c.len; i++) {
        const uint64_t value = value_at(f->type, c.values + i * c.stride_bytes);
        const bool is_sound = f->meaning == PROF_ID        ? value == i
                              : f->meaning == PROF_EARLIER ? value < i || (i == 0 && value == f->fill)
                                                           : value < limit;
        if (!is_sound && !(f->may_miss && value == f->fill)) return i;
    }
    return c.len;
}

static const char *fault_of(const struct prof_field *f)
{
    switch (f->meaning) {
    case PROF_ID:
        return "is not the row number";
    case PROF_EARLIER:
        return "does not stand before its child";
    case PROF_CODE:
        return "is not known";
    default:
        return "is out of range";
    }
}

/* --- rows: checks across columns --- */

/* Return the problem of row i, or NULL. */
typedef const char *row_check(const void *rows, uint64_t i, const struct prof_lens *lens);

static const char *check_burst(const void *rows, uint64_t i, const struct prof_lens *lens)
{
    const struct prof_burst *b = (const struct prof_burst *)rows + i;
    return b->first_sample > lens->samples || b->samples_len > lens->samples - b->first_sample
               ? "samples are out of range"
               : NULL;
}

static const char *check_kernel(const void *rows, uint64_t i, const struct prof_lens *lens)
{
    const struct prof_kernel *k = (const struct prof_kernel *)rows + i;
    (void)lens;
    return k->time_ns >= 0 && k->error_ns >= 0 ? NULL : "time is negative";
}

static const char *check_line(const void *rows, uint64_t i, const struct prof_lens *lens)
{
    const struct prof_line *l = (const struct prof_line *)rows + i;
    (void)lens;
    if (i == 0 || l[-1].process < l->process) return NULL;
    const bool is_later = l[-1].ip < l->ip || (l[-1].ip == l->ip && l[-1].until_ns < l->until_ns);
    if (l[-1].process > l->process || !is_later) return "rows are not sorted by process, ip and time";
    return NULL;
}

static const char *check_inline(const void *rows, uint64_t i, const struct prof_lens *lens)
{
    const struct prof_inline *n = (const struct prof_inline *)rows + i;
    (void)lens;
    const bool goes_on = i > 0 && n[-1].line == n->line;
    if (i > 0 && n[-1].line > n->line) return "rows are not sorted by line";
    return n->depth == (goes_on ? n[-1].depth + 1 : 1) ? NULL : "depths do not count from 1";
}

static const char *check_process(const void *rows, uint64_t i, const struct prof_lens *lens)
{
    (void)lens;
    return ((const struct prof_process *)rows)[i].parent == i ? "parent is out of range" : NULL;
}

/* The rows of a type are together; the first of them is the type itself. */
static const char *check_member(const void *rows, uint64_t i, const struct prof_lens *lens)
{
    const struct prof_member *all = rows, *m = all + i;
    const bool is_first = i == 0 || all[i - 1].type != m->type;
    (void)lens;
    if (!is_first && m->type < all[i - 1].type) return "rows are not sorted by type";
    if (is_first != (m->parent == UINT32_MAX)) return "parent is out of range";
    if (!is_first && all[m->parent].type != m->type) return "parent is of another type";
    return m->offset_bytes + m->len_bytes < m->offset_bytes ? "size is out of range" : NULL;
}

static row_check *const row_checks[PROF_TABLE_COUNT] = {
    [PROF_TABLE_bursts] = check_burst,      [PROF_TABLE_kernels] = check_kernel,
    [PROF_TABLE_lines] = check_line,        [PROF_TABLE_inlines] = check_inline,
    [PROF_TABLE_processes] = check_process, [PROF_TABLE_members] = check_member,
};

static ls_err bad_row(const char *path, enum prof_table_id id, uint64_t i, const char *fault)
{
    return ls_fail(LS_ERR_FORMAT, "%s: %s: row %llu: %s", path, prof_tables[id].group, (unsigned long long)i,
                   fault);
}

ls_err prof_check_table(const char *path, enum prof_table_id id, const void *rows,
                        const struct prof_lens *lens)
{
    const struct prof_table *t = &prof_tables[id];
    const uint64_t len = lens->rows[id];
    if (id == PROF_TABLE_nodes && len == 0) return ls_fail(LS_ERR_FORMAT, "%s: /nodes: no root", path);
    if (len == 0) return LS_OK;
    for (size_t f = 0; f < t->fields_len; f++) {
        const struct prof_field *field = &t->fields[f];
        char fault[128];
        const uint64_t i = first_wrong(
            (struct column){field, (const uint8_t *)rows + field->offset_bytes, t->row_bytes, len}, lens);
        if (i == len) continue;
        snprintf(fault, sizeof(fault), "%s %s", field->name, fault_of(field));
        return bad_row(path, id, i, fault);
    }
    for (uint64_t i = 0; row_checks[id] && i < len; i++) {
        const char *fault = row_checks[id](rows, i, lens);
        if (fault) return bad_row(path, id, i, fault);
    }
    return LS_OK;
}

ls_err prof_check_column(const char *path, enum prof_column column, const struct prof_rows *rows,
                         const struct prof_lens *lens)
{
    const struct prof_field *f = &prof_column_rows[column];
    const uint64_t bytes = prof_type_bytes(f->type);
    const uint64_t i = first_wrong((struct column){f, rows->values, bytes, rows->len}, lens);
    if (i == rows->len) return LS_OK;
    return ls_fail(LS_ERR_FORMAT, "%s: /samples/%s: row %llu: %llu is out of range", path, f->name,
                   (unsigned long long)(rows->first + i),
                   (unsigned long long)value_at(f->type, (const uint8_t *)rows->values + i * bytes));
}
