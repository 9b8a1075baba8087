/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes and threads made below fork() and pthread_create(). */
#include "runtime/core/rt_fork.h"
#include "runtime/core/rt_process.h"
#include "runtime/core/rt_real.h"
#include "runtime/core/rt_spool_sigsafe.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <unistd.h>

LS_EXPORT pid_t _Fork(void)
{
    if (!RT_REAL(_Fork)) {
        errno = ENOSYS;
        return -1;
    }
    rt_fork_expect();
    const pid_t pid = rt_real._Fork();
    if (pid == 0)
        rt_fork_in_child();
    else
        rt_fork_in_parent();
    return pid;
}

/* Start arguments of a child with separate memory: that memory contains the caller's frame, too. */
struct rt_clone_start {
    int (*function)(void *);
    void *arg;
};

static int rt_clone_main(void *start)
{
    const struct rt_clone_start *s = start;
    rt_fork_in_child();
    const int status = s->function(s->arg);
    rt_process_end((uint32_t)status & 0xff); /* it ends by a system call of the C library's */
    return status;
}

enum { RT_CLONE_ARGS = 3 }; /* parent's tid, thread-local storage, child's tid */

/* More are read than were passed: on our platforms that is harmless, and the C library does it as well. */
LS_EXPORT int clone(int (*function)(void *), void *stack, int flags, void *arg, ...)
{
    void *more[RT_CLONE_ARGS];
    struct rt_clone_start start = {function, arg};
    const bool shares_memory = flags & CLONE_VM;
    va_list list;
    va_start(list, arg);
    for (int i = 0; i < RT_CLONE_ARGS; i++)
        more[i] = va_arg(list, void *);
    va_end(list);
    if (shares_memory && !(flags & CLONE_VFORK)) rt_event_count_sigsafe(SPOOL_EVENT_RAW_THREADS, 1, 0);
    if (shares_memory || !function || !stack)
        return RT_REAL(clone)(function, stack, flags, arg, more[0], more[1], more[2]);
    rt_fork_expect();
    const int pid = RT_REAL(clone)(rt_clone_main, stack, flags, &start, more[0], more[1], more[2]);
    rt_fork_in_parent();
    return pid;
}
