/* SPDX-License-Identifier: BSD-3-Clause */
/* Check, before the program starts, the limits of the session under which recording fails, and ignore limits
 * that must not end the launcher. */
#ifndef REC_LIMITS_H
#define REC_LIMITS_H

#include "common/ls_error.h"

/* Check that a program can be recorded under the limits of open files and of the stack, and under the filter
 * of system calls (seccomp) of this session. Errors: LS_ERR_UNSUPPORTED with reason and remedy. */
ls_err rec_limits_check(void);

/* A file that grows over its limit (RLIMIT_FSIZE) is an error of the write, not our end. */
void rec_limits_ignore_file_size(void);
/* Restore the previous action, in the child before exec. */
void rec_limits_restore(void);

#endif
