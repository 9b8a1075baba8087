/* SPDX-License-Identifier: BSD-3-Clause */
/* Two passes over the files, one file in memory at a time: the first finds the ranks and which of them keep their
 * samples, the second adds the files up in the order of their ranks. */
#include "tools/merge/mrg_job.h"

#include "common/ls_checked.h"
#include "tools/merge/mrg_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUTLIERS = 2 }; /* ranks that are kept for each reason */
static const uint64_t clocks_differ_ns =
    3600000000000; /* larger differences of starts are differences of clocks */

static void warn(const struct mrg_job *job, const char *text)
{
    if (job->options->warn) job->options->warn(job->options->user, text);
}

/* --- ranks of a file --- */

/* The ranks of a file and of its processes, as rows of `rows`. */
struct found {
    LS_VECTOR(struct prof_rank) rows;
    uint32_t *rank_of; /* by process; UINT32_MAX: none */
};

static void found_fini(struct found *f)
{
    free(f->rows.rows);
    free(f->rank_of);
}

static uint64_t sum_known(uint64_t a, uint64_t b)
{
    return a == UINT64_MAX ? b : b == UINT64_MAX ? a : a + b;
}

static ls_err found_process(struct found *f, const struct prof_run *run, const struct prof_process *p,
                            uint32_t *out)
{
    struct prof_rank *r = NULL;
    for (*out = 0; *out < f->rows.len; ++*out)
        if (f->rows.rows[*out].rank == (uint32_t)p->rank) break;
    if (*out == f->rows.len) {
        const struct prof_rank new = {.rank = (uint32_t)p->rank,
                                      .ranks_len = p->ranks_len,
                                      .host = run->host,
                                      .pid = p->pid,
                                      .process = UINT32_MAX,
                                      .exit_code = p->exit_code,
                                      .exit_signal = p->exit_signal,
                                      .begin_ns = p->begin_ns,
                                      .end_ns = p->end_ns,
                                      .cpu_ns = UINT64_MAX,
                                      .user_ns = UINT64_MAX,
                                      .kernel_ns = UINT64_MAX,
                                      .recording_ns = UINT64_MAX};
        LS_TRY(LS_VECTOR_ADD(&f->rows, new));
    }
    r = &f->rows.rows[*out];
    if (p->end_ns != UINT64_MAX && (r->end_ns == UINT64_MAX || p->end_ns > r->end_ns)) r->end_ns = p->end_ns;
    r->cpu_ns = sum_known(r->cpu_ns, p->cpu_ns);
    r->user_ns = sum_known(r->user_ns, p->user_ns);
    r->kernel_ns = sum_known(r->kernel_ns, p->kernel_ns);
    r->recording_ns = sum_known(r->recording_ns, p->recording_ns);
    return LS_OK;
}

/* Measure the ranks of an ordinary profile. */
static ls_err found_measure(struct found *f, prof_profile *profile)
{
    struct an_tables tables;
    struct mrg_costs costs;
    an_tables_init(&tables, profile);
    struct prof_rank **rank_of = calloc(tables.processes_len + 1, sizeof(struct prof_rank *));
    ls_err e = mrg_costs_init(&costs, profile);
    if (e == LS_OK && !rank_of) e = ls_nomem("the ranks");
    for (size_t i = 0; e == LS_OK && i < tables.processes_len; i++)
        if (f->rank_of[i] != UINT32_MAX) rank_of[i] = &f->rows.rows[f->rank_of[i]];
    if (e == LS_OK) mrg_measure(&tables, &costs, rank_of);
    an_costs_fini(&costs.costs);
    free(rank_of);
    return e;
}

