/* SPDX-License-Identifier: BSD-3-Clause */
/* Clocks. Time in Loadstone is CLOCK_MONOTONIC nanoseconds (comparable across processes of one boot). */
#ifndef LS_CLOCK_H
#define LS_CLOCK_H

#include <stdint.h>
#include <time.h>

#define LS_NS_PER_S UINT64_C(1000000000)

static inline uint64_t ls_clock_read_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * LS_NS_PER_S + (uint64_t)t.tv_nsec;
}

/* Thread: any.  Signal: safe (clock_gettime is on POSIX's list). */
static inline uint64_t ls_clock_mono_ns(void)
{
    return ls_clock_read_ns(CLOCK_MONOTONIC);
}

/* Time between ticks of the kernel; 0 if unknown. Signal: not safe. */
static inline uint64_t ls_clock_tick_ns(void)
{
    struct timespec t = {0};
    clock_getres(CLOCK_MONOTONIC_COARSE, &t);
    return (uint64_t)t.tv_sec * LS_NS_PER_S + (uint64_t)t.tv_nsec;
}

#endif
