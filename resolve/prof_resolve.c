/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "resolve/prof_resolve.h"

#include "common/ls_clock.h"
#include "common/ls_error.h"
#include "machine/mach_topology.h"
#include "resolve/prof_fields.h"
#include "resolve/prof_forks.h"
#include "resolve/prof_kernel.h"
#include "resolve/prof_lines.h"
#include "resolve/prof_maps.h"
#include "resolve/prof_replay.h"
#include "resolve/prof_site_names.h"
#include "resolve/prof_source_file.h"
#include "run_h5/prof_file.h"
#include "spool/spool_dir.h"
#include "spool/spool_merge.h"
#include "spool/spool_reader.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- source text --- */

enum { PROF_SOURCE_CONTEXT_LINES = 3, PROF_SOURCE_LINES_MAX = 20000 };

typedef LS_VECTOR(struct prof_source) prof_source_list;

struct prof_wanted {
    const char *file, *module;
    uint32_t line;
};

static int prof_compare_wanted(const void *a, const void *b)
{
    const struct prof_wanted *x = a, *y = b;
    const int by_file = x->file == y->file ? 0 : strcmp(x->file, y->file);
    return by_file ? by_file : (x->line > y->line) - (x->line < y->line);
}

/* Sorted; the caller frees it. */
static struct prof_wanted *prof_wanted_lines(const prof_line_list *lines, size_t *out_len)
{
    struct prof_wanted *wanted = malloc((lines->len + 1) * sizeof(*wanted));
    *out_len = 0;
    for (size_t i = 0; wanted && i < lines->len; i++)
        if (lines->rows[i].line > 0 && lines->rows[i].file[0] == '/')
            wanted[(*out_len)++] =
                (struct prof_wanted){lines->rows[i].file, lines->rows[i].module, lines->rows[i].line};
    if (wanted) qsort(wanted, *out_len, sizeof(*wanted), prof_compare_wanted);
    return wanted;
}

static int prof_compare_sources(const void *a, const void *b)
{
    const struct prof_source *x = a, *y = b;
    const int by_file = x->file == y->file ? 0 : strcmp(x->file, y->file);
    return by_file ? by_file : (x->line > y->line) - (x->line < y->line);
}

/* The lines around the wanted ones, which are all of one file. */
static ls_err prof_collect_file(const struct prof_wanted *wanted, size_t len, const sym_files *files,
                                prof_names *names, prof_source_list *out)
{
    struct prof_source_file file = prof_source_file_read(wanted[0].file);
    uint32_t done = 0; /* lines up to this one are collected, or not wanted */
    ls_err e = LS_OK;
    for (size_t i = 0; i < len && file.begins.len > 0; i++) {
        const uint32_t line = wanted[i].line;
        const uint32_t from = line > PROF_SOURCE_CONTEXT_LINES ? line - PROF_SOURCE_CONTEXT_LINES : 1;
        const uid_t author = sym_files_author(files, wanted[i].module);
        const char *text;
        for (uint32_t at = from > done ? from : done + 1;
             e == LS_OK && at <= line + PROF_SOURCE_CONTEXT_LINES; at++) {
            if (out->len >= PROF_SOURCE_LINES_MAX || !(text = prof_source_file_line(&file, author, at)))
                break;
            e = LS_VECTOR_ADD(
                out, (struct prof_source){wanted[0].file, at, prof_name_line(names, text, strlen(text))});
            done = at;
        }
    }
    prof_source_file_fini(&file);
    return e;
}

/* Files that cannot be read cost their text only.  Errors: LS_ERR_NOMEM. */
static ls_err prof_sources_collect(const prof_line_list *lines, const sym_files *files, prof_names *names,
                                   prof_source_list *out)
{
    size_t len;
    struct prof_wanted *wanted = prof_wanted_lines(lines, &len);
    if (!wanted) return ls_nomem("source lines");
    ls_err e = LS_OK;
    for (size_t from = 0, to; e == LS_OK && from < len; from = to) {
        for (to = from + 1; to < len && wanted[to].file == wanted[from].file; to++)
            ;
        e = prof_collect_file(wanted + from, to - from, files, names, out);
    }
    if (out->len > 1) qsort(out->rows, out->len, sizeof(*out->rows), prof_compare_sources);
    free(wanted);
    return e;
}

