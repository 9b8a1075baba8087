/* SPDX-License-Identifier: BSD-3-Clause */
/* How a recording begins in a process that was idle:
 *
 *   1. A signal of the launcher interrupts a thread of the program (rt_attach_signal.c).
 *   2. If the moment is good (rt_attach_moment.c), the handler makes a thread of our own; otherwise the launcher
 *      tries again.
 *   3. That thread begins the recording, watches over it, and ends it (rt_attach_serve.c).
 *   4. It interrupts threads of the program that use CPU time, which then begin to be sampled
 *      (rt_attach_adopt.c). Threads that sleep are left alone. */
#ifndef RT_ATTACH_INTERNAL_H
#define RT_ATTACH_INTERNAL_H

#include "runtime/core/rt_attach.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <ucontext.h>

/* Note where the C library, the dynamic linker and the allocator are.  Thread: the constructor. */
void rt_attach_moment_init(void);
/* May the handler that interrupted uc call the allocator and pthread_create? Not where the thread is inside the
 * C library, the dynamic linker or the allocator, whose locks it may hold, unless it waits in a system call
 * that holds none; and not in another handler, because that may have interrupted such a place.
 * Signal: safe. */
bool rt_attach_moment_is_good(const ucontext_t *uc);

/* Find the hooks that the program reaches.  Thread: the constructor. */
void rt_attach_slots_init(void);
/* Let the calls of all loaded objects lead to the hooks, or past them.  Thread: the constructor, our own. */
void rt_attach_slots_turn(bool to_hooks);
/* The same for objects that were loaded since: during a recording, in a process that loaded the runtime late. */
void rt_attach_slots_follow(void);

/* Begin to sample the calling thread, which uc was interrupted in at a good moment. */
void rt_attach_adopt(ucontext_t *uc);
/* Interrupt the threads that use CPU time and are not sampled. Thread: our own. */
void rt_attach_look_for_threads(pid_t own_tid);

/* Make the thread that serves the request of the process launcher_pid, whose spool it has open as spool_fd.
 * Thread: in the handler, at a good moment. */
void rt_attach_begin(pid_t launcher_pid, int spool_fd);
/* Is there such a thread? */
bool rt_attach_is_busy(void);

#endif
