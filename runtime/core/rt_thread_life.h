/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of the program begin and end; their blocks are reused.
 *
 * Thread: any, depth > 0; rt_thread_key_init: the constructor. */
#ifndef RT_THREAD_LIFE_H
#define RT_THREAD_LIFE_H

#include "runtime/core/rt_thread.h"

/* A block for a new thread: reused or mapped, in_use set, engine area zeroed.  NULL when out of memory. */
struct rt_thread *rt_thread_acquire(void);
/* Give back a block whose thread never ran or has ended. */
void rt_thread_release(struct rt_thread *t);
/* First and last thing a thread does: sets rt_tls, opens the engine; writes THREAD_END, closes engine and
 * stream. */
void rt_thread_begin(struct rt_thread *t);
void rt_thread_end(struct rt_thread *t);
/* The key whose destructor ends a thread. 0 or an errno. */
int rt_thread_key_init(void);
/* In a fork child: all blocks but the caller's are free again, no file is open. */
void rt_thread_after_fork_child(void);

#endif
