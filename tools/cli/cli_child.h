/* SPDX-License-Identifier: BSD-3-Clause */
/* Work with libhdf5 in a separate process: it may crash on a damaged file, and where memory is short. */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include "common/ls_error.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

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
 * the child. The child ends with this process. Where no process can be started, work runs in this one. SIGINT,
 * SIGTERM and SIGHUP end the child first, and then this process, once it holds them no more. */
ls_err cli_work_in_child(ls_err work(void *context), void *context, void *result, size_t len_bytes,
                         const char *purpose);

/* Hold SIGINT, SIGTERM and SIGHUP, so that they end this process only at cli_signals_release. */
void cli_signals_hold(sigset_t *before);
void cli_signals_release(const sigset_t *before);
/* Return whether one of these three or SIGQUIT is in received. */
bool cli_signals_end(const sigset_t *received);

/* Wait for the end of the child and return its status. Signals of watched, which are blocked and include SIGCHLD, are
 * forwarded to it, unless the terminal has sent them to both. received gets all of them. */
int cli_wait(pid_t child, const sigset_t *watched, sigset_t *received);

/* End this process by the signal, without a core. Returns 128 + number if its default action is harmless. */
int cli_end_by_signal(int number);

#endif
