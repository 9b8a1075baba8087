/* SPDX-License-Identifier: BSD-3-Clause */
/* CPU time while sampling was on, resident memory and page faults of the process by time: RESOURCES in the spool. */
#ifndef RT_RESOURCES_SIGSAFE_H
#define RT_RESOURCES_SIGSAFE_H

#include "runtime/core/rt_thread.h"

/* Write a record when the last one is old enough: 10 ms, more where looking is expensive (its own cost
 * stretches the interval: at most half a percent). Cheap otherwise.
 * Thread: t is the caller, depth > 0.  Signal: safe; errno is kept. */
void rt_resources_poll_sigsafe(struct rt_thread *t, uint64_t now_ns);
/* Write a record now, with time_ns.
 * Thread: t is the caller, depth > 0. Keeps errno. */
void rt_resources_put_sigsafe(struct rt_thread *t, uint64_t time_ns);
/* Return the peak resident memory, 0 when not known. (getrusage's peak also counts the process before exec.)
 * Keeps errno. */
uint64_t rt_resources_peak_bytes(void);
/* In a fork child: start new counts. */
void rt_resources_after_fork_child(void);

/* Sampling was switched on or off: CPU time counts from here on, or no longer. */
void rt_resources_switch_sigsafe(bool is_on);

#endif
