/* SPDX-License-Identifier: BSD-3-Clause */
/* Work with libhdf5 in a separate process: it may crash on a damaged file, and where memory is short. */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include "common/ls_error.h"

#include <stddef.h>

/* Run work in a child and return its exit status. If a crash ends it, print that one of files, which end with
 * NULL, is damaged, and return CLI_BAD_INPUT. If another signal ends it, end by that signal, too. The child
 * ends with this process. Where no process can be started, work runs in this one. Call it before threads are
 * started. */
int cli_run_in_child(int work(void *context), void *context, const char *const *files);

/* Let a child read file and discard the result, so that this process can read it without a crash. An error of
 * read is left to this process.  Errors: LS_ERR_FORMAT if the child crashed. */
ls_err cli_try_in_child(ls_err read(const char *file), const char *file);

/* Run work in a child, and copy the len_bytes bytes at result, which work writes, and its last error to this
 * process. purpose is for messages: "writing the profile". Errors: those of work; LS_ERR_IO if a signal ended
 * the child. The child ends with this process. Where no process can be started, work runs in this one. */
ls_err cli_work_in_child(ls_err work(void *context), void *context, void *result, size_t len_bytes,
                         const char *purpose);

/* End this process by the signal, without a core. Returns 128 + number if its default action is harmless. */
int cli_end_by_signal(int number);

#endif
