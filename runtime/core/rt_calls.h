/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of natural-domain functions: choose the function for each sample, account its cost, and report
 * functions that misbehave. No lock is held during a call.
 *
 * A function is not called again when one call takes longer than RT_CALLS_SLOW_NS (of CPU time, or asleep;
 * waiting for a processor does not count), or when all its calls together take more CPU time than half of the
 * whole budget.
 *
 * Unless noted otherwise: Thread: the collector, depth > 0.  Signal: not safe. */
#ifndef RT_CALLS_H
#define RT_CALLS_H

#include "runtime/core/rt_tap_sigsafe.h"

#include <stdbool.h>
#include <stdint.h>

#define RT_CALLS_SLOW_NS UINT64_C(10000000)

/* Is any node mapped by a callback?  Thread: any.  Signal: safe. */
bool rt_calls_are_wanted(void);

/* Call before the first samples after a rest: the time that the thread slept counts against no function.
 * Thread: the collector's.  Signal: not safe. */
void rt_calls_awake(void);

/* Call the function of the innermost range that holds the sample, if there is one, and write its result to
 * the spool. */
void rt_calls_give(const struct rt_tap_sample *s);
/* After some samples: write points to the spool, add time to its accounts. */
void rt_calls_settle(struct rt_thread *t);
/* Record the total cost of each function, at the end. */
void rt_calls_say_farewell(struct rt_thread *t);
/* The function in progress ended the thread of t. */
void rt_calls_abandoned(struct rt_thread *t);

/* From now on samples are dropped, and nothing is called.  Thread: any.  Signal: safe. */
void rt_calls_close(void);

/* Has one call been running for too long (RT_COLLECTOR_STUCK_NS), at least since begin_ns? Thread: any.
 * Signal: safe. */
bool rt_calls_are_stuck(uint64_t begin_ns, uint64_t now_ns);
/* Record the stuck call in the caller's file, once per call.  Thread: any.  Signal: safe. */
void rt_calls_report_stuck(void);
bool rt_calls_are_known_stuck(void);
/* The process ends in an orderly way although a call is in progress.  Thread: any.  Signal: safe. */
void rt_calls_give_up(void);

/* Call these around an unloading of modules, while the collector pauses: functions whose code is unloaded are
 * not called again. Thread: any. */
void rt_calls_before_unload(void);
void rt_calls_after_unload(void);

/* Thread: the only one. */
void rt_calls_after_fork_child(void);

#endif
