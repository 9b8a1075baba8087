/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime's life in a process. */
#ifndef RT_PROCESS_H
#define RT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Is this the process that recorded from the start or since fork, not a vfork child in its memory? Costs a
 * system call. Signal: safe. */
bool rt_process_is_this(void);

/* Note the status that exit() is called with.  Thread: the constructor. */
void rt_process_watch_exit(void);

/* End the process's recording in an orderly way: write the last records, cut the files to their content. Runs
 * once; does nothing in vfork children. status: as the parent will see it, or SPOOL_STATUS_UNKNOWN. Thread:
 * any.  Signal: safe (does nothing inside the runtime). */
void rt_process_end(uint32_t status);

/* Write the last records of a recording after which the process goes on, on a thread of our own. */
struct rt_thread;
void rt_process_detach(struct rt_thread *own);

/* exec is about to be called: close the caller's file. When exec fails the next record opens another.
 * Signal: safe. */
void rt_process_before_exec(void);

/* System calls are about to be forbidden (seccomp): write the last records, then stop for good. Signal:
 * safe. */
void rt_process_seal(void);

#endif
