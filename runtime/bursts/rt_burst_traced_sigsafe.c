/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_traced_sigsafe.h"

#include "common/ls_clock.h"
#include "runtime/bursts/rt_burst_syscall_sigsafe.h"

#include <fcntl.h>
#include <string.h>

enum { STATUS_BYTES = 512 };

int rt_burst_tracer_of(const char *status, size_t len_bytes)
{
    static const char key[] = "\nTracerPid:";
    const char *at = memmem(status, len_bytes, key, sizeof key - 1);
    int pid = 0;
    if (!at) return 0;
    for (at += sizeof key - 1; at < status + len_bytes && *at != '\n'; at++)
        if (*at >= '0' && *at <= '9') pid = pid * 10 + (*at - '0');
    return pid;
}

static int read_tracer(void)
{
    char text[STATUS_BYTES];
    const long fd = rt_burst_syscall4(SYS_openat, AT_FDCWD, (long)(uintptr_t) "/proc/self/status",
                                      O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) return 0;
    const long n = rt_burst_syscall4(SYS_read, fd, (long)(uintptr_t)text, sizeof text, 0);
    rt_burst_syscall4(SYS_close, fd, 0, 0, 0);
    return n > 0 ? rt_burst_tracer_of(text, (size_t)n) : 0;
}

bool rt_burst_is_traced(struct rt_burst_engine *e, uint64_t max_age_ns)
{
    const uint64_t now_ns = ls_clock_mono_ns();
    if (!e->traced_checked_ns || now_ns - e->traced_checked_ns > max_age_ns) {
        e->traced_checked_ns = now_ns;
        e->traced = read_tracer() != 0;
    }
    return e->traced;
}
