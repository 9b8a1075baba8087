/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_spool_sigsafe.h"

#include "runtime/core/rt_alloc_note.h"
#include "runtime/core/rt_debug_sigsafe.h"
#include "runtime/core/rt_fds_sigsafe.h"
#include "runtime/core/rt_image_sigsafe.h"
#include "runtime/core/rt_maps_sigsafe.h"
#include "runtime/core/rt_resources_sigsafe.h"
#include "runtime/core/rt_tls_blocks_sigsafe.h"
#include "runtime/core/rt_vdso_sigsafe.h"

#include <errno.h>
#include <sys/prctl.h>

static void rt_spool_flush_pending(struct rt_thread *t)
{
    for (uint32_t kind = 0; kind < SPOOL_EVENT_COUNT; kind++) {
        const uint64_t count = __atomic_exchange_n(&rt_state.pending_events[kind], 0, __ATOMIC_RELAXED);
        if (count > 0)
            spool_put_event(&t->writer, (struct spool_event){
                                            .time_ns = ls_clock_mono_ns(), .kind = kind, .count = count});
    }
}

static void rt_spool_put_thread(struct rt_thread *t)
{
    char name[20] = ""; /* the kernel's 16 and room */
    ls_syscall(SYS_prctl, PR_GET_NAME, name);
    const struct spool_thread_begin begin = {
        .rec.flags = t->own ? SPOOL_THREAD_OWN : 0,
        .time_ns = t->begin_ns,
        .stack_base = t->stack_base,
        .stack_end = t->stack_end,
        .tid = (uint32_t)t->tid,
    };
    spool_put_thread_begin(&t->writer, begin, name);
}

/* The stream may begin with a record whose time is already taken (a burst's trigger): what is written here
 * bears times from before, so that the records stay in order. */
static int rt_spool_open(struct rt_thread *t)
{
    bool first;
    if (!rt_image_open(&first)) return EIO;
    const int err = spool_writer_join(&t->writer, &rt_state.shared, (uint32_t)t->tid);
    if (err != 0) return err;
    t->streams++;
    if (first) rt_image_put_process(t);
    rt_spool_put_thread(t);
    if (!first) return 0;
    rt_maps_snapshot_sigsafe(t, t->begin_ns);
    rt_vdso_put(t, t->begin_ns);
    rt_tls_ids_put_sigsafe(t, t->begin_ns);
    rt_resources_put_sigsafe(t, t->begin_ns);
    return 0;
}

static void rt_spool_open_once(struct rt_thread *t)
{
    const int saved = errno;
    t->opening = true;
    rt_tls.hook_begin_ns = 0; /* a start, no hook like others */
    RT_COMPILER_BARRIER();
    const int err = rt_spool_open(t);
    if (err != 0) {
        rt_debug_note("no room in the spool for a thread", err);
        t->open_failed = true;
    }
    RT_COMPILER_BARRIER();
    t->opening = false;
    errno = saved;
}

struct spool_writer *rt_spool_writer(struct rt_thread *t)
{
    if (__builtin_expect(!spool_writer_is_open(&t->writer) && !t->open_failed && !t->opening, 0))
        rt_spool_open_once(t);
    return &t->writer;
}

static bool rt_event_put(struct rt_thread *t, const struct spool_event *e)
{
    return t && rt_tls.thread == t && !t->opening && !t->writer.busy && !t->open_failed &&
           spool_put_event(rt_spool_writer(t), *e);
}

void rt_event_count_sigsafe(enum spool_event_kind kind, uint64_t count, int detail_errno)
{
    const struct spool_event e = {
        .time_ns = ls_clock_mono_ns(), .kind = kind, .detail_errno = (uint32_t)detail_errno, .count = count};
    rt_quiet_begin();
    if (!rt_is_recording() || !rt_event_put(rt_thread_self(), &e))
        __atomic_fetch_add(&rt_state.pending_events[kind], count, __ATOMIC_RELAXED);
    rt_quiet_end();
}

void rt_spool_close(struct rt_thread *t)
{
    if (!spool_writer_is_open(&t->writer)) return;
    rt_alloc_tell_skipped();
    rt_spool_flush_pending(t);
    rt_budget_hooks_ns();
    const struct spool_thread_end end = {
        .time_ns = ls_clock_mono_ns(),
        .cpu_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID),
        .spent_ns = t->spent_ns,
    };
    spool_put_thread_end(&t->writer, end);
    rt_fds_unguard(&t->writer.fd);
    spool_writer_close(&t->writer);
    t->tls_seen = 0;           /* another stream has to be told again */
    t->begin_ns = end.time_ns; /* of the next stream, if one comes */
}
