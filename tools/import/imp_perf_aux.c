/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/import/imp_perf.h"

#include "perf/pe_file.h"
#include "tools/cli/cli_message.h"
#include "common/ls_index.h"
#include "common/ls_vector.h"

#include <stdlib.h>
#include <string.h>

/* ---- threads ---- */

/* Track the process of each thread and the thread on each CPU by records of perf.data, in order of time. */

#define IMP_NO_THREAD UINT32_MAX

struct imp_thread {
    uint32_t pid, tid;
};

struct imp_on_cpu {
    struct imp_thread thread; /* tid IMP_NO_THREAD: not known */
    bool is_switched;         /* from a CPU-wide switch record; these cover every change */
};

/* All zero is an empty one. */
struct imp_threads {
    struct imp_thread *rows; /* a later thread with the same number replaces it */
    size_t len, room;
    struct ls_index by_tid;
    struct imp_on_cpu *on_cpu;
    size_t cpus, cpus_room;
};

enum {
    THREADS_CPUS_MAX = 65536,
    REC_ITRACE_START = 12, /* Linux 4.1 */
    REC_SWITCH = 14,       /* 4.3 */
    REC_SWITCH_CPU_WIDE = 15,
    MISC_SWITCH_OUT = 1 << 13,
};

static struct imp_thread *threads_find(const struct imp_threads *t, uint32_t tid)
{
    const uint32_t row = ls_index_find(&t->by_tid, tid);
    return row < t->len ? &t->rows[row] : NULL;
}

static ls_err threads_put(struct imp_threads *t, struct imp_thread thread)
{
    struct imp_thread *known = threads_find(t, thread.tid);
    if (thread.tid == IMP_NO_THREAD || thread.pid == IMP_NO_THREAD) return LS_OK;
    if (known) {
        known->pid = thread.pid;
        return LS_OK;
    }
    LS_TRY(LS_GROW(t->rows, t->room, t->len + 1));
    LS_TRY(ls_index_put(&t->by_tid, thread.tid, (uint32_t)t->len));
    t->rows[t->len++] = thread;
    return LS_OK;
}

static ls_err threads_put_on_cpu(struct imp_threads *t, uint32_t cpu, const struct imp_on_cpu *now)
{
    if (cpu >= THREADS_CPUS_MAX) return LS_OK;
    if (cpu >= t->cpus) {
        LS_TRY(LS_GROW(t->on_cpu, t->cpus_room, (size_t)cpu + 1));
        for (; t->cpus <= cpu; t->cpus++)
            t->on_cpu[t->cpus] = (struct imp_on_cpu){.thread = {IMP_NO_THREAD, IMP_NO_THREAD}};
    }
    t->on_cpu[cpu] = *now;
    return LS_OK;
}

/* Two words of the body, from that one on. */
static bool threads_pair(const struct pe_record *rec, size_t first, size_t second, struct imp_thread *out)
{
    const size_t head = sizeof(struct perf_event_header), last = first > second ? first : second;
    if (rec->bytes.len_bytes < head + last + sizeof(uint32_t)) return false;
    memcpy(&out->pid, rec->bytes.data + head + first, sizeof(out->pid));
    memcpy(&out->tid, rec->bytes.data + head + second, sizeof(out->tid));
    return true;
}

/* pid tid ... */
static ls_err threads_on_comm(struct imp_threads *t, const struct pe_file_record *r)
{
    struct imp_thread thread;
    return threads_pair(&r->rec, 0, 4, &thread) ? threads_put(t, thread) : LS_OK;
}

/* pid ppid tid ptid time */
static ls_err threads_on_fork(struct imp_threads *t, const struct pe_file_record *r)
{
    struct imp_thread thread;
    return threads_pair(&r->rec, 0, 8, &thread) ? threads_put(t, thread) : LS_OK;
}

/* pid, tid: record the thread that runs on the CPU when the event begins. */
static ls_err threads_on_itrace(struct imp_threads *t, const struct pe_file_record *r)
{
    struct imp_on_cpu now = {.is_switched = false};
    struct pe_sample of;
    if (!threads_pair(&r->rec, 0, 4, &now.thread)) return LS_OK;
    LS_TRY(threads_put(t, now.thread));
    if (!pe_trailer_read(&r->event->layout, &r->rec, &of) || !(of.has & PERF_SAMPLE_CPU)) return LS_OK;
    return threads_put_on_cpu(t, of.cpu, &now);
}