static ls_err found_init(struct found *f, prof_profile *profile, bool with_costs)
{
    size_t len, ranks_len;
    const struct prof_process *processes = prof_processes(profile, &len);
    const struct prof_rank *ranks = prof_ranks(profile, &ranks_len);
    *f = (struct found){.rank_of = malloc((len + 1) * sizeof(*f->rank_of))};
    if (!f->rank_of) return ls_nomem("the ranks");
    for (size_t i = 0; i < ranks_len; i++)
        LS_TRY(LS_VECTOR_ADD(&f->rows, ranks[i]));
    for (size_t i = 0; i < len; i++) {
        f->rank_of[i] = UINT32_MAX;
        if (processes[i].rank < 0) continue;
        if (!ranks_len) {
            LS_TRY(found_process(f, prof_run_of(profile), &processes[i], &f->rank_of[i]));
            continue;
        }
        for (uint32_t r = 0; r < ranks_len && f->rank_of[i] == UINT32_MAX; r++)
            if (ranks[r].rank == (uint32_t)processes[i].rank) f->rank_of[i] = r;
    }
    return ranks_len || !with_costs || !f->rows.len ? LS_OK : found_measure(f, profile);
}

/* --- the first pass --- */

static uint32_t rank_row(const struct mrg_job *job, uint32_t number)
{
    return ls_index_find(&job->rank_by_number, number);
}

/* Warn where the machines of two files differ in a way that makes their numbers less comparable. */
static void compare_machines(const struct mrg_job *job, const struct mrg_file *file,
                             const struct prof_run *run)
{
    char text[1024];
    const uint64_t a = job->files.rows[0].start_realtime_ns, b = file->start_realtime_ns;
    if (strcmp(run->version, job->run.version) != 0) {
        snprintf(text, sizeof(text), "%s: recorded by Loadstone %s, and %s by %s", file->path, run->version,
                 job->first_path, job->run.version);
        warn(job, text);
    }
    char program
        [256]; /* without arguments, which may differ between ranks; job->run has the commands of all files */
    snprintf(program, sizeof(program), "%.*s", (int)strcspn(run->command, " "), run->command);
    if (!strstr(job->run.command, program)) {
        snprintf(text, sizeof(text), "%s: recorded from %s, and %s from %s: is this one job?", file->path,
                 program, job->first_path, job->run.command);
        warn(job, text);
    }
    if (!strstr(job->run.cpu, run->cpu)) {
        snprintf(text, sizeof(text), "%s: recorded on %s, and %s on %s", file->path, run->cpu,
                 job->first_path, job->run.cpu);
        warn(job, text);
    }
    if ((a > b ? a - b : b - a) > clocks_differ_ns) {
        snprintf(
            text, sizeof(text),
            "%s: rank %u on %s began %.0f s %s rank %u of %s: another job, or a clock that is wrong; times "
            "between them mean nothing",
            file->path, file->first_rank, run->host, (double)(a > b ? a - b : b - a) * 1e-9,
            a > b ? "before" : "after", job->files.rows[0].first_rank, job->first_path);
        warn(job, text);
    }
    const double x = job->run.level_latency_cycles[PROF_LEVEL_DRAM],
                 y = run->level_latency_cycles[PROF_LEVEL_DRAM];
    if (fabs(x - y) * 4 > x) {
        snprintf(text, sizeof(text), "%s: memory took %.0f cycles on %s and %.0f in %s", file->path, y,
                 run->host, x, job->first_path);
        warn(job, text);
    }
}

/* Mark the ranks that are in files that were read before. A sum that contains both known and new ranks cannot
 * be split. Errors: LS_ERR_EXISTS: the whole file is left out. */
static ls_err check_twice(const struct mrg_job *job, const struct mrg_file *file, const struct found *f)
{
    size_t twice = 0;
    uint32_t which = 0, other = 0;
    for (size_t i = 0; i < f->rows.len; i++) {
        const uint32_t row = rank_row(job, f->rows.rows[i].rank);
        if (row == LS_INDEX_NONE) continue;
        twice++;
        which = f->rows.rows[i].rank;
        other = job->ranks.rows[row].file;
    }
    if (twice == 0) return LS_OK;
    const char *const kept = job->files.rows[other].path;
    if (twice == f->rows.len)
        return ls_fail(LS_ERR_EXISTS, "%s: rank %u%s is also in %s: that one counts", file->path, which,
                       twice > 1 ? ", as all its ranks," : "", kept);
    if (file->is_sum)
        return ls_fail(
            LS_ERR_EXISTS,
            "%s: rank %u is also in %s, and the sum of its %zu ranks cannot be taken apart: left out; "
            "merge the files that it was made of",
            file->path, which, kept, f->rows.len);
    char text[1024];
    snprintf(text, sizeof(text), "%s: rank %u is also in %s: that one counts", file->path, which, kept);
    warn(job, text);
    return LS_OK;
}

