/* SPDX-License-Identifier: BSD-3-Clause */
/* record --pid: a recording of a process that runs already (doc/attach.md). */
#ifndef REC_ATTACH_H
#define REC_ATTACH_H

#include "tools/record/rec_launch.h"
#include "tools/record/rec_spool.h"

#include <limits.h>
#include <sys/types.h>

struct rec_attach {
    pid_t pid;
    int pid_fd;             /* becomes readable when the process has ended; -1: none */
    char program[PATH_MAX]; /* its file */
    char **argv;            /* its command line; ends with NULL */
    uint64_t began_ns;
    bool needs_runtime; /* it was started without Loadstone */
};

/* Find the process and check that it can be recorded. Errors: LS_ERR_NOT_FOUND: no such process;
 * LS_ERR_PERMISSION, LS_ERR_UNSUPPORTED with reason and remedy. */
ls_err rec_attach_find(pid_t pid, struct rec_attach *out);
/* Begin the recording by the runtime, which is loaded first where it is not there, with the LOADSTONE_* settings of our own environment. Returns when the process records.
 * Errors: LS_ERR_UNSUPPORTED, LS_ERR_IO with the reason. */
ls_err rec_attach_begin(struct rec_attach *a, const char *runtime, const struct rec_spool *spool);
/* Wait until the process ends, duration_ns (0: no limit) are over, or we are interrupted, then end the
 * recording. out->exit_code is 0, also where the process itself failed. */
void rec_attach_finish(struct rec_attach *a, const struct rec_spool *spool, uint64_t duration_ns,
                       struct rec_outcome *out);
/* Return whether the process has ended. */
bool rec_attach_has_ended(const struct rec_attach *a);
void rec_attach_fini(struct rec_attach *a);

#endif