/* The trailer names the thread that is switched in or out. If it is switched out, the body of a CPU-wide
 * record names the next thread. */
static ls_err threads_on_switch(struct imp_threads *t, const struct pe_file_record *r)
{
    struct imp_on_cpu now = {.is_switched = true};
    struct pe_sample of;
    if (!pe_trailer_read(&r->event->layout, &r->rec, &of) || !(of.has & PERF_SAMPLE_TID)) return LS_OK;
    now.thread = (struct imp_thread){of.pid, of.tid};
    LS_TRY(threads_put(t, now.thread));
    if (r->rec.type != REC_SWITCH_CPU_WIDE || !(of.has & PERF_SAMPLE_CPU)) return LS_OK;
    if (r->rec.misc & MISC_SWITCH_OUT && !threads_pair(&r->rec, 0, 4, &now.thread)) return LS_OK;
    LS_TRY(threads_put(t, now.thread));
    return threads_put_on_cpu(t, of.cpu, &now);
}

static const struct {
    uint32_t type;
    ls_err (*take)(struct imp_threads *t, const struct pe_file_record *r);
} threads_takers[] = {{PERF_RECORD_COMM, threads_on_comm},
                      {PERF_RECORD_FORK, threads_on_fork},
                      {REC_ITRACE_START, threads_on_itrace},
                      {REC_SWITCH, threads_on_switch},
                      {REC_SWITCH_CPU_WIDE, threads_on_switch}};

/* Apply a record: COMM, FORK, ITRACE_START, SWITCH or SWITCH_CPU_WIDE; others are ignored. Errors:
 * LS_ERR_NOMEM. */
static ls_err imp_threads_take(struct imp_threads *t, const struct pe_file_record *r)
{
    for (size_t i = 0; i < sizeof(threads_takers) / sizeof(threads_takers[0]); i++)
        if (threads_takers[i].type == r->rec.type) return threads_takers[i].take(t, r);
    return LS_OK;
}

/* Return false if no record names this thread. */
static bool imp_threads_pid(const struct imp_threads *t, uint32_t tid, uint32_t *pid)
{
    const struct imp_thread *known = threads_find(t, tid);
    if (known) *pid = known->pid;
    return known != NULL;
}

/* Return the thread that runs on the CPU now; tid IMP_NO_THREAD: not known. */
static struct imp_on_cpu imp_threads_on_cpu(const struct imp_threads *t, uint32_t cpu)
{
    if (cpu < t->cpus) return t->on_cpu[cpu];
    return (struct imp_on_cpu){.thread = {IMP_NO_THREAD, IMP_NO_THREAD}};
}

static void imp_threads_fini(struct imp_threads *t)
{
    free(t->rows);
    free(t->on_cpu);
    ls_index_fini(&t->by_tid);
    *t = (struct imp_threads){.rows = NULL};
}

/* ---- samples in AUX areas ---- */

struct imp_perf_aux {
    const struct pe_trace *trace;
    pe_file_spe *spe; /* NULL: packets of another kind, or no packets */
    struct imp_threads threads;
    uint64_t period_events; /* period of the event that produced the packets */
};

ls_err imp_perf_aux_new(const pe_file *f, imp_perf_aux **out)
{
    size_t len;
    const struct pe_file_event *events = pe_file_events(f, &len);
    imp_perf_aux *a = calloc(1, sizeof(*a));
    if (!a) return ls_nomem("AUX areas");
    a->trace = pe_file_trace(f);
    for (size_t i = 0; i < len; i++)
        if (events[i].attr.type == a->trace->pmu_type) a->period_events = events[i].attr.sample_period;
    *out = a;
    return a->trace->kind == PE_TRACE_SPE ? pe_file_spe_new(f, &a->spe) : LS_OK;
}

void imp_perf_aux_free(imp_perf_aux *a)
{
    if (!a) return;
    pe_file_spe_free(a->spe);
    imp_threads_fini(&a->threads);
    free(a);
}

ls_err imp_perf_aux_note(imp_perf_aux *a, const struct pe_file_record *r)
{
    return a->spe ? imp_threads_take(&a->threads, r) : LS_OK;
}

/* Take the thread from the packet. It has the number of the initial pid namespace; the kernel enables it only
 * for a perf in that namespace. */
