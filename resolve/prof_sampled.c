/* SPDX-License-Identifier: BSD-3-Clause */

#include "common/ls_access.h"
#include "common/ls_checked.h"
#include "common/ls_clock.h"
#include "resolve/prof_replay.h"
#include "spool/spool_record.h"

#include <string.h>

/* --- whose it is --- */

/* Find the thread of that number that began last; add a row for a thread without a file. */
static ls_err prof_find_thread(struct prof_replay *r, uint32_t tid, uint32_t *out)
{
    const struct prof_thread *rows = r->run->threads.rows;
    const uint32_t first = r->streams_len ? r->streams[0].thread : (uint32_t)r->run->threads.len;
    uint32_t best = UINT32_MAX;
    for (uint32_t t = first; t < r->run->threads.len; t++) {
        if (rows[t].tid != tid) continue;
        const bool has_begun = rows[t].begin_ns != UINT64_MAX;
        if (best == UINT32_MAX ||
            (has_begun && (rows[best].begin_ns == UINT64_MAX || rows[t].begin_ns >= rows[best].begin_ns)))
            best = t;
    }
    *out = best;
    if (best != UINT32_MAX) return LS_OK;
    LS_TRY(LS_VECTOR_ROOM(&r->run->threads));
    *out = (uint32_t)r->run->threads.len;
    r->run->threads.rows[r->run->threads.len++] = (struct prof_thread){
        .process = r->process, .tid = tid, .name = "", .begin_ns = UINT64_MAX, .cpu_ns = UINT64_MAX};
    return LS_OK;
}

static ls_err prof_thread_of(struct prof_replay *r, uint32_t tid, uint32_t *out)
{
    if (r->sampled_tid != tid || tid == 0) {
        LS_TRY(prof_find_thread(r, tid, &r->sampled_thread));
        r->sampled_tid = tid;
    }
    *out = r->sampled_thread;
    return LS_OK;
}

/* Threads without a file are in the main thread's phase. */
static uint32_t prof_phase_of_thread(const struct prof_replay *r, uint32_t thread)
{
    const uint32_t row = r->streams_len ? thread - r->streams[0].thread : UINT32_MAX;
    if (row < r->streams_len) return prof_phase_of_stream(r, &r->streams[row]);
    return r->main_stream ? prof_phase_now(&r->main_stream->phases) : PROF_NO_PHASE;
}

/* A thread without records lives from its first sample to its last. */
static void prof_note_life(struct prof_thread *t, uint64_t time_ns)
{
    if (t->begin_ns == UINT64_MAX) t->begin_ns = time_ns;
    if (t->end_ns < time_ns) t->end_ns = time_ns;
}

/* --- its fields --- */

/* Time of the sampled access and those it represents: latencies add up as if they did not overlap. An access
 * without a latency represents no time. */
static uint64_t prof_sample_weight_ns(const struct prof_replay *r, const struct spool_sample *s)
{
    const uint64_t events = s->events ? s->events : 1;
    if (!s->latency_kind || !r->run->tsc_hz || s->latency_cycles > UINT64_MAX / events) return 0;
    return ls_muldiv_u64(s->latency_cycles * events, LS_NS_PER_S, r->run->tsc_hz);
}

void prof_sampled_flags(uint16_t flags, struct prof_sample *out)
{
    const unsigned op = flags & SPOOL_ACCESS_OP_MASK;
    out->op = op == SPOOL_OP_NOT_REPORTED ? UINT8_MAX : (uint8_t)op;
    out->locked = spool_locked_of_flags(flags);
}

static void prof_sample_sources(const struct spool_sample *s, struct prof_sample *out)
{
    prof_sampled_flags(s->rec.flags, out);
    out->size = s->size_bytes;
    out->cpu = s->cpu;
    out->source = s->source < LS_SOURCE_COUNT ? s->source : UINT8_MAX;
    out->level = ls_source_level(s->source);
    out->snoop = s->snoop;
    out->tlb = s->tlb;
    out->numa = s->numa;
    out->page_bytes = s->page_bytes;
    if (s->events) out->events = s->events;
    if (s->kind == SPOOL_SAMPLE_FAULT_MINOR || s->kind == SPOOL_SAMPLE_FAULT_MAJOR)
        out->fault = s->kind == SPOOL_SAMPLE_FAULT_MAJOR;
    if (s->latency_kind && s->latency_kind < LS_LATENCY_COUNT) {
        out->latency_valid = 1;
        out->latency_cycles = s->latency_cycles < INT32_MAX ? (int32_t)s->latency_cycles : INT32_MAX;
    }
}

static ls_err prof_sample_home(struct prof_replay *r, uint64_t time_ns, struct prof_sample *s)
{
    prof_space_set_time(r->space, time_ns);
    const struct prof_target target = prof_space_find(r->space, s->addr);
    if (target.node == PROF_NO_NODE) return ls_nomem("the homes of addresses");
    s->node = target.node;
    s->element = target.element;
    s->component = target.component;
    prof_target_note_type(&target, s);
    prof_count_coverage(r->run, target.node);
    return LS_OK;
}

