/* SPDX-License-Identifier: BSD-3-Clause */
/* For LD_PRELOAD in tests: the wall clock runs twice as fast as the CPU clocks, as if other programs had the processors for half of
 * the time. */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *out)
{
    const int status = (int)syscall(SYS_clock_gettime, clock, out);
    if (status != 0 || clock != CLOCK_MONOTONIC) return status;
    const uint64_t ns = 2 * ((uint64_t)out->tv_sec * 1000000000 + (uint64_t)out->tv_nsec);
    out->tv_sec = (time_t)(ns / 1000000000);
    out->tv_nsec = (long)(ns % 1000000000);
    return 0;
}
