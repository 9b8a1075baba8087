/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls without libc: no errno, no hooks, no cancellation. Negative results are -errno.
 *
 * Thread: any.  Signal: safe. */
#ifndef RT_BURST_SYSCALL_SIGSAFE_H
#define RT_BURST_SYSCALL_SIGSAFE_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

static inline long rt_burst_syscall4(long number, long a, long b, long c, long d)
{
    register long r10 __asm__("r10") = d;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
}

static inline uint64_t rt_burst_cpu_ns(clockid_t clock)
{
    struct timespec t = {0};
    rt_burst_syscall4(SYS_clock_gettime, clock, (long)(uintptr_t)&t, 0, 0);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/* Of the calling thread, voluntary or not. */
static inline uint64_t rt_burst_context_switches(void)
{
    struct rusage used = {0};
    rt_burst_syscall4(SYS_getrusage, RUSAGE_THREAD, (long)(uintptr_t)&used, 0, 0);
    return (uint64_t)used.ru_nvcsw + (uint64_t)used.ru_nivcsw;
}

static inline int rt_burst_gettid(void)
{
    return (int)rt_burst_syscall4(SYS_gettid, 0, 0, 0, 0);
}

#endif
