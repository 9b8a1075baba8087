/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a sum over ranks. Ranks whose samples are not in the file are one process with one thread, whose bursts
 * are rows of /sums: every reader of a profile counts them. */
#include "tools/merge/mrg_internal.h"

#include <stdlib.h>
#include <string.h>

static uint32_t count_of(uint64_t n)
{
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX - 1;
}

/* Make the burst of a row of /sums. */
static struct prof_burst burst_of(const struct mrg_job *job, const struct prof_sum *s)
{
    return (struct prof_burst){
        .cpu = UINT32_MAX,
        .time_ns = UINT64_MAX,
        .weight_ns = s->kind == PROF_SUM_BURSTS ? s->rest_time_ns : 0,
        .ip = s->line == UINT32_MAX ? 0 : job->tables.lines.rows[s->line].ip,
        .end_why = UINT32_MAX,
        .first_sample = job->kept.samples_len,
        .frame = PROF_NO_FRAME,
        .phase = s->phase,
        .data_weight_ns = s->kind == PROF_SUM_BURSTS ? s->rest_stall_ns : s->rest_time_ns,
        .method = UINT32_MAX,
        .count = s->kind == PROF_SUM_BURSTS ? count_of(s->rest_count) : 1,
        .mpi = s->mpi,
        .mpi_ip = s->mpi_line == UINT32_MAX ? 0 : job->tables.lines.rows[s->mpi_line].ip};
}

static struct prof_sample sample_of(const struct mrg_job *job, const struct prof_sum *s)
{
    struct prof_sample out = prof_sample_missing;
    out.thread = 0;
    out.ip = s->line == UINT32_MAX ? 0 : job->tables.lines.rows[s->line].ip;
    out.op = (uint8_t)s->op;
    out.level = s->level < PROF_LEVEL_COUNT ? (uint8_t)s->level : UINT8_MAX;
    out.node = s->node;
    out.member = s->member;
    out.phase = s->phase;
    out.burst = (uint32_t)job->kept.bursts.len;
    out.count = count_of(s->rest_count);
    out.cost_ns = s->rest_time_ns;
    out.stall_ns = s->rest_stall_ns;
    if (!s->timed) return out;
    const uint64_t mean = (s->rest_latency_cycles + s->rest_count / 2) / s->rest_count;
    out.latency_cycles = mean < INT32_MAX ? (int32_t)mean : INT32_MAX;
    out.latency_valid = 1;
    return out;
}

static ls_err write_sums(struct mrg_job *job)
{
    for (size_t i = 0; i < job->tables.sums.len; i++) {
        const struct prof_sum *s = &job->tables.sums.rows[i];
        struct prof_burst b;
        if (s->rest_count == 0) continue;
        b = burst_of(job, s);
        if (s->kind == PROF_SUM_ACCESSES) {
            const struct prof_sample sample = sample_of(job, s);
            LS_TRY(prof_writer_add(job->writer, &sample));
            b.samples_len = 1;
            job->kept.samples_len++;
        }
        LS_TRY(LS_VECTOR_ADD(&job->kept.bursts, b));
    }
    return prof_writer_table(job->writer, PROF_TABLE_sums, job->tables.sums.rows, job->tables.sums.len);
}

/* Add the shared rows and the rows of kept ranks to one table; *out is the caller's to free. */
static ls_err join(const void *first, size_t first_len, const void *second, size_t second_len,
                   size_t row_bytes, void **out)
{
    uint8_t *rows = malloc((first_len + second_len + 1) * row_bytes);
    *out = rows;
    if (!rows) return ls_nomem("a table");
    if (first_len) memcpy(rows, first, first_len * row_bytes);
    if (second_len) memcpy(rows + first_len * row_bytes, second, second_len * row_bytes);
    return LS_OK;
}

static ls_err write_code(struct mrg_job *job)
{
    struct mrg_kept *k = &job->kept;
    const uint32_t shared = (uint32_t)job->tables.lines.len;
    void *lines = NULL;
    for (size_t i = 0; i < k->frames.len; i++)
        if (k->frames.rows[i].line != UINT32_MAX) k->frames.rows[i].line += shared;
    for (size_t i = 0; i < k->inlines.len; i++)
        k->inlines.rows[i].line += shared;
    ls_err e =
        join(job->tables.lines.rows, shared, k->lines.rows, k->lines.len, sizeof(*k->lines.rows), &lines);
    if (e == LS_OK) e = prof_writer_table(job->writer, PROF_TABLE_lines, lines, shared + k->lines.len);
    free(lines);
    LS_TRY(e);
    LS_TRY(prof_writer_table(job->writer, PROF_TABLE_frames, k->frames.rows, k->frames.len));
    LS_TRY(prof_writer_table(job->writer, PROF_TABLE_inlines, k->inlines.rows, k->inlines.len));
    return prof_writer_table(job->writer, PROF_TABLE_modules, k->modules.rows, k->modules.len);
}

static uint64_t sum_known(uint64_t a, uint64_t b)
{
    return a == UINT64_MAX ? b : b == UINT64_MAX ? a : a + b;
}