struct prof_resolve_job {
    const struct prof_resolve_options *options;
    spool_dir *dir;
    struct spool_image *images;         /* in the order of their begins; their names belong to dir */
    struct prof_survey *surveys;        /* beside images */
    struct prof_survey_origin *origins; /* beside images, once replayed */
    size_t images_len;
    uid_t author; /* owner of the spool (ls_owner.h) */
    struct prof_forks forks;
    struct prof_run_state run;
    prof_source_list sources;
    struct prof_run account; /* CPU times of /run, and nothing else */
    char unrepresented_why[512];
};

/* The overhead of shorter processes is not reported: one burst is a large share of a short life. */
#define PROF_OVERHEAD_LIFE_NS (LS_NS_PER_S / 10)

static ls_err prof_survey_all_images(struct prof_resolve_job *job)
{
    job->run.start_ns = UINT64_MAX;
    for (size_t i = 0; i < job->images_len; i++) {
        struct prof_survey *s = &job->surveys[i];
        LS_TRY(prof_survey_image(&job->images[i], job->run.names, s));
        job->run.records_all += s->records_len;
        if (s->begin_ns < job->run.start_ns) job->run.start_ns = s->begin_ns;
    }
    if (job->run.start_ns == UINT64_MAX) job->run.start_ns = 0;
    return LS_OK;
}

static size_t prof_images_with_nodes(const struct prof_resolve_job *job)
{
    size_t n = 0;
    for (size_t i = 0; i < job->images_len; i++)
        n += prof_survey_has_nodes(&job->surveys[i]);
    return n;
}

/* The nodes of one image: under the root, or under a node of their process where several registered
 * something. */
static ls_err prof_plant_image(struct prof_resolve_job *job, size_t image, bool has_own_node)
{
    struct prof_run_state *run = &job->run;
    uint32_t parent = 0;
    if (has_own_node) {
        const struct prof_node node = {.parent = 0,
                                       .kind = PROF_NODE_PROCESS,
                                       .process = (uint32_t)image,
                                       .label =
                                           prof_name_printf(run->names, "process %u", job->images[image].pid),
                                       .born_ns = run->processes.rows[image].begin_ns,
                                       .died_ns = UINT64_MAX};
        LS_TRY(prof_tree_add(run->tree, node, &parent));
    }
    return prof_survey_plant(&job->surveys[image], run->tree, parent, (uint32_t)image, run->start_ns);
}

static ls_err prof_plant_all(struct prof_resolve_job *job)
{
    const bool several = prof_images_with_nodes(job) > 1;
    LS_TRY(prof_processes_add(&job->run, job->images, job->surveys, job->images_len));
    for (uint32_t i = 0; i < job->images_len; i++) {
        const struct prof_fork *fork = prof_forks_of_child(&job->forks, i);
        const bool has_nodes = prof_survey_has_nodes(&job->surveys[i]);
        if (fork) LS_TRY(prof_survey_inherit(&job->surveys[i], &job->surveys[fork->parent], fork->fork_ns));
        if (has_nodes) LS_TRY(prof_plant_image(job, i, several));
    }
    return LS_OK;
}

static ls_err prof_replay_all_images(struct prof_resolve_job *job)
{
    const struct prof_resolve_options *o = job->options;
    const struct prof_launched launched = {o->pid, o->exit_code, o->exit_signal};
    for (uint32_t i = 0; i < job->images_len; i++) {
        LS_TRY(prof_replay_image(&job->run, &job->images[i], &job->surveys[i], i));
        job->origins[i] = job->surveys[i].origin;
        prof_survey_fini(&job->surveys[i]);
    }
    prof_processes_link(&job->run, &job->forks, job->origins, &launched);
    return LS_OK;
}

/* Hooks and bursts over wall time, of the worst process that lived long enough (of all when none did). */
static double prof_overhead_achieved(const struct prof_run_state *run, uint64_t min_life_ns)
{
    double worst = NAN;
    for (size_t i = 0; i < run->processes.len; i++) {
        const struct prof_process *p = &run->processes.rows[i];
        const uint64_t life_ns = p->end_ns - p->begin_ns;
        if (life_ns < min_life_ns || life_ns == 0) continue;
        const double share = (double)(p->bursts_ns + p->hooks_ns) / (double)life_ns;
        if (!(worst >= share)) worst = share;
    }
    return isnan(worst) && min_life_ns > 0 ? prof_overhead_achieved(run, 0) : worst;
}

