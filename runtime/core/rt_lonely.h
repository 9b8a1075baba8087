/* SPDX-License-Identifier: BSD-3-Clause */
/* A process whose threads have all ended (pthread_exit of main too) exits; a thread of ours must not keep it.
 *
 * Thread: the collector.  Signal: not safe. */
#ifndef RT_LONELY_H
#define RT_LONELY_H

#include <stdbool.h>
#include <sys/types.h>

/* No thread that the runtime knows lives. Cheap.  Thread: any.  Signal: safe. */
bool rt_lonely_may_be(void);
/* The thread tid, of this process, is the only one that lives. */
bool rt_lonely_is(pid_t tid);

#endif
