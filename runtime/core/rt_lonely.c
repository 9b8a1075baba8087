/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_lonely.h"

#include "runtime/core/rt_text_sigsafe.h"
#include "runtime/core/rt_thread.h"

#include <fcntl.h>
#include <string.h>

/* linux/dirent.h, which is not for programs */
struct rt_lonely_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t len_bytes;
    uint8_t type;
    char name[];
};

bool rt_lonely_may_be(void)
{
    return __atomic_load_n(&rt_state.budget.live_threads, __ATOMIC_RELAXED) == 0;
}

/* The first thread stays as a zombie until the others are gone: the letter behind the name in parentheses
 * (proc(5)). */
static bool is_zombie(const char *tid)
{
    char name[64], text[256];
    struct rt_text path = rt_text_in(name, sizeof(name));
    rt_text_add(&path, "/proc/self/task/");
    rt_text_add(&path, tid);
    rt_text_add(&path, "/stat");
    const long fd = ls_syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return true; /* gone meanwhile */
    const long len = ls_syscall(SYS_read, fd, text, sizeof(text) - 1);
    ls_syscall(SYS_close, fd);
    text[len > 0 ? len : 0] = '\0';
    const char *end = strrchr(text, ')');
    return end && (end[1] == ' ') && (end[2] == 'Z' || end[2] == 'X');
}

/* Other threads of ours do not count either: each of them finds out for itself. */
static bool is_ours(const char *name)
{
    pid_t tid = 0;
    for (; *name >= '0' && *name <= '9'; name++)
        tid = tid * 10 + (*name - '0');
    for (const struct rt_thread *t = __atomic_load_n(&rt_state.threads, __ATOMIC_ACQUIRE); t; t = t->next)
        if (t->own && __atomic_load_n(&t->in_use, __ATOMIC_RELAXED) && t->tid == tid) return true;
    return false;
}

static bool is_other_life(const char *name, const char *own)
{
    return name[0] >= '0' && name[0] <= '9' && strcmp(name, own) != 0 && !is_ours(name) && !is_zombie(name);
}

static bool any_other(const char *entries, long len, const char *own)
{
    for (long at = 0; at < len;) {
        const struct rt_lonely_entry *e = (const void *)(entries + at);
        if (is_other_life(e->name, own)) return true;
        at += e->len_bytes;
    }
    return false;
}

bool rt_lonely_is(pid_t tid)
{
    _Alignas(8) char entries[1024];
    char own[24];
    struct rt_text text = rt_text_in(own, sizeof(own));
    if (!rt_lonely_may_be()) return false;
    rt_text_add_number(&text, (uint64_t)tid);
    const long fd = ls_syscall(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return false;
    long len;
    bool others = false;
    while (!others && (len = ls_syscall(SYS_getdents64, fd, entries, sizeof(entries))) > 0)
        others = any_other(entries, len, own);
    ls_syscall(SYS_close, fd);
    return !others;
}
