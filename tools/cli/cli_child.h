/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of other users are read in a separate process, because libhdf5 may crash on a damaged one. */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include "common/ls_error.h"

/* Run work in a child and return its exit status. If a crash ends it, print that one of files, which end with
 * NULL, is damaged, and return CLI_BAD_INPUT. If another signal ends it, end by that signal, too. The child
 * ends with this process. Where no process can be started, work runs in this one. Call it before threads are
 * started. */
int cli_run_in_child(int work(void *context), void *context, const char *const *files);

/* Let a child read file and discard the result, so that this process can read it without a crash. An error of
 * read is left to this process.  Errors: LS_ERR_FORMAT if the child crashed. */
ls_err cli_try_in_child(ls_err read(const char *file), const char *file);

/* End this process by the signal, without a core. Returns 128 + number if its default action is harmless. */
int cli_end_by_signal(int number);

#endif
