/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/import/imp_threads.h"

#include "common/ls_vector.h"

#include <stdlib.h>
#include <string.h>

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
    struct imp_thread told;
    return threads_pair(&r->rec, 0, 4, &told) ? threads_put(t, told) : LS_OK;
}

/* pid ppid tid ptid time */
static ls_err threads_on_fork(struct imp_threads *t, const struct pe_file_record *r)
{
    struct imp_thread told;
    return threads_pair(&r->rec, 0, 8, &told) ? threads_put(t, told) : LS_OK;
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

/* The trailer names the thread that comes or goes. The body of a CPU-wide record names the thread that comes
 * when the trailer's goes. */
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

ls_err imp_threads_take(struct imp_threads *t, const struct pe_file_record *r)
{
    for (size_t i = 0; i < sizeof(threads_takers) / sizeof(threads_takers[0]); i++)
        if (threads_takers[i].type == r->rec.type) return threads_takers[i].take(t, r);
    return LS_OK;
}

bool imp_threads_pid(const struct imp_threads *t, uint32_t tid, uint32_t *pid)
{
    const struct imp_thread *known = threads_find(t, tid);
    if (known) *pid = known->pid;
    return known != NULL;
}

struct imp_on_cpu imp_threads_on_cpu(const struct imp_threads *t, uint32_t cpu)
{
    if (cpu < t->cpus) return t->on_cpu[cpu];
    return (struct imp_on_cpu){.thread = {IMP_NO_THREAD, IMP_NO_THREAD}};
}

void imp_threads_fini(struct imp_threads *t)
{
    free(t->rows);
    free(t->on_cpu);
    ls_index_fini(&t->by_tid);
    *t = (struct imp_threads){.rows = NULL};
}
