/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for a word to change, without a lock that a fork or a handler could find taken.
 *
 * Thread: any.  Signal: safe; errno is kept. */
#ifndef RT_FUTEX_SIGSAFE_H
#define RT_FUTEX_SIGSAFE_H

#include "common/ls_compat.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>

#define RT_FUTEX_FOREVER UINT64_MAX

/* Until *word is not seen any more, somebody wakes, or the time is over; may return early. */
static inline void rt_futex_wait(const uint32_t *word, uint32_t seen, uint64_t at_most_ns)
{
    const struct timespec t = {.tv_sec = (time_t)(at_most_ns / LS_NS_PER_S),
                               .tv_nsec = (long)(at_most_ns % LS_NS_PER_S)};
    ls_syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, at_most_ns == RT_FUTEX_FOREVER ? NULL : &t);
}

static inline void rt_futex_wake(const uint32_t *word)
{
    ls_syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX);
}

#endif
