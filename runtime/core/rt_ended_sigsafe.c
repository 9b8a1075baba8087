/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_ended_sigsafe.h"

#include "runtime/core/rt_state.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#define RT_ENDED_LOOK_NS UINT64_C(100000000)

static struct {
    uint32_t seen, has_launcher; /* atomic */
    uint64_t next_ns;            /* atomic */
} rt_ended;

static bool rt_ended_directory_is_gone(void)
{
    struct stat st;
    return fstat(rt_state.spool_fd, &st) == 0 && st.st_nlink == 0;
}

static bool rt_ended_ask(void)
{
    const long conf =
        ls_syscall(SYS_openat, rt_state.spool_fd, "spool.conf", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (conf == -ENOENT)
        return __atomic_load_n(&rt_ended.has_launcher, __ATOMIC_RELAXED) || rt_ended_directory_is_gone();
    if (conf < 0) return false; /* not known */
    __atomic_store_n(&rt_ended.has_launcher, 1, __ATOMIC_RELAXED);
    const bool is_free = ls_syscall(SYS_flock, conf, LOCK_SH | LOCK_NB) == 0;
    ls_syscall(SYS_close, conf);
    return is_free;
}

bool rt_ended_was_seen(void)
{
    return __atomic_load_n(&rt_ended.seen, __ATOMIC_RELAXED) != 0;
}

void rt_ended_note(void)
{
    uint32_t recording = RT_RECORDING;
    __atomic_store_n(&rt_ended.seen, 1, __ATOMIC_RELAXED);
    __atomic_compare_exchange_n(&rt_state.phase, &recording, RT_ENDED, false, __ATOMIC_RELEASE,
                                __ATOMIC_RELAXED);
}

void rt_ended_forget(void)
{
    __atomic_store_n(&rt_ended.seen, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&rt_ended.has_launcher, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&rt_ended.next_ns, 0, __ATOMIC_RELAXED);
}

bool rt_ended_look(void)
{
    const int saved = errno;
    if (!rt_ended_was_seen() && rt_state.spool_fd >= 0 && rt_ended_ask()) rt_ended_note();
    errno = saved;
    return rt_ended_was_seen();
}

void rt_ended_look_sometimes(uint64_t now_ns)
{
    uint64_t next_ns = __atomic_load_n(&rt_ended.next_ns, __ATOMIC_RELAXED);
    if (now_ns < next_ns || !rt_is_recording()) return;
    if (__atomic_compare_exchange_n(&rt_ended.next_ns, &next_ns, now_ns + RT_ENDED_LOOK_NS, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        rt_ended_look();
}
