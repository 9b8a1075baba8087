/* SPDX-License-Identifier: BSD-3-Clause */
/* Every sampled thread has a signal stack that holds our handlers, whatever stack it runs on. The program's
 * own stack is used when it is large enough; the program always sees its own setting.
 *
 * Thread: t's own.  Signal: not safe, but rt_burst_altstack_suffices is. */
#ifndef RT_BURST_ALTSTACK_H
#define RT_BURST_ALTSTACK_H

#include "runtime/bursts/rt_burst_engine_sigsafe.h"

/* Give the calling thread t a signal stack. Returns 0 or an errno (then the thread must not be sampled).
 * Owns: after rt_burst_altstack_close it stays mapped with t, for the next thread that uses t. */
int rt_burst_altstack_open(struct rt_burst_thread *t);
void rt_burst_altstack_close(struct rt_burst_thread *t);

/* sigaltstack(2) as the program of the calling thread t sees it. Returns 0 or an errno. */
int rt_burst_altstack_exchange(struct rt_burst_thread *t, const stack_t *ss, stack_t *old);

/* Can a stack of len_bytes hold one of our handlers with a fault inside it? */
bool rt_burst_altstack_suffices(size_t len_bytes, size_t frame_bytes);

#endif
