/* SPDX-License-Identifier: BSD-3-Clause */
/* Bursts begun by a POSIX timer on the thread's CPU clock: works where perf_event_open is refused; as fine as
 * the kernel's tick, and it can interrupt a system call (rt_burst_eintr_sigsafe.h). */
#include "runtime/bursts/rt_burst_engine_sigsafe.h"

#include <signal.h>

static int create(int tid, int *out_id)
{
    union {
        struct sigevent event;
        struct {
            union sigval value;
            int signo, notify, tid;
        } kernel; /* asm-generic/siginfo.h: the thread id follows sigev_notify */
    } s = {.kernel = {.value.sival_ptr = (void *)(uintptr_t)RT_BURST_TRIGGER_MAGIC,
                      .signo = rt_burst_engine.timer_signal,
                      .notify = SIGEV_THREAD_ID,
                      .tid = tid}};
    const long error = ls_syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &s, out_id);
    return (int)-error;
}

static int probe(void)
{
    int id = 0;
    const int error = create(rt_burst_gettid(), &id);
    if (!error) ls_syscall(SYS_timer_delete, id);
    return error;
}

static int open_for_thread(struct rt_burst_thread *t)
{
    const int error = create(t->tid, &t->timer_id);
    t->timer_open = !error;
    return error;
}

static void set(struct rt_burst_thread *t, uint64_t interval_ns)
{
    enum { NS_PER_S = 1000000000 };
    const struct itimerspec once = {
        .it_value = {.tv_sec = (time_t)(interval_ns / NS_PER_S), .tv_nsec = (long)(interval_ns % NS_PER_S)}};
    if (t->timer_open) ls_syscall(SYS_timer_settime, t->timer_id, 0, &once);
}

static void arm(struct rt_burst_thread *t, uint64_t interval_ns)
{
    set(t, interval_ns < RT_BURST_SHORTEST_NS ? RT_BURST_SHORTEST_NS : interval_ns);
}

static void disarm(struct rt_burst_thread *t)
{
    set(t, 0);
}

static void close_trigger(struct rt_burst_thread *t)
{
    if (t->timer_open) ls_syscall(SYS_timer_delete, t->timer_id);
    t->timer_open = false;
}

static void disown(struct rt_burst_thread *t)
{
    t->timer_open = false; /* a fork child has no timers, and this id may come to mean another */
}

const struct rt_burst_trigger rt_burst_trigger_timer = {
    .name = "timer",
    .probe = probe,
    .open = open_for_thread,
    .arm = arm,
    .disarm = disarm,
    .close = close_trigger,
    .disown = disown,
};
