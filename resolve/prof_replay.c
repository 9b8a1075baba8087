/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_replay.h"

#include "common/ls_checked.h"
#include "common/ls_error.h"
#include "common/ls_sorted.h"
#include "resolve/prof_modules.h"
#include "run_h5/prof_writer.h"
#include "spool/spool_format.h"
#include "spool/spool_merge.h"
#include "spool/spool_record.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* --- NUMA nodes of pages --- */

/* The page's entry among sorted ones, NULL: none. */
static const uint64_t *prof_page_find(const uint64_t *pages, size_t len, uint64_t page)
{
    size_t from;
    LS_COUNT_FIRST(from, len, i, pages[i] < page);
    return from < len && (pages[from] & ~SPOOL_PAGE_NODE_MASK) == page ? &pages[from] : NULL;
}

/* Set the column numa of the samples whose page is in the record. Errors: LS_ERR_NOMEM. */
static ls_err prof_pages_apply(const struct spool_pages *record, struct prof_sample *rows, size_t len)
{
    const size_t bytes = record->pages_len * sizeof(uint64_t);
    uint64_t *pages = malloc(bytes + 1);
    if (!pages) return ls_nomem("%u pages", record->pages_len);
    memcpy(pages, SPOOL_REC_TAIL(record), bytes);
    qsort(pages, record->pages_len, sizeof(*pages), ls_compare_u64);
    for (size_t i = 0; i < len; i++) {
        const uint64_t *page = prof_page_find(pages, record->pages_len, rows[i].addr & ~SPOOL_PAGE_NODE_MASK);
        if (page && (*page & SPOOL_PAGE_NODE_MASK) < UINT8_MAX)
            rows[i].numa = (uint8_t)(*page & SPOOL_PAGE_NODE_MASK);
    }
    free(pages);
    return LS_OK;
}

