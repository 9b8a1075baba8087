/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_resources_sigsafe.h"

#include "runtime/core/rt_fds_sigsafe.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_text_sigsafe.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>

enum { RT_PAGE_BYTES = 4096, RT_RESOURCES_PERIOD_NS = 10000000, RT_RESOURCES_COST_FACTOR = 200 };

static struct {
    uint64_t next_ns; /* not before */
    uint64_t cost_ns; /* cost of the previous look; one look that was preempted does not delay the next */
} rt_resources;

/* CPU time of the process at one instant. */
struct rt_cpu {
    uint64_t user_ns, kernel_ns, recording_ns, recording_kernel_ns, passed_ns;
};

/* CPU time while sampling was on: sum of past periods, and start of the current one. */
static struct {
    uint32_t lock;
    uint32_t is_on;
    uint32_t is_unknown; /* a switch was lost */
    struct rt_cpu over, began;
} rt_window;

static uint64_t rt_timeval_ns(struct timeval t)
{
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_usec * 1000;
}

static struct rt_cpu rt_cpu_of(const struct rusage *usage)
{
    const struct rt_budget *b = &rt_state.budget;
    const uint64_t starts_ns = __atomic_load_n(&b->starts_ns, __ATOMIC_RELAXED);
    return (struct rt_cpu){
        .user_ns = rt_timeval_ns(usage->ru_utime),
        .kernel_ns = rt_timeval_ns(usage->ru_stime),
        .recording_ns = __atomic_load_n(&b->spent_ns, __ATOMIC_RELAXED) + rt_budget_hooks_ns() +
                        rt_budget_more_hooks_ns() + starts_ns,
        .recording_kernel_ns = __atomic_load_n(&b->spent_kernel_ns, __ATOMIC_RELAXED) + starts_ns,
        .passed_ns = __atomic_load_n(&b->passed_ns, __ATOMIC_RELAXED),
    };
}

