/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_traced_sigsafe.h"

#include "common/ls_clock.h"

#include <fcntl.h>
#include <string.h>

enum { STATUS_BYTES = 512, USES_MOST = 8 };

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
    const long fd = ls_syscall(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    const long n = ls_syscall(SYS_read, fd, text, sizeof text);
    ls_syscall(SYS_close, fd);
    return n > 0 ? rt_burst_tracer_of(text, (size_t)n) : 0;
}

bool rt_burst_look_for_tracer(struct rt_burst_engine *e, uint64_t max_age_ns)
{
    const uint64_t now_ns = ls_clock_mono_ns();
    if (!e->traced_checked_ns || now_ns - e->traced_checked_ns >= max_age_ns ||
        ++e->traced_uses >= USES_MOST) {
        e->traced_checked_ns = now_ns;
        e->traced_uses = 0;
        e->traced = read_tracer() != 0;
    }
    return e->traced;
}

void rt_burst_count_visible_signal(struct rt_burst_engine *e)
{
    __atomic_fetch_add(&e->traced_uses, 1, __ATOMIC_RELAXED);
}