static ls_err check_fits(struct mrg_job *job, const struct mrg_file *file, const struct found *f,
                         const struct prof_run *run)
{
    if (f->rows.len == 0)
        return ls_fail(LS_ERR_NOT_FOUND, "%s: no process in it is a rank of a job: left out", file->path);
    const uint32_t ranks_len = f->rows.rows[0].ranks_len;
    if (job->ranks_len && ranks_len && ranks_len != job->ranks_len)
        return ls_fail(LS_ERR_FORMAT, "%s: rank %u is of a job of %u ranks, not of %llu as in %s: left out",
                       file->path, f->rows.rows[0].rank, ranks_len, (unsigned long long)job->ranks_len,
                       job->first_path);
    if (!job->first_path) return LS_OK;
    const struct prof_merge_named first = {job->first_path, &job->run}, other = {file->path, run};
    return prof_merge_run_check(&first, &other);
}

/* Copy the texts of a file that will be closed. */
static struct prof_run run_with_names(struct mrg_job *job, const struct prof_run *run)
{
    struct prof_run out = *run;
    for (size_t i = 0; i < prof_run_table.fields_len; i++) {
        const struct prof_field *f = &prof_run_table.fields[i];
        const char **text = (const char **)(void *)((uint8_t *)&out + f->offset_bytes);
        if (f->type == PROF_TEXT) *text = prof_name_of(job->names, *text);
    }
    return out;
}

/* --- totals of a file without the ranks that other files have --- */

static bool is_known(const struct mrg_job *job, const struct found *f, uint32_t process)
{
    const uint32_t rank = f->rank_of[process];
    return rank != UINT32_MAX && rank_row(job, f->rows.rows[rank].rank) != LS_INDEX_NONE;
}

/* Subtract the CPU time of a process. Return false if it is not known. */
static bool take_out_time(struct prof_run *run, const struct prof_process *p)
{
    uint64_t *const totals[] = {&run->cpu_ns, &run->user_ns, &run->kernel_ns, &run->recording_ns,
                                &run->represented_ns};
    const uint64_t parts[] = {p->cpu_ns, p->user_ns, p->kernel_ns, p->recording_ns, p->represented_ns};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (*totals[i] == UINT64_MAX) continue;
        if (parts[i] == UINT64_MAX) return false;
        *totals[i] -= parts[i] < *totals[i] ? parts[i] : *totals[i];
    }
    return true;
}

/* Reduce the counts of instructions by the share of the bursts of known ranks. */
static void take_out_instructions(const struct mrg_job *job, const struct found *f, prof_profile *profile,
                                  struct prof_run *run)
{
    uint64_t *const totals[] = {&run->instructions_stepped, &run->instructions_in_place};
    double all = 0, rest = 0;
    struct an_tables t;
    an_tables_init(&t, profile);
    for (size_t i = 0; i < t.bursts_len; i++) {
        const struct prof_burst *b = &t.bursts[i];
        all += b->instructions;
        rest += is_known(job, f, t.threads[b->thread].process) ? 0 : b->instructions;
    }
    for (size_t i = 0; all > 0 && i < sizeof(totals) / sizeof(totals[0]); i++)
        if (*totals[i] != UINT64_MAX) *totals[i] = ls_round_u64((double)*totals[i] * (rest / all));
}