static void prof_fill_calibration(const struct mach_calibration *c, struct prof_run *run)
{
    _Static_assert((int)PROF_LEVEL_COUNT == (int)MACH_LEVEL_COUNT,
                   "levels of a latency are levels of a sample");
    for (int l = 0; l < PROF_LEVEL_COUNT; l++) {
        run->level_latency_cycles[l] = c ? c->latency_cycles[l] : NAN;
        run->level_limit_cycles[l] = c ? c->limit_cycles[l] : NAN;
        run->level_line_cycles[l] = c ? c->line_cycles[l] : NAN;
        run->level_bytes[l] = c ? (double)c->cache_bytes[l] : NAN;
    }
    run->line_cycles_all = c ? c->line_cycles_all : NAN;
    run->line_cpus = c ? c->cpus : UINT64_MAX;
    run->tsc_step_cycles = c ? c->tsc_step_cycles : UINT64_MAX;
    run->issue_width = c ? c->issue_width : NAN;
}

static uint64_t prof_run_end_ns(const struct prof_run_state *run)
{
    uint64_t end_ns = 0;
    for (size_t i = 0; i < run->processes.len; i++)
        if (run->processes.rows[i].end_ns > end_ns) end_ns = run->processes.rows[i].end_ns;
    return end_ns;
}

/* Wall clock at the start of the recording: by the anchor of the first file that opens. */
static uint64_t prof_start_realtime_ns(const struct prof_resolve_job *job)
{
    for (size_t i = 0; i < job->images_len; i++)
        for (size_t f = 0; f < job->images[i].streams.len; f++) {
            spool_reader *r;
            if (spool_reader_open(&job->images[i].streams.rows[f], &r) != LS_OK) continue;
            const struct spool_file_header h = *spool_reader_header(r);
            spool_reader_free(r);
            return h.realtime_ns - h.mono_ns + job->run.start_ns;
        }
    return UINT64_MAX;
}

static double prof_share(uint64_t part, uint64_t all)
{
    return all ? (double)part / (double)all : NAN;
}

/* Reason why no better engine ran: the process's, then the hardware's. The engine null was requested, or has
 * noted a reason. */
static const char *prof_run_why(prof_names *names, const struct prof_process *first, const char *why_no_hw)
{
    /* a spool too small for the process's record names no engine */
    const bool has_bursts =
        first->engine && (strcmp(first->engine, "step") == 0 || strcmp(first->engine, "translate") == 0);
    if (!why_no_hw || !has_bursts || strstr(first->why, "hw:")) return first->why;
    return prof_name_printf(names, "%s%s%s", first->why, *first->why ? "; " : "", why_no_hw);
}

/* Samples carry the weights of their bursts, which are known when all CPU times are. */
static ls_err prof_rewrite_weights(struct prof_run_state *s)
{
    enum { ROWS = 1 << 16 };
    uint32_t *bursts = malloc(ROWS * sizeof(*bursts));
    uint64_t *weights = malloc(ROWS * sizeof(*weights));
    ls_err e = bursts && weights ? LS_OK : ls_nomem("the weights of samples");
    for (uint64_t first = 0; e == LS_OK && first < s->samples_len; first += ROWS) {
        const uint64_t left = s->samples_len - first;
        const struct prof_slice slice = {first, left < ROWS ? left : ROWS};
        e = prof_writer_read(s->writer, PROF_COL_burst, slice, bursts);
        for (uint64_t i = 0; e == LS_OK && i < slice.len; i++)
            weights[i] = bursts[i] < s->bursts.len ? s->bursts.rows[bursts[i]].weight_ns : UINT64_MAX;
        if (e == LS_OK) e = prof_writer_rewrite(s->writer, PROF_COL_weight_ns, slice, weights);
    }
    free(bursts);
    free(weights);
    return e;
}

static ls_err prof_close_account(struct prof_resolve_job *job)
{
    struct prof_run_state *s = &job->run;
    const struct prof_account account = {.processes = s->processes.rows,
                                         .cpus = s->cpus.rows,
                                         .processes_len = s->processes.len,
                                         .threads = s->threads.rows,
                                         .bursts = s->bursts.rows,
                                         .bursts_len = s->bursts.len,
                                         .lates = s->lates.rows,
                                         .lates_len = s->lates.len};
    job->account = (struct prof_run){PROF_RUN_CPU_UNKNOWN};
    LS_TRY(
        prof_account_close(&account, &job->account, job->unrepresented_why, sizeof(job->unrepresented_why)));
    LS_TRY(prof_account_functions(&account, &s->lines));
    for (uint32_t i = 0; i < s->processes.len; i++)
        LS_TRY(prof_kernel_finish(s, i, s->processes.rows[i].kernel_ns));
    return prof_rewrite_weights(s);
}

