/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts of a process that runs already, and whether it may be recorded (doc/attach.md, "Where it is refused"). */
#ifndef REC_PROCESS_H
#define REC_PROCESS_H

#include "common/ls_error.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Return the contents of /proc/PID/NAME with a NUL byte after them, NULL if it is empty or cannot be read. *out_len
 * (may be NULL) is their length. The caller frees them. */
char *rec_process_read(pid_t pid, const char *name, size_t *out_len);
/* Return the number after "KEY:" in the text of a status file, 0 without it. */
uint64_t rec_process_number(const char *status, const char *key, int base);
/* Return the letter after "State:", '?' without it. */
char rec_process_state(const char *status);

/* Check that the process, whose /proc/PID/status is given, can be recorded by this user, and that recording does it no
 * harm. Errors: LS_ERR_NOT_FOUND, LS_ERR_PERMISSION, LS_ERR_UNSUPPORTED with reason and remedy. */
ls_err rec_process_check(pid_t pid, const char *status);
/* Check the file of its program: the kind of processor, and how it was linked. Errors: LS_ERR_UNSUPPORTED. */
ls_err rec_process_check_program(pid_t pid);
/* The mappings of the process cannot be read. Return LS_ERR_PERMISSION with reason and remedy. */
ls_err rec_process_hidden(pid_t pid, const char *status);
/* The system did not permit ptrace. Return LS_ERR_PERMISSION with reason and remedy. */
ls_err rec_process_not_permitted(pid_t pid, const char *status);

#endif
