/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_process.h"

#include "runtime/core/rt_collector.h"
#include "runtime/core/rt_exit_status.h"
#include "runtime/core/rt_maps_sigsafe.h"
#include "runtime/core/rt_modules.h"
#include "runtime/core/rt_resources_sigsafe.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_sampler.h"

#include <errno.h>

bool rt_process_is_this(void)
{
    return rt_is_own_process() && (pid_t)ls_syscall(SYS_getpid) == rt_state.pid;
}

/* What threads without a file lost, in the words of a thread that has one. */
static void rt_process_tell_losses(struct rt_thread *t)
{
    const uint64_t dropped = __atomic_load_n(&rt_state.cap.dropped_bytes, __ATOMIC_RELAXED);
    if (dropped > 0 && spool_writer_is_open(&t->writer) && !t->writer.stopped)
        rt_event_count_sigsafe(SPOOL_EVENT_DROPPED_BYTES, dropped, (int)rt_state.cap.disk_errno);
}

/* A fork child that recorded nothing leaves a file for its CPU time, but not for a few instructions between
 * fork and exec. */
static bool rt_process_is_worth_a_file(void)
{
    enum { WORTH_NS = 200000 };
    return ls_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) >= WORTH_NS;
}

static void rt_process_say_farewell(struct rt_thread *t, uint32_t status)
{
    const uint64_t began_cpu_ns = rt_cpu_now();
    if (rt_state.engine->stop) rt_state.engine->stop();
    if (rt_state.engine->drain) rt_state.engine->drain();
    rt_collector_finish();
    if (spool_writer_is_open(&t->writer)) rt_maps_finish(t);
    if (rt_modules_are_stale()) rt_modules_look(t);
    rt_process_tell_losses(t);
    if (spool_writer_is_open(&t->writer) || rt_process_is_worth_a_file()) {
        rt_spool_writer(t);
        rt_budget_charge(began_cpu_ns);
        rt_resources_put_sigsafe(t, ls_clock_mono_ns());
    }
    rt_exit_status_put(t, status);
    rt_thread_end(t);
}

void rt_process_end(uint32_t status)
{
    if (!rt_is_recording() || rt_tls.depth || !rt_process_is_this()) return;
    const int saved = errno;
    struct rt_thread *t = rt_enter();
    if (t) {
        rt_process_say_farewell(t, status);
        rt_leave();
    }
    __atomic_store_n(&rt_state.phase, RT_ENDED, __ATOMIC_RELEASE);
    errno = saved;
}

void rt_process_before_exec(void)
{
    if (!rt_is_recording() || rt_tls.depth || !rt_process_is_this()) return;
    const int saved = errno;
    const uint64_t began_cpu_ns = rt_cpu_now();
    struct rt_thread *t = rt_tls.thread;
    rt_collector_drain_running();
    if (t) {
        rt_quiet_begin();
        if (rt_state.engine->drain) rt_state.engine->drain();
        if (spool_writer_is_open(&t->writer) || rt_process_is_worth_a_file()) {
            rt_spool_writer(t);
            rt_budget_charge(began_cpu_ns);
            rt_resources_put_sigsafe(t, ls_clock_mono_ns());
        }
        rt_spool_close(t);
        rt_quiet_end();
    }
    errno = saved;
}

void rt_process_seal(void)
{
    const int saved = errno;
    struct rt_thread *t = rt_enter();
    if (!t) return;
    rt_collector_seal();
    if (rt_state.engine->seal)
        rt_state.engine->seal(); /* says so itself */
    else
        rt_event_count_sigsafe(SPOOL_EVENT_ENGINE_QUIET, 1, 0);
    rt_leave();
    __atomic_store_n(&rt_state.phase, RT_SEALED, __ATOMIC_RELEASE);
    errno = saved;
}