#define PROF_BURST_END_SAME(name, text) \
    _Static_assert((int)PROF_BURST_END_##name == (int)SPOOL_BURST_##name, "run.h5 has the spool's numbers");
PROF_BURST_ENDS(PROF_BURST_END_SAME)
#undef PROF_BURST_END_SAME
_Static_assert(PROF_BURST_END_COUNT == SPOOL_BURST_LAST + 1, "every end has a name");
#define PROF_METHOD_SAME(name, text) \
    _Static_assert((int)PROF_METHOD_##name == (int)SPOOL_METHOD_##name, "run.h5 has the spool's numbers");
PROF_METHODS(PROF_METHOD_SAME)
#undef PROF_METHOD_SAME
_Static_assert(PROF_METHOD_COUNT == SPOOL_METHOD_LAST + 1, "every method has a name");

static ls_err prof_close_burst(struct prof_replay *r, struct prof_stream *stream)
{
    if (stream->burst == PROF_NO_BURST) return LS_OK;
    struct prof_burst *b = &r->run->bursts.rows[stream->burst];
    b->first_sample = r->run->samples_len;
    b->samples_len = (uint32_t)stream->samples.len;
    for (size_t i = 0; i < stream->samples.len; i++)
        LS_TRY(prof_writer_add(r->run->writer, &stream->samples.rows[i]));
    r->run->samples_len += stream->samples.len;
    stream->samples.len = 0;
    stream->burst = PROF_NO_BURST;
    return LS_OK;
}

static ls_err prof_on_burst_begin(struct prof_replay *r, struct prof_stream *stream,
                                  const struct spool_burst_begin *b)
{
    LS_TRY(prof_close_burst(r, stream));
    LS_TRY(LS_VECTOR_ROOM(&r->run->bursts));
    stream->sampled = PROF_NO_BURST;
    stream->burst = (uint32_t)r->run->bursts.len;
    stream->cpu = b->cpu;
    r->run->bursts.rows[r->run->bursts.len++] =
        (struct prof_burst){.thread = stream->thread,
                            .cpu = b->cpu,
                            .time_ns = prof_since_start(r->run, b->time_ns),
                            .weight_ns = b->weight_ns,
                            .spent_ns = 0,
                            .ip = b->ip,
                            .end_why = UINT32_MAX,
                            .method = UINT32_MAX,
                            .frame = PROF_NO_FRAME,
                            .phase = prof_phase_of_stream(r, stream)};
    prof_calls_forget(&stream->calls);
    return prof_ip_add(&r->ips, b->ip); /* the weight belongs to this line */
}

static ls_err prof_on_mpi(struct prof_replay *r, const struct prof_stream *stream,
                          const struct spool_mpi *mpi)
{
    if (stream->burst == PROF_NO_BURST) return LS_OK;
    struct prof_burst *b = &r->run->bursts.rows[stream->burst];
    b->mpi = mpi->rec.flags;
    b->mpi_ip = mpi->ip;
    return prof_ip_add(&r->ips, mpi->ip);
}

static ls_err prof_on_pages(struct prof_stream *stream, const struct spool_pages *pages)
{
    return stream->burst == PROF_NO_BURST
               ? LS_OK
               : prof_pages_apply(pages, stream->samples.rows, stream->samples.len);
}

static ls_err prof_on_stack(struct prof_replay *r, struct prof_stream *stream,
                            const struct spool_stack *stack)
{
    if (stream->burst == PROF_NO_BURST) return LS_OK;
    return prof_calls_begin(r->calls, &stream->calls, stack, &r->run->bursts.rows[stream->burst].frame);
}

static ls_err prof_on_callers(struct prof_replay *r, struct prof_stream *stream,
                              const struct spool_chain *rec)
{
    if (stream->burst == PROF_NO_BURST) return LS_OK;
    struct prof_burst *b = &r->run->bursts.rows[stream->burst];
    return prof_calls_callers(r->calls, b->ip, rec, &b->frame);
}

static ls_err prof_on_burst_late(struct prof_replay *r, struct prof_stream *stream,
                                 const struct spool_burst_late *late)
{
    if (stream->burst == PROF_NO_BURST || !late->cycles || !late->instructions) return LS_OK;
    if (late->core_millicycles) stream->core_cycle = 1e-3 * late->core_millicycles;
    const bool is_near = late->rec.flags & SPOOL_LATE_NEAR;
    return LS_VECTOR_ADD(&r->run->lates,
                         (struct prof_late){late->cycles, late->instructions, stream->burst, is_near});
}

static ls_err prof_on_burst_end(struct prof_replay *r, struct prof_stream *stream,
                                const struct spool_burst_end *end)
{
    struct prof_process *p = prof_process_of(r);
    if (end->all_spent_ns > p->bursts_ns) p->bursts_ns = end->all_spent_ns;
    if (end->hooks_ns > p->hooks_ns) p->hooks_ns = end->hooks_ns;
    if (end->method == SPOOL_METHOD_STEP) r->run->instructions_stepped += end->instructions;
    r->run->instructions_in_place += end->in_place;
    prof_latency_learn(&r->latency, end);
    if (end->control_len) r->run->probe_cost_cycles = ls_round_u64(prof_latency_cost_cycles(&r->latency));
    if (stream->burst == PROF_NO_BURST) return LS_OK;
    struct prof_burst *b = &r->run->bursts.rows[stream->burst];
    b->spent_ns = end->spent_ns;
    b->program_ns = end->program_ns;
    /* a burst represents user time: kernel time of its page faults is left out */
    const double faults_ns = (double)end->faults * prof_kernel_fault_ns(r->run->calibration);
    if (faults_ns < (double)b->program_ns)
        b->program_ns -= (uint64_t)faults_ns;
    else
        b->program_ns = 0;
    if (b->program_ns < UINT64_MAX - b->weight_ns) b->weight_ns += b->program_ns;
    b->method = end->method <= SPOOL_METHOD_LAST ? end->method : UINT32_MAX;
    b->pace_instructions = end->pace_instructions;
    b->pace_cycles = end->pace_cycles;
    const double core_cycle = stream->core_cycle > 0 ? stream->core_cycle
                              : r->run->calibration  ? r->run->calibration->core_cycle
                                                     : 0;
    b->pace_least_cycles =
        ls_round_u64(1e-3 * end->pace_least_millicycles * end->pace_instructions * core_cycle);
    b->pace_rest_waits = end->pace_rest_waits == 1;
    b->probe_loads = end->probe_loads;
    b->instructions = end->instructions;
    b->end_why = end->rec.flags <= SPOOL_BURST_LAST ? end->rec.flags : UINT32_MAX;
    return prof_close_burst(r, stream);
}

static ls_err prof_on_access(struct prof_replay *r, struct prof_stream *stream, const struct spool_access *a,
                             uint64_t time_ns)
{
    if (stream->burst == PROF_NO_BURST) { /* the record of its burst was lost */
        r->run->lost_records++;
        return LS_OK;
    }
    prof_space_set_time(r->space, time_ns);
    struct prof_target target = prof_space_find_access(r->space, a);
    if (target.node == PROF_NO_NODE) return ls_nomem("the homes of addresses");
    LS_TRY(prof_calls_access(r->calls, &stream->calls, a, &target));
    struct prof_sample s = prof_sample_missing;
    s.time_ns = prof_since_start(r->run, time_ns);
    s.thread = stream->thread;
    s.cpu = stream->cpu;
    s.ip = a->ip;
    s.addr = a->addr;
    s.size = a->size_bytes;
    prof_sampled_flags(a->rec.flags, &s);
    prof_latency_set(&r->latency, a, &s);
    if (a->rec.flags & SPOOL_ACCESS_DRAIN_VALID) s.drain_cycles = a->drain_cycles;
    s.node = target.node;
    s.element = target.element;
    s.component = target.component;
    prof_target_note_type(&target, &s);
    s.phase = prof_phase_of_stream(r, stream);
    s.burst = stream->burst;
    s.position = a->position;
    prof_count_coverage(r->run, target.node);
    LS_TRY(LS_VECTOR_ADD(&stream->samples, s));
    return prof_ip_add(&r->ips, a->ip);
}

/* Numbered in the order they began, so that runs compare. */
static uint32_t prof_stack_home(struct prof_replay *r, const struct spool_thread_begin *t)
{
    const char *label = "stack of main thread";
    if (t->rec.flags & SPOOL_THREAD_OWN)
        label = "stack of Loadstone's own thread";
    else if (t->tid != prof_process_of(r)->pid)
        label = prof_name_printf(r->run->names, "stack of thread %u", ++r->threads_begun + 1);
    return prof_tree_home(r->run->tree, PROF_NODE_STACK, label);
}

static ls_err prof_on_thread_begin(struct prof_replay *r, struct prof_stream *stream,
                                   const struct spool_thread_begin *t)
{
    struct prof_thread *thread = &r->run->threads.rows[stream->thread];
    const uint32_t home = prof_stack_home(r, t);
    thread->tid = t->tid;
    r->sampled_tid = 0; /* the number may have been another thread's */
    thread->name = prof_name(r->run->names, SPOOL_REC_TAIL(t), t->name_len);
    stream->stack_base = t->stack_base;
    stream->stack_end = t->stack_end;
    if (home == PROF_NO_NODE) return LS_ERR_NOMEM;
    stream->calls.home = home;
    return t->stack_base < t->stack_end ? prof_space_stack_begin(r->space, t->stack_base, t->stack_end, home)
                                        : LS_OK;
}

static ls_err prof_on_thread_end(struct prof_replay *r, struct prof_stream *stream,
                                 const struct spool_thread_end *end)
{
    struct prof_thread *thread = &r->run->threads.rows[stream->thread];
    thread->cpu_ns = end->cpu_ns;
    thread->spent_ns = end->spent_ns;
    LS_TRY(prof_close_burst(r, stream));
    const size_t left_open =
        prof_phase_end_all(&stream->phases, &r->run->phases, prof_since_start(r->run, end->time_ns));
    if (stream != r->main_stream) r->phases_left_open += left_open;
    const uint64_t base = stream->stack_base;
    stream->stack_base = 0;
    return base < stream->stack_end && base ? prof_space_stack_end(r->space, base, stream->stack_end) : LS_OK;
}

static ls_err prof_on_maps(struct prof_replay *r, struct prof_stream *stream, const struct spool_maps *piece)
{
    bool whole;
    LS_TRY(prof_snapshot_take(&stream->maps, piece, &whole));
    return whole ? prof_space_snapshot(r->space, stream->maps.text, stream->maps.len) : LS_OK;
}

static ls_err prof_on_phase(struct prof_replay *r, struct prof_stream *stream, const struct spool_phase *p)
{
    const char *name = prof_name(r->run->names, SPOOL_REC_TAIL(p), p->name_len);
    const struct prof_phase_point at = {stream->thread, prof_since_start(r->run, p->time_ns)};
    if (!(p->rec.flags & SPOOL_PHASE_BEGIN)) {
        r->phases_unmatched += !prof_phase_end(&stream->phases, &r->run->phases, name, at.time_ns);
        return LS_OK;
    }
    return prof_phase_begin(&stream->phases, &r->run->phases, name, prof_phase_of_stream(r, stream), at);
}

static ls_err prof_on_resources(struct prof_replay *r, const struct spool_resources *rec)
{
    prof_account_take(&r->run->cpus.rows[r->process], rec);
    const struct prof_point at = {.process = r->process, .time_ns = prof_since_start(r->run, rec->time_ns)};
    return prof_series_add(&r->run->series, at, rec);
}

static struct prof_in_place *prof_in_place_of(struct prof_run_state *run, uint32_t process, const char *name)
{
    for (size_t i = run->in_places.len; i-- > 0 && run->in_places.rows[i].process == process;)
        if (strcmp(run->in_places.rows[i].instruction, name) == 0) return &run->in_places.rows[i];
    return NULL;
}

static ls_err prof_on_in_place(struct prof_replay *r, const struct spool_in_place *rec)
{
    struct prof_run_state *run = r->run;
    const char *tail = SPOOL_REC_TAIL(rec);
    for (uint32_t i = 0; i < rec->rows_len; i++) {
        struct spool_in_place_row row;
        memcpy(&row, tail + i * sizeof(row), sizeof(row));
        const char *name =
            prof_name(run->names, row.instruction, strnlen(row.instruction, sizeof(row.instruction)));
        struct prof_in_place *known = prof_in_place_of(run, r->process, name);
        if (known) {
            known->count += row.count;
            continue;
        }
        LS_TRY(LS_VECTOR_ADD(
            &run->in_places,
            (struct prof_in_place){.process = r->process, .instruction = name, .count = row.count}));
    }
    return LS_OK;
}

static ls_err prof_on_child_ended(struct prof_replay *r, const struct spool_child_ended *rec)
{
    return LS_VECTOR_ADD(&r->run->child_ends,
                         (struct prof_child_end){.pid = rec->pid,
                                                 .status = rec->status,
                                                 .time_ns = prof_since_start(r->run, rec->time_ns)});
}

static ls_err prof_on_dump(struct prof_replay *r, const struct spool_dump *rec)
{
    return LS_VECTOR_ADD(
        &r->run->dumps,
        (struct prof_dump){.path = prof_name_path(r->run->names, SPOOL_REC_TAIL(rec), rec->path_len),
                           .process = r->process,
                           .time_ns = prof_since_start(r->run, rec->time_ns),
                           .extents = {rec->extents[0], rec->extents[1], rec->extents[2]},
                           .threshold_cycles = r->threshold_cycles});
}

static ls_err prof_on_setting(struct prof_replay *r, const struct spool_setting *rec)
{
    static const char threshold[] = "threshold=";
    const char *text = prof_name(r->run->names, SPOOL_REC_TAIL(rec), rec->text_len);
    if (strncmp(text, threshold, strlen(threshold)) == 0)
        r->threshold_cycles = strtoull(text + strlen(threshold), NULL, 10);
    return prof_event_put(
        r->run, r->process,
        (struct prof_event){
            .time_ns = prof_since_start(r->run, rec->time_ns), .kind = "SETTING", .text = text, .count = 1});
}

static ls_err prof_on_record(struct prof_replay *r, const struct spool_item *item)
{
    struct prof_stream *stream = &r->streams[item->stream];
    const void *rec = item->rec;
    switch (item->rec->type) {
    case SPOOL_REC_THREAD_BEGIN:
        return prof_on_thread_begin(r, stream, rec);
    case SPOOL_REC_THREAD_END:
        LS_TRY(prof_tls_end(&r->tls, (uint32_t)item->stream));
        return prof_on_thread_end(r, stream, rec);
    case SPOOL_REC_MAPS:
        return prof_on_maps(r, stream, rec);
    case SPOOL_REC_MMAP:
        return prof_space_mmap(r->space, rec);
    case SPOOL_REC_MUNMAP:
        return prof_space_munmap(r->space, rec);
    case SPOOL_REC_SITE:
        return prof_space_site(r->space, rec);
    case SPOOL_REC_SCRIPT:
        return prof_scripts_add(&r->run->scripts, r->process, rec, r->run->names);
    case SPOOL_REC_ALLOC:
        return prof_space_alloc(r->space, rec);
    case SPOOL_REC_FREE:
        return prof_space_free_block(r->space, rec);
    case SPOOL_REC_NODE_ADD:
    case SPOOL_REC_NODE_RANGE:
        return prof_space_node_range(r->space, rec);
    case SPOOL_REC_NODE_REMOVE:
        return prof_space_node_remove(r->space, rec);
    case SPOOL_REC_PHASE:
        return prof_on_phase(r, stream, rec);
    case SPOOL_REC_TLS_BLOCKS:
        return prof_tls_blocks(&r->tls, (uint32_t)item->stream, rec);
    case SPOOL_REC_BURST_BEGIN:
        return prof_on_burst_begin(r, stream, rec);
    case SPOOL_REC_STACK:
        if (stream->sampled != PROF_NO_BURST) return prof_sampled_take(r, stream, item);
        return prof_on_stack(r, stream, rec);
    case SPOOL_REC_CHAIN:
        if (!(((const struct spool_chain *)rec)->rec.flags & SPOOL_CHAIN_CALLERS))
            return prof_sampled_take(r, stream, item);
        return prof_on_callers(r, stream, rec);
    case SPOOL_REC_MPI:
        return prof_on_mpi(r, stream, rec);
    case SPOOL_REC_PAGES:
        return prof_on_pages(stream, rec);
    case SPOOL_REC_ACCESS:
        return prof_on_access(r, stream, rec, item->time_ns);
    case SPOOL_REC_BURST_LATE:
        return prof_on_burst_late(r, stream, rec);
    case SPOOL_REC_BURST_END:
        return prof_on_burst_end(r, stream, rec);
    case SPOOL_REC_EVENT:
        return prof_event_take(r->run, r->process, rec);
    case SPOOL_REC_RESOURCES:
        return prof_on_resources(r, rec);
    case SPOOL_REC_IN_PLACE:
        return prof_on_in_place(r, rec);
    case SPOOL_REC_DEVICE_BLOCK:
    case SPOOL_REC_DEVICE_FREE:
    case SPOOL_REC_DEVICE_COPY:
        return prof_devices_take(r, item->rec);
    case SPOOL_REC_CHILD_ENDED:
        return prof_on_child_ended(r, rec);
    case SPOOL_REC_DUMP:
        return prof_on_dump(r, rec);
    case SPOOL_REC_SETTING:
        return prof_on_setting(r, rec);
    case SPOOL_REC_FAULT:
    case SPOOL_REC_CALL:
        return prof_kernel_take(r, stream, item->rec);
    case SPOOL_REC_CALLBACK:
        return prof_callback_take(r, rec);
    case SPOOL_REC_DOMAIN_DATA:
    case SPOOL_REC_DOMAIN:
    case SPOOL_REC_MAP:
    case SPOOL_REC_NODE_MAP:
    case SPOOL_REC_POINT:
        return prof_domains_take(r, item->rec);
    default: /* NODE_MEMBER, PROCESS and others: the survey's */
        return prof_sampled_take(r, stream, item);
    }
}

static void prof_report_progress(struct prof_run_state *run)
{
    enum { PROF_PROGRESS_EVERY = 1 << 16 };
    if (run->progress && run->records_all > 0 && ++run->records_done % PROF_PROGRESS_EVERY == 0)
        run->progress(run->user, (double)run->records_done / (double)run->records_all);
}

static ls_err prof_begin_streams(struct prof_replay *r, const spool_merge *merge, size_t files_len)
{
    const uint32_t pid = prof_process_of(r)->pid;
    r->streams_len = (uint32_t)files_len;
    for (size_t i = 0; i < files_len; i++) {
        LS_TRY(LS_VECTOR_ROOM(&r->run->threads));
        if (!r->main_stream && spool_merge_stream_at(merge, i)->tid == pid) r->main_stream = &r->streams[i];
        r->streams[i].burst = r->streams[i].sampled = PROF_NO_BURST;
        r->streams[i].calls.home = r->streams[i].announced.node = PROF_NO_NODE;
        r->streams[i].thread = (uint32_t)r->run->threads.len;
        r->run->threads.rows[r->run->threads.len++] =
            (struct prof_thread){.process = r->process,
                                 .tid = spool_merge_stream_at(merge, i)->tid,
                                 .name = "",
                                 .begin_ns = UINT64_MAX,
                                 .cpu_ns = UINT64_MAX};
    }
    return LS_OK;
}

/* Take the open phases of the thread that forked; the main thread's if it has none or its file was lost. */
static ls_err prof_fork_phases(struct prof_replay *r, const spool_merge *merge, size_t files_len,
                               struct prof_fork *fork)
{
    const struct prof_stream *found = r->main_stream;
    for (size_t i = 0; i < files_len; i++)
        if (spool_merge_stream_at(merge, i)->tid == fork->tid && r->streams[i].phases.open.len > 0)
            found = &r->streams[i];
    for (size_t i = 0; found && i < found->phases.open.len; i++) {
        LS_TRY(LS_VECTOR_ADD(&fork->phases.open, found->phases.open.rows[i]));
    }
    return LS_OK;
}

static ls_err prof_fork_space(struct prof_replay *r, struct prof_fork *fork)
{
    struct prof_forks *forks = r->run->forks;
    const size_t bytes = prof_space_clone_bytes(r->space);
    if (bytes > PROF_FORKS_WAITING_MAX_BYTES - forks->waiting_bytes) {
        r->forks_left_out++;
        return LS_OK;
    }
    fork->space_bytes = bytes;
    forks->waiting_bytes += bytes;
    return prof_space_clone(r->space, fork->child_survey, fork->child, &fork->space);
}

/* Save for children the state of this process before time_ns. */
static ls_err prof_replay_forks(struct prof_replay *r, const spool_merge *merge, size_t files_len,
                                uint64_t time_ns)
{
    for (; r->next_fork < r->forks_end && r->next_fork->fork_ns < time_ns; r->next_fork++) {
        LS_TRY(prof_fork_space(r, r->next_fork));
        LS_TRY(prof_fork_phases(r, merge, files_len, r->next_fork));
    }
    return LS_OK;
}

static ls_err prof_end_streams(struct prof_replay *r, const spool_merge *merge, size_t files_len)
{
    for (size_t i = 0; i < files_len; i++) {
        const struct spool_merge_stream *file = spool_merge_stream_at(merge, i);
        LS_TRY(prof_close_burst(r, &r->streams[i]));
        if (file->damage == LS_OK) continue;
        r->run->damaged_files++;
        LS_TRY(
            prof_event_put(r->run, r->process,
                           (struct prof_event){.time_ns = r->run->threads.rows[r->streams[i].thread].end_ns,
                                               .kind = "DAMAGED_FILE",
                                               .text = prof_name_of(r->run->names, file->damage_text),
                                               .count = 1}));
    }
    return LS_OK;
}

/* The phases of the forking thread continue in the child. */
static ls_err prof_begin_inherited(struct prof_replay *r)
{
    const struct prof_fork *fork = prof_forks_of_child(r->run->forks, r->process);
    if (!fork || !r->main_stream) return LS_OK;
    const struct prof_phase_point at = {r->main_stream->thread, prof_process_of(r)->begin_ns};
    return prof_phase_copy(&fork->phases, &r->main_stream->phases, &r->run->phases, at);
}

static void prof_note_time(struct prof_replay *r, const struct spool_item *item)
{
    struct prof_thread *thread = &r->run->threads.rows[r->streams[item->stream].thread];
    thread->end_ns = prof_since_start(r->run, item->time_ns);
    if (thread->begin_ns == UINT64_MAX) thread->begin_ns = thread->end_ns;
}

/* Name generated code from the program's maps, the only source of such names. */
static ls_err prof_name_generated(struct prof_replay *r, size_t first_line)
{
    struct prof_run_state *run = r->run;
    if (first_line == run->lines.len) return LS_OK;
    const struct prof_jit_counts n =
        prof_jit_name_lines(r->jit, run->lines.rows + first_line, run->lines.len - first_line);
    return prof_event_generated(run, r->process, &n);
}

/* Resolve each address of samples and frames once. */
static ls_err prof_replay_lines(struct prof_replay *r)
{
    struct prof_run_state *run = r->run;
    const size_t first_line = run->lines.len;
    LS_TRY(prof_frames_add_ips(&run->frames, r->first_frame, &r->ips));
    const struct prof_lines_context context = {.modules = &r->modules,
                                               .process = r->process,
                                               .start_ns = run->start_ns,
                                               .names = run->names,
                                               .lines = &run->lines,
                                               .inlines = &run->inlines,
                                               .columns = &run->columns};
    LS_TRY(prof_lines_resolve(&context, &r->ips));
    LS_TRY(prof_modules_write(&r->modules, r->process, run->names, &run->modules));
    if (run->lines.len > first_line)
        prof_scripts_set_lines(&run->scripts, run->lines.rows + first_line, run->lines.len - first_line,
                               run->names);
    LS_TRY(prof_name_generated(r, first_line));
    prof_frames_set_lines(&run->frames, r->first_frame, &run->lines);
    return LS_OK;
}

static ls_err prof_replay_all(struct prof_replay *r, spool_merge *merge, size_t files_len)
{
    LS_TRY(prof_begin_streams(r, merge, files_len));
    LS_TRY(prof_begin_inherited(r));
    for (struct spool_item item; (item = spool_merge_next(merge)).rec != NULL;) {
        if (r->next_fork < r->forks_end) LS_TRY(prof_replay_forks(r, merge, files_len, item.time_ns));
        LS_TRY(prof_on_record(r, &item));
        prof_note_time(r, &item);
        prof_report_progress(r->run);
    }
    LS_TRY(prof_replay_forks(r, merge, files_len, UINT64_MAX));
    LS_TRY(prof_end_streams(r, merge, files_len));
    LS_TRY(prof_event_put_own(r));
    LS_TRY(prof_replay_lines(r));
    return prof_kernel_write(r);
}

static void prof_describe_process(struct prof_replay *r, const struct spool_process *p)
{
    struct prof_process *row = prof_process_of(r);
    const char *text = SPOOL_REC_TAIL(p);
    const uint16_t lens[] = {p->engine_len, p->trigger_len, p->why_len, p->exe_len};
    const char **const fields[] = {&row->engine, &row->trigger, &row->why, &row->exe};
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); text += lens[i], i++)
        *fields[i] = prof_name(r->run->names, text, lens[i]);
    row->cmdline = prof_process_cmdline(r->run->names, text, p->cmdline_len);
    row->parent_pid = p->parent_pid;
    r->run->cpus.rows[r->process].tick_ns = p->tick_ns;
    r->run->overhead_asked = (double)p->overhead_ppm / 1e6;
    r->run->burst_instructions = p->burst_instructions;
    r->latency.subtracted_cycles = p->probe_cost_cycles;
    r->run->probe_cost_cycles = p->probe_cost_cycles;
}

