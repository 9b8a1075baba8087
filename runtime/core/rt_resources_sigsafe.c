/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_resources_sigsafe.h"

#include "runtime/core/rt_fds_sigsafe.h"
#include "runtime/core/rt_spool_sigsafe.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>

enum { RT_PAGE_BYTES = 4096, RT_RESOURCES_PERIOD_NS = 10000000, RT_RESOURCES_COST_FACTOR = 200 };

static struct {
    uint64_t next_ns; /* not before */
    uint64_t cost_ns; /* of the look before: a preempted one says nothing of the next */
} rt_resources;

/* Kept open: it goes on working after chroot and setuid. */
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
    uint64_t pages = 0;
    long at = 0;
    const long len =
        rt_resources_open() ? ls_syscall(SYS_pread64, rt_state.statm_fd, text, sizeof(text), 0) : -1;
    while (at < len && text[at] != ' ')
        at++;
    if (at >= len) return false;
    for (at++; at < len && text[at] >= '0' && text[at] <= '9'; at++)
        pages = pages * 10 + (uint64_t)(text[at] - '0');
    *out_bytes = pages * RT_PAGE_BYTES;
    return true;
}

void rt_resources_put_sigsafe(struct rt_thread *t, uint64_t time_ns)
{
    struct rusage usage;
    struct spool_resources rec = {.time_ns = time_ns};
    const uint64_t begin_ns = ls_clock_mono_ns();
    if (!rt_resources_resident(&rec.resident_bytes)) return;
    if (ls_syscall(SYS_getrusage, RUSAGE_SELF, &usage) != 0) return;
    rec.minor_faults = (uint64_t)usage.ru_minflt;
    rec.major_faults = (uint64_t)usage.ru_majflt;
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
    uint64_t kib = 0;
    if (!at) return 0;
    for (at += sizeof(key) - 1; at < text + len && (*at == ' ' || *at == '\t'); at++)
        ;
    for (; at < text + len && *at >= '0' && *at <= '9'; at++)
        kib = kib * 10 + (uint64_t)(*at - '0');
    return kib * 1024;
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
    if (now_ns < next_ns || !rt_is_recording()) return;
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
}
