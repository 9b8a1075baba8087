/* SPDX-License-Identifier: BSD-3-Clause */
/* Merge the tables that are appended row by row, and the samples: which columns hold row numbers, and which
 * hold times. */
#include "run_h5/prof_file.h"
#include "run_h5/prof_merge_parts.h"

#include <stdlib.h>
#include <string.h>

/* A column that holds a row number of another table (or of the same one). Nodes and phases are in
 * prof_merge_nodes.c. */
struct merge_link {
    enum prof_table_id of, to;
    size_t offset_bytes;
};
#define MERGE_LINK(table, row, member, to)                                \
    {                                                                     \
        PROF_TABLE_##table, PROF_TABLE_##to, offsetof(struct row, member) \
    }
static const struct merge_link merge_links[] = {
    MERGE_LINK(threads, prof_thread, process, processes),
    MERGE_LINK(processes, prof_process, parent, processes),
    MERGE_LINK(bursts, prof_burst, thread, threads),
    MERGE_LINK(bursts, prof_burst, frame, frames),
    MERGE_LINK(bursts, prof_burst, phase, phases),
    MERGE_LINK(modules, prof_module, process, processes),
    MERGE_LINK(lines, prof_line, process, processes),
    MERGE_LINK(inlines, prof_inline, line, lines),
    MERGE_LINK(phase_spans, prof_phase_span, phase, phases),
    MERGE_LINK(phase_spans, prof_phase_span, thread, threads),
    MERGE_LINK(resident_bytes, prof_point, process, processes),
    MERGE_LINK(minor_faults, prof_point, process, processes),
    MERGE_LINK(major_faults, prof_point, process, processes),
    MERGE_LINK(events, prof_event, process, processes),
    MERGE_LINK(frames, prof_frame, parent, frames),
    MERGE_LINK(frames, prof_frame, process, processes),
    MERGE_LINK(frames, prof_frame, line, lines),
    MERGE_LINK(sites, prof_site, id, sites),
    MERGE_LINK(sites, prof_site, process, processes),
    MERGE_LINK(sites, prof_site, frame, frames),
    MERGE_LINK(sites, prof_site, label_frame, frames),
    MERGE_LINK(sites, prof_site, node, nodes),
    MERGE_LINK(watches, prof_watch, process, processes),
    MERGE_LINK(kernels, prof_kernel, process, processes),
    MERGE_LINK(kernels, prof_kernel, node, nodes),
    MERGE_LINK(kernels, prof_kernel, line, lines),
    MERGE_LINK(kernels, prof_kernel, frame, frames),
    MERGE_LINK(in_places, prof_in_place, process, processes),
};

/* A column that holds a time of the run. */
struct merge_time {
    enum prof_table_id of;
    size_t offset_bytes;
};
#define MERGE_TIME(table, row, member)                   \
    {                                                    \
        PROF_TABLE_##table, offsetof(struct row, member) \
    }
static const struct merge_time merge_times[] = {
    MERGE_TIME(threads, prof_thread, begin_ns),
    MERGE_TIME(threads, prof_thread, end_ns),
    MERGE_TIME(processes, prof_process, begin_ns),
    MERGE_TIME(processes, prof_process, end_ns),
    MERGE_TIME(bursts, prof_burst, time_ns),
    MERGE_TIME(lines, prof_line, until_ns),
    MERGE_TIME(phase_spans, prof_phase_span, begin_ns),
    MERGE_TIME(phase_spans, prof_phase_span, end_ns),
    MERGE_TIME(resident_bytes, prof_point, time_ns),
    MERGE_TIME(minor_faults, prof_point, time_ns),
    MERGE_TIME(major_faults, prof_point, time_ns),
    MERGE_TIME(events, prof_event, time_ns),
    MERGE_TIME(watches, prof_watch, begin_ns),
    MERGE_TIME(watches, prof_watch, end_ns),
};
#define MERGE_LEN(array) (sizeof(array) / sizeof((array)[0]))

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

static void merge_move(const struct prof_merge_file *f, enum prof_table_id id, void *row)
{
    for (size_t i = 0; i < MERGE_LEN(merge_links); i++) {
        uint32_t *at = (void *)((uint8_t *)row + merge_links[i].offset_bytes);
        if (merge_links[i].of == id) *at = (uint32_t)prof_merge_row(f, merge_links[i].to, *at);
    }
    for (size_t i = 0; i < MERGE_LEN(merge_times); i++) {
        uint64_t *at = (void *)((uint8_t *)row + merge_times[i].offset_bytes);
        if (merge_times[i].of == id) *at = prof_merge_time(f, *at);
    }
    if (id == PROF_TABLE_bursts) ((struct prof_burst *)row)->first_sample += f->first_sample;
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
            merge_move(&job->files[i], id, at);
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

static void merge_move_sample(const struct prof_merge_file *f, struct prof_sample *s)
{
    s->time_ns = prof_merge_time(f, s->time_ns);
    s->thread = (uint32_t)prof_merge_row(f, PROF_TABLE_threads, s->thread);
    s->node = (uint32_t)prof_merge_row(f, PROF_TABLE_nodes, s->node);
    s->phase = (uint32_t)prof_merge_row(f, PROF_TABLE_phases, s->phase);
    s->burst = (uint32_t)prof_merge_row(f, PROF_TABLE_bursts, s->burst);
    if (s->field != prof_sample_missing.field) s->field += f->first_field;
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
#define MERGE_TAKE(name, type, fill, text) s.name = part->name[i];
        PROF_SAMPLE_COLUMNS(MERGE_TAKE)
#undef MERGE_TAKE
        merge_move_sample(m->file, &s);
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
