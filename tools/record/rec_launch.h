/* SPDX-License-Identifier: BSD-3-Clause */
/* Start the program, pass signals on, wait for it. */
#ifndef REC_LAUNCH_H
#define REC_LAUNCH_H

#include "common/ls_error.h"

#include <stdint.h>

struct rec_outcome {
    uint32_t pid; /* pid of the program */
    uint64_t duration_ns;
    int exec_errno; /* not 0: the program could not be started */
    int exit_code;
    int exit_signal; /* not 0: killed by it */
};

/* Run the program. Signals sent to this process are forwarded to it; signals of the terminal reach it
 * directly. After its end SIGPIPE is ignored here.
 * Errors: LS_ERR_IO if nothing can be started. */
ls_err rec_launch(const char *path, char **argv, struct rec_outcome *out);
/* End as the program ended: by its signal, without a core of our own; returns the exit status otherwise. */
int rec_end_like(const struct rec_outcome *o);

#endif
