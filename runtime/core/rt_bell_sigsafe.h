/* SPDX-License-Identifier: BSD-3-Clause */
/* How samplers and others call the collector (rt_collector.h), and how they know that it comes.
 *
 * Thread: any.  Signal: safe; errno is kept. */
#ifndef RT_BELL_SIGSAFE_H
#define RT_BELL_SIGSAFE_H

#include <stdbool.h>
#include <stdint.h>

/* Without a sign of life for so long it is not waited for. */
#define RT_BELL_SILENCE_NS UINT64_C(5000000000)

/* Come before the period is over. */
void rt_bell_ring(void);
/* Counts the rings: the word that the collector waits for to change. */
const uint32_t *rt_bell_word(void);

/* The collector lives (now_ns), or does not any more (0). */
void rt_bell_answer(uint64_t now_ns);
/* Does it make sense to wait for it? */
bool rt_bell_is_heard(uint64_t now_ns);

#endif