/* Reduce the totals to the ranks that no other file has, and to processes without a rank. The error of the split of
 * CPU time, and losses, are known for the file only, and stay.
 * Errors: LS_ERR_EXISTS: they cannot be taken apart. */
static ls_err take_out_known(const struct mrg_job *job, const char *path, const struct found *f,
                             prof_profile *profile, struct prof_run *run)
{
    size_t len, taken = 0;
    const struct prof_process *processes = prof_processes(profile, &len);
    for (uint32_t i = 0; i < len; i++) {
        if (!is_known(job, f, i)) continue;
        const uint32_t rank = f->rows.rows[f->rank_of[i]].rank;
        taken++;
        if (!take_out_time(run, &processes[i]))
            return ls_fail(LS_ERR_EXISTS,
                           "%s: rank %u is also in %s, and the CPU time of that rank is not known, so that "
                           "the file's totals cannot be taken apart: left out",
                           path, rank, job->files.rows[job->ranks.rows[rank_row(job, rank)].file].path);
    }
    if (taken == 0) return LS_OK;
    if (run->user_ns != UINT64_MAX && run->represented_ns != UINT64_MAX)
        run->unrepresented_ns = run->user_ns > run->represented_ns ? run->user_ns - run->represented_ns : 0;
    take_out_instructions(job, f, profile, run);
    return LS_OK;
}

static void add_run(struct mrg_job *job, const struct mrg_file *file, const struct prof_run *run,
                    const struct found *f)
{
    const struct prof_run named = run_with_names(job, run);
    double samples = 0;
    for (size_t i = 0; i < f->rows.len; i++)
        if (rank_row(job, f->rows.rows[i].rank) == LS_INDEX_NONE) samples += (double)f->rows.rows[i].samples;
    if (!job->first_path) {
        job->first_path = file->path;
        job->run = named;
    } else {
        compare_machines(job, file, run);
        const uint64_t start_ns = job->run.start_realtime_ns, mono_ns = job->run.start_mono_ns;
        const uint64_t end_ns = sum_known(start_ns, job->run.duration_ns),
                       other_ns = sum_known(named.start_realtime_ns, named.duration_ns);
        prof_merge_run_add(job->names, &job->run, &named);
        const bool is_earlier = named.start_realtime_ns < start_ns;
        job->run.start_realtime_ns = is_earlier ? named.start_realtime_ns : start_ns;
        job->run.start_mono_ns = is_earlier ? named.start_mono_ns : mono_ns;
        job->run.duration_ns = (end_ns > other_ns ? end_ns : other_ns) - job->run.start_realtime_ns;
    }
    if (isnan(run->coverage_precise) || isnan(run->coverage_coarse)) return;
    job->precise += samples * run->coverage_precise;
    job->coarse += samples * run->coverage_coarse;
    job->covered += samples;
}

static ls_err add_ranks(struct mrg_job *job, const struct found *f, uint32_t file)
{
    for (size_t i = 0; i < f->rows.len; i++) {
        struct mrg_rank r = {f->rows.rows[i], file};
        if (rank_row(job, r.row.rank) != LS_INDEX_NONE) continue;
        r.row.host = prof_name_of(job->names, r.row.host);
        /* outliers among a part of the ranks may not be outliers among all */
        if (r.row.kept == PROF_KEPT_OUTLIER) r.row.kept = PROF_KEPT_SUMMED;
        LS_TRY(LS_VECTOR_ADD(&job->ranks, r));
        LS_TRY(ls_index_put(&job->rank_by_number, r.row.rank, (uint32_t)job->ranks.len - 1));
    }
    if (!job->ranks_len) job->ranks_len = f->rows.rows[0].ranks_len;
    return LS_OK;
}