static uint64_t prof_tsc_hz(const struct prof_run_state *run, const struct spool_process *p)
{
    if (p && p->tsc_hz) return p->tsc_hz;
    return run->calibration ? run->calibration->tsc_hz : 0;
}

static ls_err prof_replay_new_space(struct prof_replay *r)
{
    const struct prof_heap_context context = {.sites = &r->run->sites,
                                              .frames = &r->run->frames,
                                              .scripts = &r->run->scripts,
                                              .survey = r->survey,
                                              .tree = r->run->tree,
                                              .names = r->run->names,
                                              .typing = &r->run->typing,
                                              .start_ns = r->run->start_ns,
                                              .process = r->process};
    return prof_space_new(r->survey, &context, &r->space);
}

/* A fork child begins with its parent's state. */
static ls_err prof_replay_open_space(struct prof_replay *r)
{
    struct prof_fork *fork = prof_forks_of_child(r->run->forks, r->process);
    size_t forks_len;
    r->next_fork = prof_forks_of_parent(r->run->forks, r->process, &forks_len);
    r->forks_end = r->next_fork ? r->next_fork + forks_len : NULL;
    if (!fork || !fork->space) return prof_replay_new_space(r);
    r->space = fork->space;
    fork->space = NULL; /* handed over */
    r->run->forks->waiting_bytes -= fork->space_bytes;
    return LS_OK;
}

