/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_parent.h"

#include "runtime/core/rt_state.h"
#include "runtime/core/rt_text_sigsafe.h"

#include <fcntl.h>
#include <string.h>

enum { RT_GENERATIONS_MAX = 16 };

static bool rt_parent_has_records(pid_t pid)
{
    char name[48];
    struct rt_text text = rt_text_in(name, sizeof(name));
    rt_text_add(&text, "p");
    rt_text_add_number(&text, (uint64_t)pid);
    rt_text_add(&text, ".0");
    return ls_syscall(SYS_faccessat, rt_state.spool_fd, name, F_OK) == 0;
}

/* The fourth field of /proc/PID/stat (proc(5)); the second one, in parentheses, may hold anything. */
static pid_t rt_parent_parse(const char *stat)
{
    const char *at = strrchr(stat, ')');
    pid_t pid = 0;
    if (!at || strlen(at) < 5) return 0;
    for (at += 4; *at >= '0' && *at <= '9'; at++)
        pid = pid * 10 + (*at - '0');
    return pid;
}

static pid_t rt_parent_of(pid_t pid)
{
    char path[48], stat[512];
    struct rt_text text = rt_text_in(path, sizeof(path));
    rt_text_add(&text, "/proc/");
    rt_text_add_number(&text, (uint64_t)pid);
    rt_text_add(&text, "/stat");
    const long fd = ls_syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    const long len = ls_syscall(SYS_read, fd, stat, sizeof(stat) - 1);
    ls_syscall(SYS_close, fd);
    stat[len > 0 ? len : 0] = '\0';
    return rt_parent_parse(stat);
}

void rt_parent_find(void)
{
    pid_t pid = rt_state.parent_pid;
    if (rt_parent_has_records(rt_state.pid)) return; /* this process ran another image before */
    for (int i = 0; i < RT_GENERATIONS_MAX && pid > 1; i++, pid = rt_parent_of(pid)) {
        if (!rt_parent_has_records(pid)) continue;
        if (i > 0) rt_state.ancestor = (struct rt_ancestor){.pid = pid};
        return;
    }
}
