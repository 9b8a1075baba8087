/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_faults_sigsafe.h"

#include "runtime/core/rt_control_sigsafe.h"
#include "runtime/core/rt_fds_sigsafe.h"
#include "runtime/core/rt_poisson_sigsafe.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/bursts/rt_burst_signals_sigsafe.h"
#include "runtime/bursts/rt_burst_traced_sigsafe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>

enum {
    FAULTS_EVERY_NS = 4000000, /* between samples */
    FAULTS_MEAN_FIRST = 64,    /* short programs pay for few samples of the faults of their start */
    FAULTS_SIGNAL_NS = 1500,   /* the kernel's cost of a signal and its return: right order */
    FAULTS_COUNT_NS =
        60, /* the kernel's cost to count a fault that is no sample: measured on a virtual machine */
    TRACER_AGE_NS = 100000000,
    FD_LEAST = 200,
};

static struct {
    struct rt_budget_rate rate; /* page faults that a sample represents */
    int pagemap_fd;             /* 0: not open yet, -1: it cannot be */
    uint32_t is_refused;
} faults = {.rate.mean = FAULTS_MEAN_FIRST};

/* Handled faults only: for others the program gets a signal that must not meet ours. */
static struct perf_event_attr faults_attr(uint64_t period)
{
    return (struct perf_event_attr){
        .size = sizeof(struct perf_event_attr),
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
        .sample_period = period,
        .sample_type = PERF_SAMPLE_ADDR,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .sigtrap = 1,
        .remove_on_exec = 1,
        .sig_data = RT_BURST_FAULTS_MAGIC,
    };
}

/* Draw geometrically: each fault has the same chance, also the first one of a thread. */
static uint64_t draw_period(struct rt_burst_thread *t)
{
    const double u = (double)((rt_burst_random_next(&t->random) >> 11) + 1) * 0x1p-53; /* (0, 1] */
    const double missed = 1 - 1.0 / t->faults_mean;
    return t->faults_mean > 1 ? 1 + (uint64_t)(rt_negative_log(u) / rt_negative_log(missed)) : 1;
}

/* Move fd to a high number; low numbers are left to the program and the triggers. 0 or an errno. */
static int keep_fd(long fd, int *slot)
{
    *slot = rt_fds_move_high((int)fd);
    if (*slot < FD_LEAST) {
        ls_syscall(SYS_close, *slot);
        *slot = -1;
        return EMFILE;
    }
    rt_fds_guard(slot);
    return 0;
}

static int open_event(struct rt_burst_thread *t)
{
    if (!rt_fds_have_room(false)) return EMFILE;
    t->faults_mean = __atomic_load_n(&faults.rate.mean, __ATOMIC_RELAXED);
    struct perf_event_attr attr = faults_attr(draw_period(t));
    const long fd = ls_syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? (int)-fd : keep_fd(fd, &t->faults_fd);
}

void rt_burst_faults_begin(struct rt_burst_thread *t)
{
    const bool has_perf = rt_burst_engine.trigger == &rt_burst_trigger_perf;
    if (has_perf && rt_burst_look_for_tracer(&rt_burst_engine, TRACER_AGE_NS)) return;
    const int error = has_perf ? open_event(t) : EACCES;
    if (error == EMFILE)
        rt_event_count_sigsafe(SPOOL_EVENT_FAULTS_NO_ROOM, 1, error);
    else if (error && !__atomic_exchange_n(&faults.is_refused, 1, __ATOMIC_RELAXED))
        rt_event_count_sigsafe(SPOOL_EVENT_FAULTS_REFUSED, 1, error);
}

void rt_burst_faults_stop(struct rt_burst_thread *t)
{
    if (t->faults_fd >= 0) ls_syscall(SYS_ioctl, t->faults_fd, PERF_EVENT_IOC_DISABLE);
}

void rt_burst_faults_go_on(struct rt_burst_thread *t)
{
    if (t->faults_fd >= 0 && !rt_burst_engine.quiet)
        ls_syscall(SYS_ioctl, t->faults_fd, PERF_EVENT_IOC_ENABLE);
}

void rt_burst_faults_close(struct rt_burst_thread *t)
{
    rt_fds_close(&t->faults_fd);
}

void rt_burst_faults_disown(struct rt_burst_thread *t)
{
    rt_fds_close(&t->faults_fd);
    if (faults.pagemap_fd > 0) rt_fds_close(&faults.pagemap_fd); /* refers to the parent's memory */
    faults.pagemap_fd = 0;
}

/* The kernel begins a new period at the next start only: with the ioctl alone the next fault would be a
 * sample. */
static void arm(struct rt_burst_thread *t)
{
    uint64_t period = draw_period(t);
    ls_syscall(SYS_ioctl, t->faults_fd, PERF_EVENT_IOC_DISABLE);
    ls_syscall(SYS_ioctl, t->faults_fd, PERF_EVENT_IOC_PERIOD, &period);
    ls_syscall(SYS_ioctl, t->faults_fd, PERF_EVENT_IOC_ENABLE);
}

