/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread that empties the rings: all signals blocked (but those that the C library needs to change ids of
 * all threads), outside of all hooks, not sampled. It sleeps until a ring is a quarter full, and looks at
 * least ten times a second.
 *
 * Thread: any, depth > 0.  Signal: not safe. */
#ifndef RT_PERF_READER_H
#define RT_PERF_READER_H

/* 0 or an errno. */
int rt_perf_reader_start(void);
/* It has begun and has its number, or does not run. */
void rt_perf_reader_wait_begun(void);
/* End it, and wait for that. Idempotent. */
void rt_perf_reader_end(void);
/* In a fork child: there is none. */
void rt_perf_reader_forget(void);

#endif
