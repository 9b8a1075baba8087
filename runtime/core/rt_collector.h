/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread of Loadstone in the program: it calls natural-domain functions, and does the work that an engine
 * cannot do in signal handlers (rt_sampler.collect). It exists only where one of them is needed, blocks all
 * signals but its own faults, is not sampled, and does not keep the process alive.
 *
 * It never holds a lock while it calls a function of the program. Threads wait for it for a bounded time:
 * RT_COLLECTOR_STUCK_NS while one call does not return, RT_COLLECTOR_DRAIN_NS in all.
 *
 * Unless noted otherwise: Thread: any; does nothing when the collector itself calls it.  Signal: not safe. */
#ifndef RT_COLLECTOR_H
#define RT_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define RT_COLLECTOR_PERIOD_NS UINT64_C(100000000) /* interval of collection */
#define RT_COLLECTOR_STUCK_NS UINT64_C(1000000000)
#define RT_COLLECTOR_DRAIN_NS UINT64_C(10000000000)

/* Require the collector from now on: start it where it does not run; every thread gets a ring for its samples
 * when callbacks is true. Fork children inherit the need and start their own with the first drain.
 * Thread: any; depth > 0, in the constructor or later. */
void rt_collector_need(bool callbacks);

/* Pass all samples until now to their callbacks before returning, unless the time is over. */
void rt_collector_drain(void);
/* The same where no thread can be made.  Signal: safe. */
void rt_collector_drain_running(void);

/* Is our thread tid the only one that lives? Then the process must end without it. */
bool rt_collector_is_alone(pid_t tid);

/* In a fork child, at a point where a thread can be made: start the child's collector when it has samples for
 * it. Cheap when there is nothing to do. */
void rt_collector_revive(void);

/* Between these two no function of the program is called (a fork, an unloading of modules). Nests.  False:
 * one is running and does not return; it may be called all the same then. */
bool rt_collector_pause(void);
void rt_collector_resume(void);

/* The program ends: drain, close the collector's file, and call nothing any more.  Signal: safe. */
void rt_collector_finish(void);
/* System calls are about to be forbidden: drain, and sleep for good.  Signal: safe. */
void rt_collector_seal(void);
/* The recording has ended and the process goes on: end the thread, and wait a moment for that. */
void rt_collector_leave(void);
/* In a fork child: there is none.  Thread: the only one. */
void rt_collector_after_fork_child(void);
/* A thread of the program has ended: it may have been the last. */
void rt_collector_thread_ended(void);
/* A thread of the program begins: give it a ring if rings are needed. */
struct rt_thread;
void rt_collector_thread_began(struct rt_thread *t);

/* The fork handlers; after all others of Loadstone's.  Thread: the constructor. */
void rt_collector_init(void);

#endif
