/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_fds_sigsafe.h"

#include "common/ls_compat.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

/* Outside rt_state because of its size: owner of each guarded number, NULL for the program's. */
static int *rt_fd_owners[RT_FDS_MAX];
static int rt_fd_highest = -1;
static uint32_t rt_fds_len; /* guarded ones */

enum {
    RT_FDS_PART = 4,  /* of the program's limit */
    RT_FDS_LEAST = 8, /* some of the process, and the triggers of a few threads */
};

/* Where the limit is low, move as high as possible. */
static const int rt_fd_floors[] = {RT_FDS_FLOOR, 200, 100, 50, 24, 10, 6};

static int rt_fds_copy_high(int fd)
{
    for (size_t i = 0; i < sizeof(rt_fd_floors) / sizeof(rt_fd_floors[0]); i++) {
        const long high = ls_syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, rt_fd_floors[i]);
        if (high >= 0) return (int)high;
    }
    return -1;
}

int rt_fds_move_high(int fd)
{
    if (fd < 0 || fd >= RT_FDS_FLOOR) return fd;
    const int high = rt_fds_copy_high(fd);
    if (high < 0) return fd;
    ls_syscall(SYS_close, fd);
    return high;
}

static void rt_fds_set(int fd, int *owner)
{
    if (fd < 0 || fd >= RT_FDS_MAX) return;
    int *const before = __atomic_exchange_n(&rt_fd_owners[fd], owner, __ATOMIC_ACQ_REL);
    if (!before && owner) __atomic_fetch_add(&rt_fds_len, 1, __ATOMIC_RELAXED);
    if (before && !owner) __atomic_fetch_sub(&rt_fds_len, 1, __ATOMIC_RELAXED);
    int highest = __atomic_load_n(&rt_fd_highest, __ATOMIC_RELAXED);
    while (
        owner && fd > highest &&
        !__atomic_compare_exchange_n(&rt_fd_highest, &highest, fd, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static int *rt_fds_owner(int fd)
{
    return fd < 0 || fd >= RT_FDS_MAX ? NULL : __atomic_load_n(&rt_fd_owners[fd], __ATOMIC_ACQUIRE);
}

void rt_fds_guard(int *slot)
{
    rt_fds_set(*slot, slot);
}

void rt_fds_unguard(const int *slot)
{
    rt_fds_set(*slot, NULL);
}

void rt_fds_close(int *slot)
{
    if (*slot < 0) return;
    rt_fds_unguard(slot);
    ls_syscall(SYS_close, *slot);
    *slot = -1;
}

bool rt_fds_have_room(bool is_needed)
{
    struct rlimit limit;
    if (ls_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) != 0) return true;
    const uint32_t len = __atomic_load_n(&rt_fds_len, __ATOMIC_RELAXED);
    return (is_needed && len < RT_FDS_LEAST) ||
           len < limit.rlim_cur / (is_needed ? RT_FDS_PART : 2 * RT_FDS_PART);
}

bool rt_fds_is_ours(int fd)
{
    return rt_fds_owner(fd) != NULL;
}

int rt_fds_next(int fd)
{
    const int highest = __atomic_load_n(&rt_fd_highest, __ATOMIC_RELAXED);
    for (int i = fd < 0 ? 0 : fd; i <= highest; i++)
        if (rt_fds_is_ours(i)) return i;
    return -1;
}

void rt_fds_yield(int fd)
{
    int *const slot = rt_fds_owner(fd);
    if (!slot) return;
    const int elsewhere = rt_fds_copy_high(fd);
    rt_fds_set(fd, NULL);
    rt_fds_set(elsewhere, slot);
    __atomic_store_n(slot, elsewhere, __ATOMIC_RELEASE);
}
