/* SPDX-License-Identifier: BSD-3-Clause */
/* The status a process ends with. exit() tells it to handlers only, and ours runs after our destructor, when
 * the files are closed: the record is there already and gets its value in place. */
#ifndef RT_EXIT_STATUS_H
#define RT_EXIT_STATUS_H

#include "runtime/core/rt_thread.h"

/* Be told by exit().  Thread: the constructor. */
void rt_exit_status_watch(void);
/* EXITED into the file of t, the calling thread, where the process has records at all; status may be
 * SPOOL_STATUS_UNKNOWN.  Thread: t is the caller, depth > 0.  Signal: safe. */
void rt_exit_status_put(struct rt_thread *t, uint32_t status);

#endif