static uint64_t prof_instructions(const struct prof_run_state *s)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < s->bursts.len; i++)
        sum += s->bursts.rows[i].instructions;
    return sum;
}

static struct prof_run prof_run_describe(const struct prof_resolve_job *job,
                                         const struct mach_machine *machine)
{
    const struct prof_run_state *s = &job->run;
    const struct prof_process *first = &s->processes.rows[0];
    const struct prof_resolve_options *o = job->options;
    struct prof_run run = {
        .schema = PROF_SCHEMA,
        .command = o->command ? o->command : first->cmdline,
        .host = o->host ? o->host : machine->host,
        .cpu = o->cpu ? o->cpu : machine->cpu,
        .topology = o->cpu ? "" : machine->summary,
        .engine = first->engine,
        .trigger = first->trigger,
        .why = prof_run_why(job->run.names, first, o->why_no_hw),
        .version = PACKAGE_VERSION,
        .start_realtime_ns = prof_start_realtime_ns(job),
        .start_mono_ns = s->start_ns,
        .duration_ns = o->duration_ns ? o->duration_ns : prof_run_end_ns(s),
        .exit_code = (uint64_t)o->exit_code,
        .exit_signal = (uint64_t)o->exit_signal,
        .attached_pid = o->attached_pid,
        .tsc_hz = s->tsc_hz ? s->tsc_hz : UINT64_MAX,
        .probe_cost_cycles = s->probe_cost_cycles,
        .burst_instructions = s->burst_instructions,
        .overhead_asked = s->overhead_asked,
        .overhead_achieved = prof_overhead_achieved(s, PROF_OVERHEAD_LIFE_NS),
        .lost_records = s->lost_records,
        .dropped_bytes = s->dropped_bytes,
        .throttled = s->events_sampled ? s->throttled : UINT64_MAX,
        .events_sampled = s->events_sampled ? s->events_sampled : "",
        .latency_meaning = s->latency_meaning ? s->latency_meaning : "",
        .coverage_precise = prof_share(s->samples_precise, s->samples_len),
        .coverage_coarse =
            prof_share(s->samples_len - s->samples_precise - s->samples_unmapped, s->samples_len),
        .cpu_ns = job->account.cpu_ns,
        .user_ns = job->account.user_ns,
        .kernel_ns = job->account.kernel_ns,
        .kernel_error_ns = job->account.kernel_error_ns,
        .recording_ns = job->account.recording_ns,
        .represented_ns = job->account.represented_ns,
        .unrepresented_ns = job->account.unrepresented_ns,
        .unrepresented_why = job->account.unrepresented_why,
        .weights_found = job->account.weights_found,
        .instructions_stepped = prof_instructions(s),
        .instructions_in_place = UINT64_MAX,
    };
    if (s->instructions_stepped) { /* by the step engine */
        run.instructions_stepped = s->instructions_stepped;
        run.instructions_in_place = s->instructions_in_place;
    }
    prof_fill_calibration(o->calibration, &run);
    return run;
}

static ls_err prof_write_run(struct prof_resolve_job *job)
{
    static struct mach_machine machine; /* large */
    machine = (struct mach_machine){0};
    const bool is_given = job->options->host && job->options->cpu;
    if (!is_given && mach_describe(&machine) != LS_OK)
        machine = (struct mach_machine){0}; /* no reason to lose a recording */
    const struct prof_run run = prof_run_describe(job, &machine);
    struct prof_run_state *s = &job->run;
    LS_TRY(prof_fields_write(s, &run, job->options->slices));
    /* fields append events, too */
    LS_TRY(prof_writer_table(s->writer, PROF_TABLE_events, s->events.rows, s->events.len));
    return prof_writer_run(job->run.writer, &run);
}

/* Name the sites once all processes were replayed: a site that they share gets one name. Their names and
 * source lines also show the types of their blocks. */