static ls_err read_ranks(struct mrg_job *job, const char *path)
{
    struct mrg_file file = {.path = path, .first_rank = UINT32_MAX};
    struct found found = {0};
    prof_profile *profile = NULL;
    ls_err e = prof_open(path, &profile);
    if (e == LS_OK) e = found_init(&found, profile, true);
    if (e == LS_OK) {
        struct prof_run run = *prof_run_of(profile);
        size_t ranks_len;
        prof_ranks(profile, &ranks_len);
        file.is_sum = ranks_len > 0;
        file.start_realtime_ns = run.start_realtime_ns;
        for (size_t i = 0; i < found.rows.len; i++)
            if (found.rows.rows[i].rank < file.first_rank) file.first_rank = found.rows.rows[i].rank;
        e = check_fits(job, &file, &found, &run);
        if (e == LS_OK) e = check_twice(job, &file, &found);
        if (e == LS_OK) e = take_out_known(job, path, &found, profile, &run);
        if (e == LS_OK) e = LS_VECTOR_ADD(&job->files, file);
        if (e == LS_OK) {
            add_run(job, &file, &run, &found);
            e = add_ranks(job, &found, (uint32_t)job->files.len - 1);
        }
    }
    found_fini(&found);
    prof_close(profile);
    return e;
}

/* --- ranks that keep their samples --- */

static int compare_ranks(const void *a, const void *b)
{
    const struct mrg_rank *x = a, *y = b;
    return (x->row.rank > y->row.rank) - (x->row.rank < y->row.rank);
}

/* Reasons to be an outlier: most time, most stall, most and least waiting in MPI. */
enum { REASONS = 4 };

static uint64_t reason_of(const struct prof_rank *r, int reason)
{
    switch (reason) {
    case 0:
        return r->time_ns;
    case 1:
        return r->stall_ns;
    case 2:
        return r->mpi_wait_ns;
    default:
        return UINT64_MAX - r->mpi_wait_ns;
    }
}

/* Return the next rank after `last` (NULL: the first) by this reason; among equals the lowest comes first. */
static struct mrg_rank *next_by(struct mrg_job *job, int reason, const struct mrg_rank *last)
{
    struct mrg_rank *best = NULL;
    for (size_t i = 0; i < job->ranks.len; i++) { /* sorted by rank */
        struct mrg_rank *r = &job->ranks.rows[i];
        const uint64_t value = reason_of(&r->row, reason);
        if (last && value > reason_of(&last->row, reason)) continue;
        if (last && value == reason_of(&last->row, reason) && r->row.rank <= last->row.rank) continue;
        if (!best || value > reason_of(&best->row, reason)) best = r;
    }
    return best;
}

/* Choose the ranks that keep their samples. Waiting in MPI is a criterion only if calls of MPI were recorded. */
static void choose_kept(struct mrg_job *job)
{
    const uint64_t every = job->options->every;
    uint64_t waited_ns = 0;
    for (size_t i = 0; i < job->ranks.len; i++) {
        struct prof_rank *r = &job->ranks.rows[i].row;
        if (every && r->rank % every == 0) r->kept = PROF_KEPT_REGULAR;
        waited_ns += r->mpi_wait_ns;
    }
    for (int reason = 0; reason < (waited_ns ? REASONS : 2); reason++) {
        struct mrg_rank *r = NULL;
        for (int n = 0; n < OUTLIERS && (n == 0 || r); n++) {
            r = next_by(job, reason, r);
            if (r && r->row.kept == PROF_KEPT_SUMMED) r->row.kept = PROF_KEPT_OUTLIER;
        }
    }
}

static ls_err order_ranks(struct mrg_job *job)
{
    qsort(job->ranks.rows, job->ranks.len, sizeof(*job->ranks.rows), compare_ranks);
    ls_index_fini(&job->rank_by_number);
    for (size_t i = 0; i < job->ranks.len; i++) {
        job->ranks.rows[i].row.id = (uint32_t)i;
        job->ranks.rows[i].row.process = UINT32_MAX;
        LS_TRY(ls_index_put(&job->rank_by_number, job->ranks.rows[i].row.rank, (uint32_t)i));
    }
    choose_kept(job);
    return LS_OK;
}

/* --- the second pass --- */