static ls_err prof_replay_fill(struct prof_replay *r, const struct spool_image *image)
{
    spool_merge *merge;
    LS_TRY(prof_modules_init(&r->modules, r->survey, r->run->files));
    LS_TRY(prof_statics_init(&r->statics, &r->modules, r->run->tree, r->run->start_ns));
    LS_TRY(prof_session_open(&r->modules, &r->session));
    LS_TRY(prof_replay_open_space(r));
    LS_TRY(prof_jit_new(image, r->survey, r->run->names, &r->jit));
    LS_TRY(prof_tls_init(&r->tls, &r->modules, r->survey, r->run->tree));
    r->statics.typing = r->tls.typing = &r->run->typing;
    prof_space_set_statics(r->space, &r->statics, &r->tls);
    const struct prof_calls_context calls = {.modules = &r->modules,
                                             .session = r->session,
                                             .jit = r->jit,
                                             .names = r->run->names,
                                             .tree = r->run->tree,
                                             .space = r->space,
                                             .frames = &r->run->frames,
                                             .typing = &r->run->typing,
                                             .process = r->process};
    LS_TRY(prof_calls_new(&calls, &r->calls));
    r->streams = calloc(image->streams.len + 1, sizeof(*r->streams));
    if (!r->streams) return ls_nomem("%zu threads of %s", image->streams.len, image->path);
    LS_TRY(spool_merge_new(image, 0, &merge));
    const struct spool_process *p = spool_merge_process(merge);
    r->run->tsc_hz = prof_tsc_hz(r->run, p);
    spool_merge_set_tsc_hz(merge, r->run->tsc_hz);
    if (p) prof_describe_process(r, p);
    const ls_err e = prof_replay_all(r, merge, image->streams.len);
    spool_merge_free(merge);
    return e;
}

ls_err prof_replay_image(struct prof_run_state *run, const struct spool_image *image,
                         struct prof_survey *survey, uint32_t process)
{
    struct prof_replay r = {.run = run,
                            .survey = survey,
                            .process = process,
                            .latency = {.calibration = run->calibration},
                            .first_frame = run->frames.rows.len};
    const ls_err e = prof_replay_fill(&r, image);
    for (size_t i = 0; r.streams && i < image->streams.len; i++) {
        prof_snapshot_fini(&r.streams[i].maps);
        free(r.streams[i].samples.rows);
        prof_frame_homes_fini(&r.streams[i].calls.frames);
        prof_phase_fini(&r.streams[i].phases);
    }
    free(r.streams);
    prof_ip_fini(&r.ips);
    prof_kernel_fini(&r.kernel);
    prof_devices_fini(&r.devices);
    prof_calls_free(r.calls);
    prof_space_free(r.space);
    prof_jit_free(r.jit);
    sym_session_free(r.session);
    prof_statics_fini(&r.statics);
    prof_tls_fini(&r.tls);
    prof_modules_fini(&r.modules);
    return e;
}
