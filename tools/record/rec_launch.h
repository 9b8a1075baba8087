/* SPDX-License-Identifier: BSD-3-Clause */
/* Start the program with the runtime preloaded, within the limits of the session, and wait for it. */
#ifndef REC_LAUNCH_H
#define REC_LAUNCH_H

#include "common/ls_error.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- the launch ---- */

struct rec_outcome {
    uint32_t pid; /* pid of the program */
    uint64_t duration_ns;
    int exec_errno; /* not 0: the program could not be started */
    int exit_code;
    int exit_signal;     /* not 0: killed by it */
    bool is_interrupted; /* it was sent SIGINT, SIGTERM, SIGHUP or SIGQUIT */
};

/* Run the program. Signals sent to this process are forwarded to it; signals of the terminal reach it
 * directly. After its end SIGPIPE is ignored here.
 * Errors: LS_ERR_IO if nothing can be started. */
ls_err rec_launch(const char *path, char **argv, struct rec_outcome *out);
/* As rec_launch, before another program is launched: /dev/null is its input and output, and SIGPIPE is unchanged. */
ls_err rec_launch_silently(const char *path, char **argv, struct rec_outcome *out);
/* Become the program. Returns where that fails, with errno. */
ls_err rec_exec(const char *path, char **argv);
/* End as the program ended: by its signal, without a core of our own; returns the exit status otherwise. */
int rec_end_like(const struct rec_outcome *o);

/* ---- the runtime that is preloaded ---- */

/* Return $LOADSTONE_PRELOAD, else as cli_install_library. Errors: also LS_ERR_ARG for a path that LD_PRELOAD
 * cannot hold. */
ls_err rec_preload_find(char out[PATH_MAX]);
/* Add path to LD_PRELOAD, before its entries (after them if one is a sanitizer).  Errors: LS_ERR_NOMEM. */
ls_err rec_preload_set(const char *path);

/* ---- limits of the session ---- */

/* Check that a program can be recorded under the limits of open files and of the stack, and under the filter
 * of system calls (seccomp) of this session. Errors: LS_ERR_UNSUPPORTED with reason and remedy. */
ls_err rec_limits_check(void);

/* A file that grows over its limit (RLIMIT_FSIZE) is an error of the write, not our end. */
void rec_limits_ignore_file_size(void);

/* ---- the request to the processor ---- */

/* As the user wrote them; NULL: not given. */
struct rec_hardware_options {
    const char *engine;
    const char *event;
    const char *period; /* 20ms: the step engine's; 100003: events between two samples of hw */
    const char *freq;
    const char *ldlat;
    const char *stores; /* no, also, only */
};

/* Set the variables. Names of libpfm4 become numbers, so that the runtime needs no library. Notes and
 * warnings are printed. Errors: LS_ERR_USAGE, LS_ERR_ARG, LS_ERR_RANGE, LS_ERR_NOT_FOUND: an option cannot be
 * as written (the text names it, its valid values and the remedy); LS_ERR_UNSUPPORTED: --engine hw where no
 * PMU samples loads. */
ls_err rec_hardware_prepare(const struct rec_hardware_options *o);

#endif