static uint32_t *no_rows(size_t len)
{
    uint32_t *rows = malloc((len + 1) * sizeof(*rows));
    if (rows) memset(rows, 0xff, (len + 1) * sizeof(*rows));
    return rows;
}

static void input_fini(struct mrg_input *in)
{
    free(in->node_of);
    free(in->phase_of);
    free(in->line_of);
    free(in->member_of);
    free(in->rank_of);
    prof_close(in->profile);
}

/* Find the rows of the file's /ranks, and the ranks of its processes, in the result. */
static ls_err input_ranks(struct mrg_input *in, const struct found *f, uint32_t file, uint32_t **rank_row_of)
{
    struct mrg_job *job = in->job;
    *rank_row_of = no_rows(f->rows.len);
    if (!*rank_row_of) return ls_nomem("the ranks of %s", in->file->path);
    for (size_t i = 0; i < f->rows.len; i++) {
        const uint32_t row = rank_row(job, f->rows.rows[i].rank);
        struct mrg_rank *r = &job->ranks.rows[row];
        (*rank_row_of)[i] = r->file == file ? row : MRG_LEFT_OUT;
        if (r->file != file) continue;
        if (r->row.begin_ns != UINT64_MAX) r->row.begin_ns += in->shift_ns;
        if (r->row.end_ns != UINT64_MAX) r->row.end_ns += in->shift_ns;
    }
    for (size_t i = 0; i < in->tables.processes_len; i++)
        in->rank_of[i] = f->rank_of[i] == UINT32_MAX ? MRG_NO_RANK : (*rank_row_of)[f->rank_of[i]];
    return LS_OK;
}

static ls_err input_init(struct mrg_input *in)
{
    LS_TRY(prof_open(in->file->path, &in->profile));
    an_tables_init(&in->tables, in->profile);
    in->shift_ns = in->file->start_realtime_ns - in->job->run.start_realtime_ns;
    in->node_of = no_rows(in->tables.nodes_len);
    in->phase_of = no_rows(in->tables.phases_len);
    in->line_of = no_rows(in->tables.lines_len);
    in->member_of = no_rows(in->tables.members_len);
    in->rank_of = no_rows(in->tables.processes_len);
    return in->node_of && in->phase_of && in->line_of && in->member_of && in->rank_of
               ? LS_OK
               : ls_nomem("%s", in->file->path);
}

static ls_err add_file(struct mrg_job *job, const struct mrg_file *file, uint32_t number)
{
    struct mrg_input in = {.job = job, .file = file};
    struct mrg_costs costs = {0};
    struct found found = {0};
    uint32_t *rank_row_of = NULL, root;
    ls_err e = input_init(&in);
    if (e == LS_OK) e = found_init(&found, in.profile, false);
    if (e == LS_OK) e = input_ranks(&in, &found, number, &rank_row_of);
    if (e == LS_OK) e = mrg_node(&in, 0, &root);
    if (e == LS_OK) e = mrg_others(&in);
    if (e == LS_OK && file->is_sum) e = mrg_add_sums(&in, rank_row_of);
    if (e == LS_OK) e = mrg_costs_init(&costs, in.profile);
    if (e == LS_OK) e = mrg_add_samples(&in, &costs);
    if (e == LS_OK) e = mrg_keep_samples(&in, &costs);
    an_costs_fini(&costs.costs);
    free(rank_row_of);
    found_fini(&found);
    input_fini(&in);
    return e;
}

struct numbered {
    uint32_t first_rank, file;
};

static int compare_numbered(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    return (x->first_rank > y->first_rank) - (x->first_rank < y->first_rank);
}

static ls_err add_files(struct mrg_job *job)
{
    struct numbered *order = calloc(job->files.len, sizeof(*order));
    if (!order) return ls_nomem("%zu files", job->files.len);
    for (uint32_t i = 0; i < job->files.len; i++)
        order[i] = (struct numbered){job->files.rows[i].first_rank, i};
    qsort(order, job->files.len, sizeof(*order), compare_numbered);
    ls_err e = LS_OK;
    for (size_t i = 0; e == LS_OK && i < job->files.len; i++)
        e = add_file(job, &job->files.rows[order[i].file], order[i].file);
    free(order);
    return e;
}

