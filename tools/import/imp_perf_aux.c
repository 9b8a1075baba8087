/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/import/imp_perf_aux.h"

#include "perf/pe_file_spe.h"
#include "tools/cli/cli_message.h"
#include "tools/import/imp_threads.h"

#include <stdlib.h>

struct imp_perf_aux {
    const struct pe_trace *trace;
    pe_file_spe *spe; /* NULL: packets of another kind, or none */
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
    out->pid = from->aux_tid == out->tid ? from->aux_pid : out->tid; /* perf came too late for its name */
    return true;
}

/* Without packets, take the first thread that is known of: the thread that the CPU switched to last; the
 * thread in the kernel's record of these bytes, since the area is emptied when a thread leaves; the thread
 * that ran when the event began; the owner of the area. */
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
                       "%s: its %llu bytes of packets are of %s, which do not "
                       "tell addresses of data; record with `perf mem record`",
                       path, bytes, pe_trace_name(a->trace->kind));
    const struct pe_spe_told *told = pe_file_spe_told(a->spe);
    return ls_fail(
        LS_ERR_FORMAT,
        "%s: none of its %llu operations (%llu bytes of packets of Arm SPE) is a load or store with an "
        "address of data and a thread; record with `perf mem record`",
        path, (unsigned long long)told->operations, bytes);
}

void imp_perf_aux_tell(const imp_perf_aux *a, const char *path)
{
    if (!a || a->trace->bytes == 0) return;
    if (!a->spe) {
        cli_warn(
            "%s has %llu bytes of packets of %s, which do not tell addresses of data: they were left out",
            path, (unsigned long long)a->trace->bytes, pe_trace_name(a->trace->kind));
        return;
    }
    const struct pe_spe_told *told = pe_file_spe_told(a->spe);
    if (told->broken)
        cli_warn("%s: its packets are damaged or cut off in %llu places, the first one behind byte %llu: "
                 "what could not be read was left out",
                 path, (unsigned long long)told->broken, (unsigned long long)told->broken_at_bytes);
    if (told->truncated + told->partial)
        cli_warn(
            "%s: packets were lost %llu times, because the AUX area was full: perf record -m,SIZE takes a larger one",
            path, (unsigned long long)(told->truncated + told->partial));
    if (told->collided)
        cli_warn("%s: operations were lost in %llu pieces, because others were sampled before they were "
                 "done: a longer period (-c) avoids that",
                 path, (unsigned long long)told->collided);
    if (told->timeless)
        cli_warn("%s does not tell when %llu operations were: "
                 "they have the time at which the kernel handed them on",
                 path, (unsigned long long)told->timeless);
}
