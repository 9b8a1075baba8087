/* SPDX-License-Identifier: BSD-3-Clause */
/* Merge the tables that are appended row by row, and the samples. */
#include "run_h5/prof_file.h"
#include "run_h5/prof_merge_parts.h"

#include <stdlib.h>
#include <string.h>

uint64_t prof_merge_time(const struct prof_merge_file *f, uint64_t time_ns)
{
    return time_ns == UINT64_MAX ? time_ns : time_ns + f->shift_ns;
}

uint64_t prof_merge_row(const struct prof_merge_file *f, enum prof_table_id id, uint64_t row)
{
    if (row == UINT32_MAX) return row;
    if (id == PROF_TABLE_nodes) return f->node_of[row];
    if (id == PROF_TABLE_phases) return f->phase_of[row];
    return row + f->first_row[id];
}

/* Move the row numbers and times of a row, as the list of prof_schema.h has its columns. id: its table. */
static void merge_move(const struct prof_merge_file *f, const struct prof_table *t, enum prof_table_id id,
                       void *row)
{
    for (size_t i = 0; i < t->fields_len; i++) {
        const struct prof_field *field = &t->fields[i];
        void *at = (uint8_t *)row + field->offset_bytes;
        uint32_t *number = at;
        switch (field->meaning) {
        case PROF_ID:
        case PROF_EARLIER:
            *number = (uint32_t)prof_merge_row(f, id, *number);
            break;
        case PROF_ROW:
            *number = (uint32_t)prof_merge_row(f, field->table, *number);
            break;
        case PROF_FIELD_NUMBER:
            if (*number != field->fill) *number += f->first_field;
            break;
        case PROF_TIME:
            *(uint64_t *)at = prof_merge_time(f, *(uint64_t *)at);
            break;
        case PROF_SAMPLE:
            *(uint64_t *)at += f->first_sample;
            break;
        case PROF_VALUE:
        case PROF_CODE:
        case PROF_LABEL:
            break;
        }
    }
}

ls_err prof_merge_count(struct prof_merge_job *job)
{
    uint64_t rows[PROF_TABLE_COUNT] = {0}, samples = 0;
    for (size_t i = 0; i < job->files_len; i++) {
        struct prof_merge_file *f = &job->files[i];
        struct prof_samples none;
        LS_TRY(prof_load_samples(f->profile, 0, &none));
        f->samples_len = none.len;
        f->first_sample = samples;
        samples += none.len;
        for (int id = 0; id < PROF_TABLE_COUNT; id++) {
            size_t len;
            prof_table_rows(f->profile, (enum prof_table_id)id, &len);
            f->first_row[id] = rows[id];
            rows[id] += len;
            if (rows[id] >= UINT32_MAX)
                return ls_fail(LS_ERR_RANGE,
                               "%s: with it %s would have more rows than 32 bits count: merge fewer files",
                               f->path, prof_tables[id].group);
        }
    }
    return LS_OK;
}

static int merge_source_order(const void *a, const void *b)
{
    const struct prof_source *x = a, *y = b;
    const int by_file = strcmp(x->file, y->file);
    return by_file ? by_file : (x->line > y->line) - (x->line < y->line);
}

/* Keep one copy of lines that several files show: the first one's. */
static size_t merge_sources(struct prof_source *rows, size_t len)
{
    size_t kept = 0;
    qsort(rows, len, sizeof(*rows), merge_source_order);
    for (size_t i = 0; i < len; i++)
        if (kept == 0 || merge_source_order(&rows[kept - 1], &rows[i]) != 0) rows[kept++] = rows[i];
    return kept;
}

static ls_err merge_table(struct prof_merge_job *job, enum prof_table_id id)
{
    const size_t row_bytes = prof_tables[id].row_bytes;
    size_t rows_len = 0, len;
    for (size_t i = 0; i < job->files_len; i++) {
        prof_table_rows(job->files[i].profile, id, &len);
        rows_len += len;
    }
    uint8_t *rows = malloc((rows_len + 1) * row_bytes), *at = rows;
    if (!rows) return ls_nomem("%s", prof_tables[id].group);
    for (size_t i = 0; i < job->files_len; i++) {
        const uint8_t *from = prof_table_rows(job->files[i].profile, id, &len);
        if (len > 0) memcpy(at, from, len * row_bytes);
        for (size_t r = 0; r < len; r++, at += row_bytes)
            merge_move(&job->files[i], &prof_tables[id], id, at);
    }
    if (id == PROF_TABLE_sources) rows_len = merge_sources((void *)rows, rows_len);
    const ls_err e = prof_writer_table(job->writer, id, rows, rows_len);
    free(rows);
    return e;
}

ls_err prof_merge_tables(struct prof_merge_job *job)
{
    LS_TRY(prof_writer_table(job->writer, PROF_TABLE_nodes, job->nodes.rows, job->nodes.len));
    LS_TRY(prof_writer_table(job->writer, PROF_TABLE_phases, job->phases.rows, job->phases.len));
    for (int id = 0; id < PROF_TABLE_COUNT; id++)
        if (id != PROF_TABLE_nodes && id != PROF_TABLE_phases)
            LS_TRY(merge_table(job, (enum prof_table_id)id));
    return LS_OK;
}

struct merge_samples {
    prof_writer *writer;
    const struct prof_merge_file *file;
};

static ls_err merge_part(void *user, const struct prof_samples *part)
{
    const struct merge_samples *m = user;
    for (uint64_t i = 0; i < part->len; i++) {
        struct prof_sample s;
#define MERGE_TAKE(name, type, fill, meaning, text) s.name = part->name[i];
        PROF_SAMPLE_COLUMNS(MERGE_TAKE)
        merge_move(m->file, &prof_samples_table, PROF_TABLE_COUNT, &s);
        LS_TRY(prof_writer_add(m->writer, &s));
    }
    return LS_OK;
}

ls_err prof_merge_samples(struct prof_merge_job *job)
{
    for (size_t i = 0; i < job->files_len; i++) {
        struct merge_samples m = {job->writer, &job->files[i]};
        LS_TRY(prof_each_part(job->files[i].profile, PROF_MASK_ALL, merge_part, &m));
    }
    return LS_OK;
}