static bool aux_by_packet(const imp_perf_aux *a, const struct pe_spe_access *from, struct imp_thread *out)
{
    if (!(from->s.has & PERF_SAMPLE_TID) || from->s.tid == 0) return false;
    out->tid = from->s.tid;
    if (imp_threads_pid(&a->threads, out->tid, &out->pid)) return true;
    out->pid =
        from->aux_tid == out->tid ? from->aux_pid : out->tid; /* perf was too late to record its name */
    return true;
}

/* Find the thread without context packets. Use the first of these that is known: the thread that the CPU
 * switched to last; the thread in the kernel's record of these bytes, since the area is emptied when a thread
 * leaves; the thread that ran when the event began; the owner of the area. */
static struct imp_thread aux_by_records(const imp_perf_aux *a, const struct pe_spe_access *from)
{
    const struct imp_on_cpu now = imp_threads_on_cpu(&a->threads, from->s.cpu);
    struct imp_thread area = {.pid = from->area_tid, .tid = from->area_tid};
    if (now.is_switched) return now.thread;
    if (from->aux_tid != UINT32_MAX) return (struct imp_thread){from->aux_pid, from->aux_tid};
    if (now.thread.tid != IMP_NO_THREAD) return now.thread;
    imp_threads_pid(&a->threads, area.tid, &area.pid);
    return area;
}

static void aux_complete(const imp_perf_aux *a, const struct pe_spe_access *from, struct pe_sample *out)
{
    struct imp_thread of;
    if (!aux_by_packet(a, from, &of)) of = aux_by_records(a, from);
    *out = from->s;
    out->pid = of.pid;
    out->tid = of.tid;
    out->has &= ~(uint64_t)PERF_SAMPLE_TID;
    if (of.tid != IMP_NO_THREAD) out->has |= PERF_SAMPLE_TID;
    out->time = from->time_ns;
    out->period_events = a->period_events;
}

ls_err imp_perf_aux_next(imp_perf_aux *a, uint64_t until_ns, struct pe_sample *out, bool *is_any)
{
    const struct pe_spe_access *from = a->spe ? pe_file_spe_peek(a->spe) : NULL;
    *is_any = from && from->time_ns <= until_ns;
    if (!*is_any) return LS_OK;
    aux_complete(a, from, out);
    return pe_file_spe_take(a->spe);
}

ls_err imp_perf_aux_none(const imp_perf_aux *a, const char *path)
{
    const unsigned long long bytes = a->trace->bytes;
    if (!a->spe)
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "%s: its %llu bytes of packets are of %s, which have no data addresses; record with "
                       "`perf mem record`",
                       path, bytes, pe_trace_name(a->trace->kind));
    const struct pe_spe_totals *totals = pe_file_spe_totals(a->spe);
    return ls_fail(
        LS_ERR_FORMAT,
        "%s: none of its %llu operations (%llu bytes of packets of Arm SPE) is a load or store with an "
        "address of data and a thread; record with `perf mem record`",
        path, (unsigned long long)totals->operations, bytes);
}

void imp_perf_aux_warn(const imp_perf_aux *a, const char *path)
{
    if (!a || a->trace->bytes == 0) return;
    if (!a->spe) {
        cli_warn("%s has %llu bytes of packets of %s, which have no data addresses: they were left out", path,
                 (unsigned long long)a->trace->bytes, pe_trace_name(a->trace->kind));
        return;
    }
    const struct pe_spe_totals *totals = pe_file_spe_totals(a->spe);
    if (totals->broken)
        cli_warn("%s: its packets are damaged or cut off in %llu places, the first one after byte %llu: "
                 "unreadable parts were left out",
                 path, (unsigned long long)totals->broken, (unsigned long long)totals->broken_at_bytes);
    if (totals->truncated + totals->partial)
        cli_warn(
            "%s: packets were lost %llu times, because the AUX area was full: perf record -m,SIZE takes a larger one",
            path, (unsigned long long)(totals->truncated + totals->partial));
    if (totals->collided)
        cli_warn("%s: operations were lost in %llu pieces, because others were sampled before they were "
                 "done: a longer period (-c) avoids that",
                 path, (unsigned long long)totals->collided);
    if (totals->timeless)
        cli_warn("%s has no time stamps for %llu operations: they get the time at which the kernel delivered "
                 "them",
                 path, (unsigned long long)totals->timeless);
}
