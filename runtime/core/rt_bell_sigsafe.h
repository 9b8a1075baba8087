/* SPDX-License-Identifier: BSD-3-Clause */
/* How samplers and others call the collector (rt_collector.h), and how they know that it comes.
 *
 * Thread: any.  Signal: safe; errno is kept. */
#ifndef RT_BELL_SIGSAFE_H
#define RT_BELL_SIGSAFE_H

#include "common/ls_compat.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>

/* Silence after which nobody waits for the collector any more. */
#define RT_BELL_SILENCE_NS UINT64_C(5000000000)

/* Wake the collector before its period is over. */
void rt_bell_ring(void);
/* Return the counter of rings: the collector waits for it to change. */
const uint32_t *rt_bell_word(void);

/* Report that the collector is alive (now_ns), or has ended (0). */
void rt_bell_answer(uint64_t now_ns);
/* Is the collector alive, so that it makes sense to wait for it? */
bool rt_bell_is_heard(uint64_t now_ns);

/* Wait for a word to change, without a lock that a fork or a handler could find taken. */
#define RT_FUTEX_FOREVER UINT64_MAX

/* Wait until *word differs from seen, somebody wakes us, or the time is over; may return early. */
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
