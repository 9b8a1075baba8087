/* SPDX-License-Identifier: BSD-3-Clause */
/* record --pid of a process that was started without Loadstone: load the runtime into it (doc/attach.md). */
#ifndef REC_INJECT_H
#define REC_INJECT_H

#include "tools/record/rec_spool.h"

#include <sys/types.h>

/* Check that the runtime could be loaded into the process, whose /proc/PID/status and /proc/PID/maps are given.
 * Errors: LS_ERR_UNSUPPORTED, LS_ERR_PERMISSION with reason and remedy. */
ls_err rec_inject_check(pid_t pid, const char *status, const char *maps);
/* Let one of its threads load the runtime. The process is not changed otherwise, and is under our control for
 * moments only. Returns when the thread is on its way.
 * Errors: as above; LS_ERR_NOT_FOUND: no thread is found at a good moment. */
ls_err rec_inject(pid_t pid, const char *runtime, const struct rec_spool *spool);

#endif
