/* SPDX-License-Identifier: BSD-3-Clause */
/* Bursts begun by perf's task clock with a synchronous SIGTRAP: exact CPU time, never inside a system call,
 * no privilege needed up to perf_event_paranoid 2. */
#include "runtime/core/rt_fds_sigsafe.h"
#include "runtime/bursts/rt_burst_engine_sigsafe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

/* PERIOD wants more than the kernel's shortest timer; HIGH keeps the program's low descriptor numbers free. */
enum { NEVER_NS = 2000000000 };

static struct perf_event_attr task_clock(void)
{
    return (struct perf_event_attr){
        .size = sizeof(struct perf_event_attr),
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = NEVER_NS,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .sigtrap = 1,
        .remove_on_exec = 1,
        .sig_data = RT_BURST_TRIGGER_MAGIC,
    };
}

static long open_task_clock(void)
{
    const struct perf_event_attr attr = task_clock();
    const int any_cpu = -1, no_group = -1;
    return ls_syscall(SYS_perf_event_open, &attr, 0, any_cpu, no_group, PERF_FLAG_FD_CLOEXEC);
}

/* Before 5.19 a perf SIGTRAP to a thread that blocks it kills the process (ca6c21327c6a "perf: Fix missing
 * SIGTRAPs"). */
static bool kernel_spares_blocked_threads(void)
{
    struct utsname u;
    int major = 0, minor = 0;
    if (uname(&u) != 0 || sscanf(u.release, "%d.%d", &major, &minor) != 2) return false;
    return major > 5 || (major == 5 && minor >= 19);
}

static int probe(void)
{
    if (!kernel_spares_blocked_threads()) return ENOSYS;
    const long fd = open_task_clock();
    if (fd < 0) return (int)-fd;
    ls_syscall(SYS_close, fd);
    return 0;
}

static int open_for_thread(struct rt_burst_thread *t)
{
    if (!rt_fds_have_room(true)) return EMFILE;
    const long fd = open_task_clock();
    if (fd < 0) return (int)-fd;
    t->trigger_fd = rt_fds_move_high((int)fd);
    rt_fds_guard(&t->trigger_fd);
    t->is_off = false;
    ls_syscall(SYS_ioctl, t->trigger_fd, PERF_EVENT_IOC_ENABLE);
    return 0;
}

static void arm(struct rt_burst_thread *t, uint64_t interval_ns)
{
    uint64_t period = interval_ns < RT_BURST_SHORTEST_NS ? RT_BURST_SHORTEST_NS : interval_ns;
    if (t->trigger_fd < 0) return;
    ls_syscall(SYS_ioctl, t->trigger_fd, PERF_EVENT_IOC_PERIOD, &period);
    if (!t->is_off) return;
    t->is_off = false;
    ls_syscall(SYS_ioctl, t->trigger_fd, PERF_EVENT_IOC_ENABLE);
}

static void disarm(struct rt_burst_thread *t)
{
    t->is_off = true;
    if (t->trigger_fd >= 0) ls_syscall(SYS_ioctl, t->trigger_fd, PERF_EVENT_IOC_DISABLE);
}

static void close_trigger(struct rt_burst_thread *t)
{
    rt_fds_close(&t->trigger_fd);
}

const struct rt_burst_trigger rt_burst_trigger_perf = {
    .name = "perf",
    .repeats = true,
    .probe = probe,
    .open = open_for_thread,
    .arm = arm,
    .disarm = disarm,
    .close = close_trigger,
    .disown = close_trigger, /* the descriptor was inherited, its task was not */
};