static ls_err prof_name_sites(struct prof_resolve_job *job)
{
    struct prof_run_state *s = &job->run;
    const struct prof_caller_tables tables = {
        .frames = s->frames.rows.rows,
        .frames_len = s->frames.rows.len,
        .lines = s->lines.rows,
        .lines_len = s->lines.len,
        .inlines = s->inlines.rows,
        .inlines_len = s->inlines.len,
        .columns = s->columns.of_lines.rows,
        .inline_columns = s->columns.of_inlines.rows,
        .modules = s->modules.rows,
        .modules_len = s->modules.len,
        .line_kinds = calloc(s->lines.len + 1, 1),
        .files = s->files,
        .scripts = &s->scripts,
        .author = job->author,
    };
    ls_err e = prof_sites_name(&s->sites, &tables, s->names, s->tree);
    prof_devices_name(s, &tables);
    if (e == LS_OK) e = prof_typing_finish(&s->typing, &s->sites, &tables, s->names);
    if (e == LS_OK) e = prof_typing_rewrite(&s->typing, s->writer, s->samples_len);
    free(tables.line_kinds);
    return e;
}

static ls_err prof_write_tables(struct prof_resolve_job *job)
{
    struct prof_run_state *s = &job->run;
    size_t nodes_len;
    const struct prof_node *nodes = prof_tree_nodes(s->tree, &nodes_len);
    LS_TRY(prof_sources_collect(&s->lines, s->files, s->names, &job->sources));
    LS_TRY(prof_writer_table(s->writer, PROF_TABLE_nodes, nodes, nodes_len));
    LS_TRY(prof_writer_table(s->writer, PROF_TABLE_threads, s->threads.rows, s->threads.len));
    LS_TRY(prof_writer_table(s->writer, PROF_TABLE_processes, s->processes.rows, s->processes.len));
    LS_TRY(prof_writer_table(s->writer, PROF_TABLE_bursts, s->bursts.rows, s->bursts.len));
    LS_TRY(prof_writer_table(s->writer, PROF_TABLE_modules, s->modules.rows, s->modules.len));
    LS_TRY(prof_writer_table(s->writer, PROF_TABLE_lines, s->lines.rows, s->lines.len));
    LS_TRY(prof_writer_table(s->writer, PROF_TABLE_inlines, s->inlines.rows, s->inlines.len));
    LS_TRY(prof_writer_table(s->writer, PROF_TABLE_sites, s->sites.rows.rows, s->sites.rows.len));
    LS_TRY(prof_writer_table(s->writer, PROF_TABLE_types, s->typing.types.rows, s->typing.types.len));
    LS_TRY(prof_writer_table(s->writer, PROF_TABLE_members, s->typing.members.rows, s->typing.members.len));
    LS_TRY(prof_writer_table(s->writer, PROF_TABLE_watches, s->watches.rows, s->watches.len));
    LS_TRY(prof_writer_table(s->writer, PROF_TABLE_kernels, s->kernels.rows, s->kernels.len));
    LS_TRY(prof_writer_table(s->writer, PROF_TABLE_in_places, s->in_places.rows, s->in_places.len));
    LS_TRY(
        prof_writer_table(s->writer, PROF_TABLE_device_blocks, s->device_blocks.rows, s->device_blocks.len));
    LS_TRY(
        prof_writer_table(s->writer, PROF_TABLE_device_copies, s->device_copies.rows, s->device_copies.len));
    LS_TRY(prof_writer_table(s->writer, PROF_TABLE_frames, s->frames.rows.rows, s->frames.rows.len));
    LS_TRY(prof_writer_table(s->writer, PROF_TABLE_phases, s->phases.phases.rows, s->phases.phases.len));
    LS_TRY(prof_writer_table(s->writer, PROF_TABLE_phase_spans, s->phases.spans.rows, s->phases.spans.len));
    LS_TRY(prof_series_write(&s->series, s->writer));
    LS_TRY(prof_counters_write(job->options, s));
    return prof_writer_table(s->writer, PROF_TABLE_sources, job->sources.rows, job->sources.len);
}