/* Make the process that represents all ranks whose samples are not in the file. */
static struct prof_process rest_of(struct mrg_job *job)
{
    size_t len = 0;
    struct prof_process p = {.parent = UINT32_MAX,
                             .origin = UINT32_MAX,
                             .ended = UINT32_MAX,
                             .exit_code = UINT32_MAX,
                             .exit_signal = UINT32_MAX,
                             .rank = -1,
                             .peak_bytes = UINT64_MAX,
                             .rank_from = "",
                             .cmdline = job->run.command,
                             .engine = job->run.engine,
                             .trigger = job->run.trigger,
                             .why = "",
                             .end_ns = job->run.duration_ns,
                             .cpu_ns = UINT64_MAX,
                             .user_ns = UINT64_MAX,
                             .kernel_ns = UINT64_MAX,
                             .recording_ns = UINT64_MAX,
                             .represented_ns = 0};
    for (size_t i = 0; i < job->ranks.len; i++) {
        const struct prof_rank *r = &job->ranks.rows[i].row;
        if (r->kept != PROF_KEPT_SUMMED) continue;
        len++;
        p.ranks_len = r->ranks_len;
        p.cpu_ns = sum_known(p.cpu_ns, r->cpu_ns);
        p.user_ns = sum_known(p.user_ns, r->user_ns);
        p.kernel_ns = sum_known(p.kernel_ns, r->kernel_ns);
        p.recording_ns = sum_known(p.recording_ns, r->recording_ns);
        p.represented_ns += r->time_ns;
    }
    p.exe = len ? prof_name_printf(job->names, "sums of %zu rank%s", len, len == 1 ? "" : "s")
                : "programs without a rank";
    return p;
}

static ls_err write_processes(struct mrg_job *job)
{
    struct mrg_kept *k = &job->kept;
    const struct prof_process rest = rest_of(job);
    const struct prof_thread thread = {
        .name = rest.exe, .end_ns = job->run.duration_ns, .cpu_ns = rest.cpu_ns, .spent_ns = UINT64_MAX};
    void *rows = NULL;
    ls_err e = join(&rest, 1, k->processes.rows, k->processes.len, sizeof(rest), &rows);
    if (e == LS_OK) e = prof_writer_table(job->writer, PROF_TABLE_processes, rows, k->processes.len + 1);
    free(rows);
    LS_TRY(e);
    e = join(&thread, 1, k->threads.rows, k->threads.len, sizeof(thread), &rows);
    if (e == LS_OK) e = prof_writer_table(job->writer, PROF_TABLE_threads, rows, k->threads.len + 1);
    free(rows);
    return e;
}

static ls_err write_ranks(struct mrg_job *job)
{
    struct prof_rank *rows = malloc((job->ranks.len + 1) * sizeof(*rows));
    if (!rows) return ls_nomem("%zu ranks", job->ranks.len);
    for (size_t i = 0; i < job->ranks.len; i++)
        rows[i] = job->ranks.rows[i].row;
    const ls_err e = prof_writer_table(job->writer, PROF_TABLE_ranks, rows, job->ranks.len);
    free(rows);
    return e;
}

static int compare_sources(const void *a, const void *b)
{
    const struct prof_source *x = a, *y = b;
    const int by_file = strcmp(x->file, y->file);
    return by_file ? by_file : (x->line > y->line) - (x->line < y->line);
}

static ls_err write_shared(struct mrg_job *job)
{
    struct mrg_tables *t = &job->tables;
    prof_writer *w = job->writer;
    if (t->sources.len) qsort(t->sources.rows, t->sources.len, sizeof(*t->sources.rows), compare_sources);
    LS_TRY(prof_writer_table(w, PROF_TABLE_nodes, t->nodes.rows, t->nodes.len));
    LS_TRY(prof_writer_table(w, PROF_TABLE_phases, t->phases.rows, t->phases.len));
    LS_TRY(prof_writer_table(w, PROF_TABLE_types, t->types.rows, t->types.len));
    LS_TRY(prof_writer_table(w, PROF_TABLE_members, t->members.rows, t->members.len));
    LS_TRY(prof_writer_table(w, PROF_TABLE_kernels, t->kernels.rows, t->kernels.len));
    LS_TRY(prof_writer_table(w, PROF_TABLE_events, t->events.rows, t->events.len));
    return prof_writer_table(w, PROF_TABLE_sources, t->sources.rows, t->sources.len);
}

ls_err mrg_write(struct mrg_job *job)
{
    static const enum prof_table_id empty[] = {
        PROF_TABLE_phase_spans, PROF_TABLE_resident_bytes, PROF_TABLE_minor_faults, PROF_TABLE_major_faults,
        PROF_TABLE_counters,    PROF_TABLE_readings,       PROF_TABLE_sites,        PROF_TABLE_watches,
        PROF_TABLE_in_places,   PROF_TABLE_device_blocks,  PROF_TABLE_device_copies};
    prof_writer *w = job->writer;
    LS_TRY(write_sums(job));
    LS_TRY(write_shared(job));
    LS_TRY(write_code(job));
    LS_TRY(write_processes(job));
    LS_TRY(prof_writer_table(w, PROF_TABLE_bursts, job->kept.bursts.rows, job->kept.bursts.len));
    LS_TRY(write_ranks(job));
    for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++)
        LS_TRY(prof_writer_table(w, empty[i], NULL, 0));
    LS_TRY(prof_writer_run(w, &job->run));
    return prof_writer_finish(w);
}
