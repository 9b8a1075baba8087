/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_fork.h"

#include "runtime/core/rt_collector.h"
#include "runtime/core/rt_control_sigsafe.h"
#include "runtime/core/rt_ended_sigsafe.h"
#include "runtime/core/rt_fds_sigsafe.h"
#include "runtime/core/rt_image_sigsafe.h"
#include "runtime/core/rt_maps_sigsafe.h"
#include "runtime/core/rt_resources_sigsafe.h"
#include "runtime/core/rt_thread_life.h"
#include "runtime/core/rt_sampler.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum { RT_MARK_BYTES = 4096 };

static bool rt_fork_concerns_us(void)
{
    return rt_is_recording() && rt_is_own_process();
}

static LS_ALIGNED void rt_fork_prepare(void)
{
    if (!rt_fork_concerns_us()) return;
    rt_quiet_begin();
    if (rt_state.engine->before_fork) rt_state.engine->before_fork(rt_tls.thread);
    rt_tls.fork_ns = ls_clock_mono_ns();
    rt_quiet_end();
}

static LS_ALIGNED void rt_fork_parent(void)
{
    rt_tls.fork_ns = 0;
    if (!rt_fork_concerns_us()) return;
    rt_quiet_begin();
    if (rt_state.engine->after_fork_parent) rt_state.engine->after_fork_parent(rt_tls.thread);
    rt_quiet_end();
}

static LS_ALIGNED void rt_fork_child(void)
{
    rt_quiet_begin();
    rt_fork_take_over();
    rt_quiet_end();
}

/* Record the parent as the ancestor: resolve reads the parent's records as the state of our memory at the
 * fork. A parent that recorded nothing passes on its own ancestor. */
static void rt_fork_note_ancestor(void)
{
    const uint64_t fork_ns = rt_tls.fork_ns ? rt_tls.fork_ns : ls_clock_mono_ns();
    rt_tls.fork_ns = 0;
    if (rt_state.image_open != RT_IMAGE_OPEN) return;
    rt_state.ancestor = (struct rt_ancestor){.pid = rt_state.pid,
                                             .image = rt_state.image,
                                             .tid = rt_tls.thread ? rt_tls.thread->tid : rt_state.pid,
                                             .fork_ns = fork_ns};
}

static void rt_fork_reset_budget(void)
{
    memset(&rt_state.budget, 0, sizeof(rt_state.budget));
    rt_state.budget.start_ns = ls_clock_mono_ns();
    rt_state.budget.start_ticks = rt_ticks();
    rt_state.budget.live_threads = rt_tls.thread != NULL;
    rt_tls.looked_calls = rt_tls.skipped_allocs = 0;
    rt_tls.hook_begin_ns = 0;
}

static void rt_fork_reset_spool(void)
{
    rt_thread_after_fork_child();
    rt_image_forget();
    rt_maps_after_fork_child();
    rt_resources_after_fork_child();
    rt_state.cap = (struct spool_cap){.limit_bytes = rt_state.cap.limit_bytes};
    memset(rt_state.pending_events, 0, sizeof(rt_state.pending_events));
}

static void rt_fork_take_over_quietly(void)
{
    rt_fork_note_ancestor();
    rt_state.pid = (pid_t)ls_syscall(SYS_getpid);
    rt_state.parent_pid = (pid_t)ls_syscall(SYS_getppid);
    rt_fork_reset_budget(); /* first: nothing is older than the process */
    rt_fork_reset_spool();
    rt_collector_after_fork_child();
    rt_ended_look();
    if (!rt_is_recording()) return;
    if (rt_state.engine->after_fork_child) rt_state.engine->after_fork_child(rt_tls.thread);
}

void rt_fork_take_over(void)
{
    const int saved = errno;
    const uint64_t began_cpu_ns = rt_cpu_now();
    *(volatile uint32_t *)rt_state.own_mark = 1;
    rt_fork_take_over_quietly();
    rt_budget_charge(began_cpu_ns);
    errno = saved;
}

void rt_fork_expect(void)
{
    if (rt_fork_concerns_us()) rt_tls.fork_ns = ls_clock_mono_ns();
}

/* Inside the runtime (_Fork in a handler that interrupted it) the interrupted record must be finished first:
 * the next hook takes over. */
void rt_fork_in_child(void)
{
    if (!rt_is_recording() || rt_is_own_process() || rt_tls.depth) return;
    rt_quiet_begin();
    rt_fork_take_over();
    rt_quiet_end();
}

void rt_fork_in_parent(void)
{
    rt_tls.fork_ns = 0;
}

int rt_fork_init(void)
{
    const long at =
        ls_syscall(SYS_mmap, NULL, RT_MARK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at < 0 && at > -RT_MARK_BYTES) return (int)-at;
    uint32_t *const mark = (uint32_t *)at;
    *mark = 1;
    /* before Linux 4.14: children of _Fork and clone are not recognized, children of fork are */
    ls_syscall(SYS_madvise, mark, RT_MARK_BYTES, MADV_WIPEONFORK);
    rt_state.own_mark = mark;
    return pthread_atfork(rt_fork_prepare, rt_fork_parent, rt_fork_child);
}
