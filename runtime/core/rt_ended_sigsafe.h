/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of the recording while processes of it continue (daemons): they record no more, and programs that
 * they start are not recorded.
 *
 * The launcher holds a lock on spool.conf while the recording lasts; without a launcher it lasts as long as
 * the spool's directory.
 *
 * Thread: any. */
#ifndef RT_ENDED_SIGSAFE_H
#define RT_ENDED_SIGSAFE_H

#include <stdbool.h>
#include <stdint.h>

/* Look whether the recording has ended; if so, this process records no more. A few system calls. */
bool rt_ended_look(void);
/* The same, at most every 100 ms. */
void rt_ended_look_sometimes(uint64_t now_ns);
/* Return the answer of the last look. */
bool rt_ended_was_seen(void);
/* Forget the answer: another recording begins in this process. */
void rt_ended_forget(void);
/* Note that the spool no longer exists. */
void rt_ended_note(void);

#endif
