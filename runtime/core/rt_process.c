/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_process.h"

#include "runtime/core/rt_collector.h"
#include "runtime/core/rt_control_sigsafe.h"
#include "runtime/core/rt_maps_sigsafe.h"
#include "runtime/core/rt_modules.h"
#include "runtime/core/rt_resources_sigsafe.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_thread_life.h"
#include "runtime/core/rt_sampler.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Status that a process ends with. exit() gives it to handlers only, and ours runs after our destructor, when
 * the files are closed: the record is written earlier and gets its value in place. */

enum { RT_PAGE_BYTES = 4096, RT_STATUS_MASK = 0xff };

/* The status in the file, mapped separately; NULL: nothing to fill in. */
static uint32_t *status_at;
/* exit() was called before the record was written: our handler was registered after the start. */
static uint32_t status_known = SPOOL_STATUS_UNKNOWN;

static void map_status(const struct spool_writer *w, const struct spool_exited *rec)
{
    uint64_t at;
    const int fd = spool_writer_locate(w, &rec->status, &at);
    const uint64_t page = at & ~(uint64_t)(RT_PAGE_BYTES - 1);
    const long map = ls_syscall(SYS_mmap, NULL, RT_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, page);
    if (map > 0 || map < -RT_PAGE_BYTES) status_at = (uint32_t *)((uintptr_t)map + (uintptr_t)(at - page));
}

/* Write EXITED into the file of t, the calling thread, where the process has records at all; status may be
 * SPOOL_STATUS_UNKNOWN. */
static void put_exit_status(struct rt_thread *t, uint32_t status)
{
    status_at = NULL;
    if (status == SPOOL_STATUS_UNKNOWN) status = status_known;
    if (rt_state.image_open != RT_IMAGE_OPEN) return;
    struct spool_exited *rec = rt_spool_reserve(t, SPOOL_REC_EXITED, 0, sizeof(*rec));
    if (!rec) return;
    rec->time_ns = ls_clock_mono_ns();
    rec->status = status;
    rec->peak_bytes = rt_resources_peak_bytes();
    rt_spool_commit(t, rec);
    if (status == SPOOL_STATUS_UNKNOWN) map_status(&t->writer, rec);
}

static LS_ALIGNED void on_exit_status(int status, void *unused)
{
    (void)unused;
    status_known = (uint32_t)status & RT_STATUS_MASK;
    if (status_at && rt_is_own_process())
        __atomic_store_n(status_at, (uint32_t)status & RT_STATUS_MASK, __ATOMIC_RELAXED);
}

void rt_process_watch_exit(void)
{
    on_exit(on_exit_status, NULL);
}

/* --- Ends of the recording. --- */

bool rt_process_is_this(void)
{
    return rt_is_own_process() && (pid_t)ls_syscall(SYS_getpid) == rt_state.pid;
}

/* Report the losses of threads without a file through a thread that has one. */
static void rt_process_put_losses(struct rt_thread *t)
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

static void rt_process_put_last(struct rt_thread *t)
{
    const uint64_t began_cpu_ns = rt_cpu_now();
    if (rt_state.engine->stop) rt_state.engine->stop();
    if (rt_state.engine->drain) rt_state.engine->drain();
    rt_collector_finish();
    if (spool_writer_is_open(&t->writer)) rt_maps_finish(t);
    if (rt_modules_are_stale()) rt_modules_look(t);
    rt_process_put_losses(t);
    if (spool_writer_is_open(&t->writer) || rt_process_is_worth_a_file()) {
        rt_spool_writer(t);
        rt_budget_charge(began_cpu_ns);
        rt_resources_put_sigsafe(t, ls_clock_mono_ns());
    }
}

static void rt_process_say_farewell(struct rt_thread *t, uint32_t status)
{
    rt_process_put_last(t);
    put_exit_status(t, status);
    rt_thread_end(t);
}

void rt_process_detach(struct rt_thread *own)
{
    rt_control_update(ls_clock_mono_ns());
    rt_process_put_last(own);
    rt_stream_close(own);
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
        rt_stream_close(t);
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
        rt_state.engine->seal(); /* records the event itself */
    else
        rt_event_count_sigsafe(SPOOL_EVENT_ENGINE_QUIET, 1, 0);
    rt_leave();
    __atomic_store_n(&rt_state.phase, RT_SEALED, __ATOMIC_RELEASE);
    errno = saved;
}