void rt_burst_faults_miss(struct rt_burst_thread *t)
{
    if (!rt_burst_engine.quiet && t->faults_fd >= 0) arm(t);
}

/* Documentation/admin-guide/mm/pagemap.rst; Linux 6.7. */
struct scan_region {
    uint64_t start, end, categories;
};
struct scan_arg {
    uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
#define SCAN_IOCTL _IOWR('f', 16, struct scan_arg)
#define SCAN_IS_HUGE (UINT64_C(1) << 6)

static int pagemap(void)
{
    if (faults.pagemap_fd) return faults.pagemap_fd;
    const long fd = ls_syscall(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || keep_fd(fd, &faults.pagemap_fd) != 0) faults.pagemap_fd = -1;
    return faults.pagemap_fd;
}

/* Older kernels do not report it: then pages count as small ones. */
static bool is_huge(uint64_t addr)
{
    struct scan_region found;
    const uint64_t page = addr & ~UINT64_C(0xfff);
    const struct scan_arg arg = {.size = sizeof arg,
                                 .start = page,
                                 .end = page + 0x1000,
                                 .vec = (uint64_t)(uintptr_t)&found,
                                 .vec_len = 1,
                                 .category_mask = SCAN_IS_HUGE,
                                 .return_mask = SCAN_IS_HUGE};
    return pagemap() > 0 && ls_syscall(SYS_ioctl, faults.pagemap_fd, SCAN_IOCTL, &arg) == 1;
}

static bool is_the_programs(const struct rt_burst_thread *t, const siginfo_t *info, uint64_t ip)
{
    return t->outside && !rt_burst_signals_was_blocked(info) && !rt_is_own_text(ip) &&
           !t->rt->writer.stopped && rt_control_update(ls_clock_mono_ns());
}

static void record(struct rt_burst_thread *t, const siginfo_t *info, uint64_t ip)
{
    const uint64_t addr = (uint64_t)(uintptr_t)info->si_addr;
    const struct spool_kernel_fault r = {
        .time_ns = ls_clock_mono_ns(), .ip = ip, .addr = addr, .faults = t->faults_mean};
    spool_put_kernel_fault(rt_spool_writer(t->rt), is_huge(addr) ? SPOOL_FAULT_HUGE : 0, r);
}

/* Arm the next sample. Return the CPU time that this one took since begin_ns, the kernel's included. */
static uint64_t go_on(struct rt_burst_thread *t, uint64_t begin_ns)
{
    const uint64_t counted_ns = (uint64_t)t->faults_mean * FAULTS_COUNT_NS;
    t->faults_mean = rt_budget_adapt(&faults.rate, FAULTS_EVERY_NS);
    arm(t);
    return rt_burst_cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns + FAULTS_SIGNAL_NS + counted_ns;
}

void rt_burst_faults_take(struct rt_burst_thread *t, const siginfo_t *info, const ucontext_t *uc)
{
    const uint64_t ip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
    if (rt_burst_engine.quiet || t->faults_fd < 0 || t->tid != rt_burst_gettid()) return;
    const uint64_t begin_ns = rt_burst_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    if (rt_burst_look_for_tracer(&rt_burst_engine, TRACER_AGE_NS)) return rt_burst_faults_stop(t);
    if (is_the_programs(t, info, ip)) record(t, info, ip);
    const uint64_t spent_ns = go_on(t, begin_ns);
    t->rt->spent_ns += spent_ns; /* in a hook whose time is measured it is not the hook's */
    __atomic_fetch_add(&rt_state.budget.hooks_ns, spent_ns, __ATOMIC_RELAXED);
    /* system calls, and the files of a process whose first record this is */
    __atomic_fetch_add(&rt_state.budget.spent_kernel_ns, spent_ns, __ATOMIC_RELAXED);
}

static void mask_trap(int how)
{
    static const uint64_t trap = UINT64_C(1) << (SIGTRAP - 1);
    ls_syscall(SYS_rt_sigprocmask, how, &trap, NULL, sizeof trap);
}

void rt_burst_faults_open(struct rt_burst_thread *t)
{
    t->faults_open = t->faults_fd >= 0 && !rt_burst_engine.quiet;
    if (t->faults_open) mask_trap(SIG_UNBLOCK);
}

void rt_burst_faults_shut(struct rt_burst_thread *t)
{
    if (t->faults_open) mask_trap(SIG_BLOCK);
    t->faults_open = false;
}

void rt_burst_faults_take_inside(struct rt_burst_thread *t, const siginfo_t *info, uint64_t ip)
{
    if (rt_burst_engine.quiet || t->faults_fd < 0) return;
    const uint64_t begin_ns = rt_burst_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    if (ip) record(t, info, ip);
    t->inside_ns += go_on(t, begin_ns);
}