static void finish_run(struct mrg_job *job)
{
    job->run.ranks = job->ranks.len;
    job->run.coverage_precise = job->covered > 0 ? job->precise / job->covered : NAN;
    job->run.coverage_coarse = job->covered > 0 ? job->coarse / job->covered : NAN;
}

static ls_err sum_up(struct mrg_job *job)
{
    const struct mrg_options *o = job->options;
    for (size_t i = 0; i < o->paths_len; i++) {
        const ls_err e = read_ranks(job, o->paths[i]);
        if (e == LS_ERR_NOMEM) return e;
        if (e != LS_OK) warn(job, ls_last_error());
    }
    if (job->files.len == 0)
        return ls_fail(LS_ERR_NOT_FOUND, "none of these files has a rank of a job that can be read");
    LS_TRY(order_ranks(job));
    LS_TRY(prof_writer_new(o->output_path, o->force, &job->writer));
    LS_TRY(add_files(job));
    LS_TRY(mrg_flush_rank_data(job));
    finish_run(job);
    return mrg_write(job);
}

static void job_fini(struct mrg_job *job)
{
    struct mrg_kept *k = &job->kept;
    prof_writer_free(job->writer);
    mrg_tables_fini(&job->tables);
    void *rows[] = {k->processes.rows, k->threads.rows, k->bursts.rows,  k->modules.rows,    k->frames.rows,
                    k->lines.rows,     k->inlines.rows, job->files.rows, job->rank_data.rows};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        free(rows[i]);
    free(job->ranks.rows);
    ls_index_fini(&job->rank_by_number);
    prof_names_free(job->names);
}

/* Name the ranks from `begin` to before `end`; return whether there is room for more. */
static bool name_ranks(char out[MRG_MISSING_BYTES], uint64_t begin, uint64_t end)
{
    enum { ROOM = 32 };
    const size_t len = strlen(out);
    char *at = out + len;
    const char *comma = len ? ", " : "";
    if (begin == end) return true;
    if (len + ROOM > MRG_MISSING_BYTES) {
        strcpy(at, ", ...");
        return false;
    }
    if (end - begin == 1)
        snprintf(at, ROOM, "%s%llu", comma, (unsigned long long)begin);
    else
        snprintf(at, ROOM, "%s%llu to %llu", comma, (unsigned long long)begin, (unsigned long long)end - 1);
    return true;
}

/* The ranks are sorted. */
static void name_missing(const struct mrg_job *job, char out[MRG_MISSING_BYTES])
{
    uint64_t next = 0;
    out[0] = '\0';
    for (size_t i = 0; i < job->ranks.len; i++) {
        if (!name_ranks(out, next, job->ranks.rows[i].row.rank)) return;
        next = (uint64_t)job->ranks.rows[i].row.rank + 1;
    }
    if (next < job->ranks_len) name_ranks(out, next, job->ranks_len);
}

ls_err mrg_sum_up(const struct mrg_options *options, struct mrg_stats *out)
{
    struct mrg_job job = {.options = options, .names = prof_names_new()};
    *out = (struct mrg_stats){0};
    const ls_err e = job.names ? sum_up(&job) : ls_nomem("the files");
    out->files = job.files.len;
    out->ranks = job.ranks.len;
    out->ranks_len = job.ranks_len;
    if (e == LS_OK) name_missing(&job, out->missing);
    for (size_t i = 0; i < job.ranks.len; i++)
        out->kept += job.ranks.rows[i].row.kept != PROF_KEPT_SUMMED;
    job_fini(&job);
    return e;
}

bool mrg_is_sum(const char *path)
{
    prof_profile *p = NULL;
    size_t len = 0;
    if (prof_open(path, &p) != LS_OK) return false;
    prof_ranks(p, &len);
    prof_close(p);
    return len > 0;
}
