/* SPDX-License-Identifier: BSD-3-Clause */
/* Let programs succeed that close descriptors they do not know, and keep our descriptors open. */
#include "runtime/hooks/rt_hooks_number.h"

#include "common/ls_compat.h"
#include "runtime/core/rt_fds_sigsafe.h"
#include "runtime/core/rt_process.h"
#include "runtime/core/rt_real.h"
#include "runtime/core/rt_timed.h"

#include <errno.h>
#include <limits.h>
#include <linux/close_range.h>
#include <sys/resource.h>
#include <unistd.h>

LS_EXPORT int close(int fd)
{
    if (__builtin_expect(rt_fds_is_ours(fd), 0)) return 0;
    if (!rt_timed_count(RT_TIMED_OTHER)) return RT_REAL(close)(fd);
    struct rt_timed_call c = rt_timed_begin(RT_TIMED_OTHER, __builtin_return_address(0));
    const int result = RT_REAL(close)(fd);
    rt_timed_end(&c, SPOOL_CALL_OTHER, NULL, 0);
    return result;
}

/* [first, last] without ours: a call for every gap. */
static int rt_close_gaps(unsigned first, unsigned last, int flags)
{
    int result = 0;
    while (first <= last && result == 0) {
        const int ours = first <= INT_MAX ? rt_fds_next((int)first) : -1;
        const bool is_last_gap = ours < 0 || (unsigned)ours > last;
        if (is_last_gap) return RT_REAL(close_range)(first, last, flags);
        if ((unsigned)ours > first) result = RT_REAL(close_range)(first, (unsigned)ours - 1, flags);
        first = (unsigned)ours + 1;
    }
    return result;
}

LS_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
    if (!RT_REAL(close_range)) {
        errno = ENOSYS;
        return -1;
    }
    if (first > last || (flags & (int)CLOSE_RANGE_CLOEXEC)) /* ours are closed on exec anyway */
        return rt_real.close_range(first, last, flags);
    return rt_close_gaps(first, last, flags);
}

/* Before Linux 5.9. */
static void rt_close_one_by_one(int first)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > INT_MAX) return;
    for (int fd = first; fd < (int)limit.rlim_cur; fd++)
        close(fd);
}

LS_EXPORT void closefrom(int first)
{
    const int saved = errno;
    if (first < 0) first = 0;
    if (close_range((unsigned)first, UINT_MAX, 0) != 0) rt_close_one_by_one(first);
    errno = saved;
}

/* Give the number to the program if it wants it. (A vfork child has a separate table: there ours need no
 * care.) */
static void rt_make_way(int fd)
{
    if (__builtin_expect(rt_fds_is_ours(fd), 0) && rt_process_is_this()) rt_fds_yield(fd);
}

LS_EXPORT int dup2(int from, int to)
{
    if (from != to) rt_make_way(to);
    return RT_REAL(dup2)(from, to);
}

LS_EXPORT int dup3(int from, int to, int flags)
{
    if (from != to) rt_make_way(to);
    return RT_REAL(dup3)(from, to, flags);
}

bool rt_hooks_fd_spares(long number, const long args[6])
{
    const bool may_replace = LS_IS_SYS_DUP2(number) || number == SYS_dup3;
    if (may_replace && args[0] != args[1]) rt_make_way((int)args[1]);
    return number == SYS_close && rt_fds_is_ours((int)args[0]);
}
