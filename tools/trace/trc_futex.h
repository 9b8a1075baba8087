/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for a word that another process changes.
 *
 * Thread: any.  Signal: safe. */
#ifndef TRC_FUTEX_H
#define TRC_FUTEX_H

#include "common/ls_compat.h"

#include <linux/futex.h>
#include <stdint.h>
#include <time.h>

/* Wait until *word differs from seen, a thread wakes us, or the time is over; may return early. */
static inline void trc_futex_wait(uint32_t *word, uint32_t seen, uint64_t timeout_ns)
{
    const struct timespec t = {(time_t)(timeout_ns / LS_NS_PER_S), (long)(timeout_ns % LS_NS_PER_S)};
    ls_syscall(SYS_futex, word, FUTEX_WAIT, seen, &t);
}

static inline void trc_futex_wake(uint32_t *word, int waiters)
{
    ls_syscall(SYS_futex, word, FUTEX_WAKE, waiters);
}

#endif