static uint64_t rt_after(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

static struct rt_cpu rt_cpu_since(struct rt_cpu now, struct rt_cpu before)
{
    return (struct rt_cpu){rt_after(now.user_ns, before.user_ns), rt_after(now.kernel_ns, before.kernel_ns),
                           rt_after(now.recording_ns, before.recording_ns),
                           rt_after(now.recording_kernel_ns, before.recording_kernel_ns),
                           rt_after(now.passed_ns, before.passed_ns)};
}

static struct rt_cpu rt_cpu_sum(struct rt_cpu a, struct rt_cpu b)
{
    return (struct rt_cpu){a.user_ns + b.user_ns, a.kernel_ns + b.kernel_ns, a.recording_ns + b.recording_ns,
                           a.recording_kernel_ns + b.recording_kernel_ns, a.passed_ns + b.passed_ns};
}

/* Limit the tries: this signal handler may have interrupted the code that holds the lock. */
static bool rt_window_lock(void)
{
    enum { TRIES = 1000 };
    for (int i = 0; i < TRIES; i++)
        if (!__atomic_exchange_n(&rt_window.lock, 1, __ATOMIC_ACQUIRE)) return true;
    return false;
}

static void rt_window_unlock(void)
{
    __atomic_store_n(&rt_window.lock, 0, __ATOMIC_RELEASE);
}

void rt_resources_switch_sigsafe(bool is_on)
{
    struct rusage usage;
    if (ls_syscall(SYS_getrusage, RUSAGE_SELF, &usage) != 0 || !rt_window_lock()) {
        __atomic_store_n(&rt_window.is_unknown, 1, __ATOMIC_RELAXED);
        return;
    }
    const struct rt_cpu now = rt_cpu_of(&usage);
    if (is_on && !rt_window.is_on) {
        rt_window.began = now;
    } else if (!is_on && rt_window.is_on) {
        rt_window.over = rt_cpu_sum(rt_window.over, rt_cpu_since(now, rt_window.began));
    }
    rt_window.is_on = is_on;
    rt_window_unlock();
}

static struct rt_cpu rt_window_now(const struct rusage *usage)
{
    static const struct rt_cpu unknown = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    if (__atomic_load_n(&rt_window.is_unknown, __ATOMIC_RELAXED) || !rt_window_lock()) return unknown;
    struct rt_cpu all = rt_window.over;
    if (rt_window.is_on) all = rt_cpu_sum(all, rt_cpu_since(rt_cpu_of(usage), rt_window.began));
    rt_window_unlock();
    return all;
}

/* Kept open: it still works after chroot and setuid. */
static bool rt_resources_open(void)
{
    if (rt_state.statm_fd >= 0) return true;
    const long fd = ls_syscall(SYS_openat, AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    rt_state.statm_fd = rt_fds_move_high((int)fd);
    rt_fds_guard(&rt_state.statm_fd);
    return true;
}

/* The second number of /proc/self/statm, in pages (proc(5)). */
static bool rt_resources_resident(uint64_t *out_bytes)
{
    char text[128];
    long at = 0;
    const long len =
        rt_resources_open() ? ls_syscall(SYS_pread64, rt_state.statm_fd, text, sizeof(text), 0) : -1;
    while (at < len && text[at] != ' ')
        at++;
    if (at >= len) return false;
    *out_bytes = rt_text_number(text + at + 1, text + len) * RT_PAGE_BYTES;
    return true;
}

void rt_resources_put_sigsafe(struct rt_thread *t, uint64_t time_ns)
{
    struct rusage usage;
    struct spool_resources rec = {.time_ns = time_ns};
    const uint64_t begin_ns = ls_clock_mono_ns();
    if (!rt_resources_resident(&rec.resident_bytes)) rec.resident_bytes = UINT64_MAX;
    if (ls_syscall(SYS_getrusage, RUSAGE_SELF, &usage) != 0) return;
    rec.minor_faults = (uint64_t)usage.ru_minflt;
    rec.major_faults = (uint64_t)usage.ru_majflt;
    const struct rt_cpu cpu = rt_window_now(&usage);
    rec.user_ns = cpu.user_ns;
    rec.kernel_ns = cpu.kernel_ns;
    rec.recording_ns = cpu.recording_ns;
    rec.recording_kernel_ns = cpu.recording_kernel_ns;
    rec.passed_ns = cpu.passed_ns;
    spool_put_resources(rt_spool_writer(t), rec);
    const uint64_t end_ns = ls_clock_mono_ns(), own_ns = end_ns - begin_ns, before_ns = rt_resources.cost_ns;
    const uint64_t cost_ns = before_ns && before_ns < own_ns ? before_ns : own_ns;
    const uint64_t rest_ns = RT_RESOURCES_COST_FACTOR * cost_ns;
    rt_resources.cost_ns = own_ns;
    const uint64_t next_ns = end_ns + (rest_ns > RT_RESOURCES_PERIOD_NS ? rest_ns : RT_RESOURCES_PERIOD_NS);
    __atomic_store_n(&rt_resources.next_ns, next_ns, __ATOMIC_RELAXED);
}

/* "VmHWM:     1234 kB" in the text of /proc/self/status (proc(5)). */
static uint64_t rt_resources_parse_peak(const char *text, size_t len)
{
    static const char key[] = "VmHWM:";
    const char *at = memmem(text, len, key, sizeof(key) - 1);
    if (!at) return 0;
    for (at += sizeof(key) - 1; at < text + len && (*at == ' ' || *at == '\t'); at++)
        ;
    return rt_text_number(at, text + len) * 1024;
}

uint64_t rt_resources_peak_bytes(void)
{
    char text[1536];
    const long fd = ls_syscall(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    const long len = ls_syscall(SYS_read, fd, text, sizeof(text));
    ls_syscall(SYS_close, fd);
    return len > 0 ? rt_resources_parse_peak(text, (size_t)len) : 0;
}

void rt_resources_poll_sigsafe(struct rt_thread *t, uint64_t now_ns)
{
    uint64_t next_ns = __atomic_load_n(&rt_resources.next_ns, __ATOMIC_RELAXED);
    if (now_ns < next_ns || !rt_is_recording() || t->writer.stopped) return; /* the rest is for the end */
    /* one thread looks, the others see a time to come */
    if (!__atomic_compare_exchange_n(&rt_resources.next_ns, &next_ns, now_ns + RT_RESOURCES_PERIOD_NS, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    rt_resources_put_sigsafe(t, ls_clock_mono_ns());
}

void rt_resources_after_fork_child(void)
{
    rt_fds_close(&rt_state.statm_fd);
    rt_resources.next_ns = 0;
    /* its clocks began at 0 with the fork */
    rt_window.over = rt_window.began = (struct rt_cpu){0};
    rt_window.lock = rt_window.is_unknown = 0;
}