/* Make a burst that consists of one sample. */
static ls_err prof_sample_burst(struct prof_replay *r, struct prof_stream *stream, struct prof_sample *s)
{
    LS_TRY(LS_VECTOR_ROOM(&r->run->bursts));
    s->burst = stream->sampled = (uint32_t)r->run->bursts.len;
    r->run->bursts.rows[r->run->bursts.len++] = (struct prof_burst){.thread = s->thread,
                                                                    .cpu = s->cpu,
                                                                    .time_ns = s->time_ns,
                                                                    .weight_ns = s->weight_ns,
                                                                    .ip = s->ip,
                                                                    .end_why = UINT32_MAX,
                                                                    .method = UINT32_MAX,
                                                                    .first_sample = r->run->samples_len,
                                                                    .samples_len = 1,
                                                                    .frame = PROF_NO_FRAME,
                                                                    .phase = s->phase};
    r->run->samples_len++;
    return prof_writer_add(r->run->writer, s);
}

/* A sample may be written after a record of a later time: merged_ns is then that time, its own is rec's. */
static ls_err prof_on_sample(struct prof_replay *r, struct prof_stream *stream,
                             const struct spool_sample *rec, uint64_t merged_ns)
{
    struct prof_sample s = prof_sample_missing;
    LS_TRY(prof_thread_of(r, rec->tid, &s.thread));
    s.time_ns = prof_since_start(r->run, rec->time_ns);
    s.ip = rec->rec.flags & SPOOL_SAMPLE_IP_AFTER ? rec->ip - 1 : rec->ip;
    s.addr = rec->addr;
    s.weight_ns = prof_sample_weight_ns(r, rec);
    s.position = 0;
    s.phase = prof_phase_of_thread(r, s.thread);
    prof_sample_sources(rec, &s);
    prof_note_life(&r->run->threads.rows[s.thread], s.time_ns);
    LS_TRY(prof_sample_home(r, merged_ns, &s));
    LS_TRY(prof_sample_burst(r, stream, &s));
    stream->sampled_ip_is_after = rec->rec.flags & SPOOL_SAMPLE_IP_AFTER;
    return prof_ip_add(&r->ips, s.ip);
}

/* --- its call stack --- */

static ls_err prof_on_sample_stack(struct prof_replay *r, struct prof_stream *stream,
                                   const struct spool_stack *rec)
{
    if (stream->sampled == PROF_NO_BURST) return LS_OK;
    return prof_calls_begin(r->calls, &stream->calls, rec, &r->run->bursts.rows[stream->sampled].frame);
}

static ls_err prof_on_sample_chain(struct prof_replay *r, struct prof_stream *stream,
                                   const struct spool_chain *rec)
{
    if (stream->sampled == PROF_NO_BURST) return LS_OK;
    return prof_calls_chain(r->calls, (const uint64_t *)(const void *)SPOOL_REC_TAIL(rec), rec->ips_len,
                            !stream->sampled_ip_is_after, &r->run->bursts.rows[stream->sampled].frame);
}

/* --- records about all samples --- */

static ls_err prof_on_sampling(struct prof_replay *r, const struct spool_sampling *rec)
{
    r->run->latency_meaning = ls_latency_text(rec->latency_kind);
    r->run->events_sampled = prof_name(r->run->names, SPOOL_REC_TAIL(rec), rec->text_len);
    return LS_OK;
}

static ls_err prof_on_cost(struct prof_replay *r, const struct spool_cost *rec)
{
    struct prof_process *p = prof_process_of(r);
    if (rec->spent_ns > p->bursts_ns) p->bursts_ns = rec->spent_ns;
    if (rec->hooks_ns > p->hooks_ns) p->hooks_ns = rec->hooks_ns;
    return LS_OK;
}

static ls_err prof_on_watch(struct prof_replay *r, const struct spool_watch *rec)
{
    const bool is_armed = rec->rec.flags & SPOOL_WATCH_ARMED;
    struct prof_watch w = {.process = r->process,
                           .name = prof_name(r->run->names, SPOOL_REC_TAIL(rec), rec->text_len),
                           .base = rec->base,
                           .len_bytes = rec->len_bytes,
                           .element = rec->element,
                           .begin_ns = prof_since_start(r->run, rec->time_ns),
                           .end_ns = UINT64_MAX,
                           .on_ns = rec->on_ns,
                           .wanted_ns = rec->life_ns,
                           .hits = rec->hits};
    for (size_t i = r->run->watches.len; !is_armed && i-- > 0;) {
        struct prof_watch *known = &r->run->watches.rows[i];
        if (known->process != w.process || known->base != w.base) continue;
        w.end_ns = w.begin_ns;
        w.begin_ns = known->begin_ns;
        *known = w;
        return LS_OK;
    }
    return LS_VECTOR_ADD(&r->run->watches, w);
}

ls_err prof_sampled_take(struct prof_replay *r, struct prof_stream *stream, const struct spool_item *item)
{
    const void *rec = item->rec;
    switch (item->rec->type) {
    case SPOOL_REC_SAMPLE:
        return prof_on_sample(r, stream, rec, item->time_ns);
    case SPOOL_REC_STACK:
        return prof_on_sample_stack(r, stream, rec);
    case SPOOL_REC_CHAIN:
        return prof_on_sample_chain(r, stream, rec);
    case SPOOL_REC_SAMPLING:
        return prof_on_sampling(r, rec);
    case SPOOL_REC_COST:
        return prof_on_cost(r, rec);
    case SPOOL_REC_WATCH:
        return prof_on_watch(r, rec);
    default:
        return LS_OK;
    }
}
