/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of the session that recording does not fit into, found before the program starts, and those that
 * must not end the launcher. */
#ifndef REC_LIMITS_H
#define REC_LIMITS_H

#include "common/ls_error.h"

/* Can a program be recorded under the limits of open files and of the stack, and under the filter of system
 * calls (seccomp) of this session? Errors: LS_ERR_UNSUPPORTED with the reason and what helps. */
ls_err rec_limits_check(void);

/* A file that grows over its limit (RLIMIT_FSIZE) is an error of the write, not our end. */
void rec_limits_ignore_file_size(void);
/* In the program to be: as it was before. */
void rec_limits_restore(void);

#endif