static ls_err prof_run_job(struct prof_resolve_job *job)
{
    struct prof_run_state *s = &job->run;
    LS_TRY(spool_dir_open(job->options->spool_dir, &job->dir));
    const struct spool_image *images = spool_dir_images(job->dir, &job->images_len);
    job->images = calloc(job->images_len, sizeof(*job->images));
    job->surveys = calloc(job->images_len, sizeof(*job->surveys));
    job->origins = calloc(job->images_len, sizeof(*job->origins));
    s->names = prof_names_new();
    s->tree = s->names ? prof_tree_new(s->names) : NULL;
    if (!job->images || !job->surveys || !job->origins || !s->tree)
        return ls_nomem("%s", job->options->spool_dir);
    memcpy(job->images, images, job->images_len * sizeof(*images));
    job->author = job->options->author;
    for (size_t i = 0; i < job->images_len; i++)
        job->author = ls_owner_meet(job->author, spool_streams_author(&images[i].streams));
    LS_TRY(prof_writer_new(job->options->output_path, job->options->force, &s->writer));
    LS_TRY(prof_survey_all_images(job));
    s->files = job->options->files;
    if (!s->files) LS_TRY(sym_files_new((struct sym_limits){.asker = job->author}, &s->files));
    LS_TRY(prof_images_sort(job->images, job->surveys, job->images_len));
    LS_TRY(prof_forks_init(&job->forks, job->images, job->surveys, job->images_len));
    s->forks = &job->forks;
    LS_TRY(prof_plant_all(job));
    LS_TRY(prof_replay_all_images(job));
    LS_TRY(prof_close_account(job));
    LS_TRY(prof_nameless_warn(s, job->options->warn));
    LS_TRY(prof_name_sites(job));
    LS_TRY(prof_write_tables(job));
    LS_TRY(prof_write_run(job));
    return prof_writer_finish(s->writer);
}

/* Another user's spool must not choose files for us to write. */
static ls_err prof_may_dump(const struct prof_resolve_job *job)
{
    if (job->author == LS_OWNER_OURS) return LS_OK;
    return ls_fail(LS_ERR_PERMISSION, "%s belongs to another user", job->options->spool_dir);
}

/* Write the dumps that the program requested from the finished profile; a failure there leaves the profile
 * intact. */
static void prof_write_dumps(const struct prof_resolve_job *job, struct prof_resolve_stats *stats)
{
    const prof_dump_list *dumps = &job->run.dumps;
    prof_profile *p = NULL;
    if (dumps->len == 0) return;
    const ls_err opened = prof_open(job->options->output_path, &p);
    for (size_t i = 0; i < dumps->len; i++) {
        const bool is_written = opened == LS_OK && prof_may_dump(job) == LS_OK &&
                                prof_dump_write(p, &dumps->rows[i], job->options->force) == LS_OK;
        stats->dumps += is_written;
        stats->dumps_failed += !is_written;
    }
    prof_close(p);
}

static void prof_job_fini(struct prof_resolve_job *job)
{
    struct prof_run_state *s = &job->run;
    prof_writer_free(s->writer);
    for (size_t i = 0; job->surveys && i < job->images_len; i++)
        prof_survey_fini(&job->surveys[i]);
    free(job->surveys);
    free(job->origins);
    free(job->images);
    prof_forks_fini(&job->forks);
    free(job->sources.rows);
    free(s->processes.rows);
    free(s->cpus.rows);
    free(s->threads.rows);
    free(s->bursts.rows);
    free(s->lates.rows);
    prof_phase_tables_fini(&s->phases);
    free(s->dumps.rows);
    free(s->child_ends.rows);
    prof_series_fini(&s->series);
    prof_domains_fini(&s->domains);
    free(s->events.rows);
    free(s->watches.rows);
    free(s->kernels.rows);
    free(s->in_places.rows);
    free(s->device_blocks.rows);
    free(s->device_copies.rows);
    prof_frames_fini(&s->frames);
    prof_sites_fini(&s->sites);
    prof_scripts_fini(&s->scripts);
    prof_typing_fini(&s->typing);
    free(s->lines.rows);
    free(s->inlines.rows);
    free(s->columns.of_lines.rows);
    free(s->columns.of_inlines.rows);
    free(s->modules.rows);
    if (s->files != job->options->files) sym_files_free(s->files);
    prof_tree_free(s->tree);
    prof_names_free(s->names);
    spool_dir_free(job->dir);
}

ls_err prof_resolve(const struct prof_resolve_options *options, struct prof_resolve_stats *out)
{
    struct prof_resolve_job job = {
        .options = options,
        .run = {.calibration = options->calibration, .progress = options->progress, .user = options->user}};
    const ls_err e = prof_run_job(&job);
    if (e == LS_OK && options->progress) options->progress(options->user, 1.0);
    if (e == LS_OK && out)
        *out = (struct prof_resolve_stats){.samples = job.run.samples_len,
                                           .dropped_bytes = job.run.dropped_bytes,
                                           .bursts = job.run.bursts.len,
                                           .processes = job.run.processes.len,
                                           .threads = job.run.threads.len,
                                           .damaged_files = job.run.damaged_files};
    if (e == LS_OK && out) prof_write_dumps(&job, out);
    prof_job_fini(&job);
    return e;
}
