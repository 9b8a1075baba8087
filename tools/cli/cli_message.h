/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages: standard error, one line each. Standard output belongs to data. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include "tools/cli/cli_command.h"

/* Silence notes, progress and next steps; errors and warnings stay. */
void cli_message_quiet(bool quiet);

/* Silence all messages, also errors, because another rank of the job prints them. */
void cli_message_silence(bool silent);

void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Print the command worth running next. */
void cli_next(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Print ls_last_error() as an error; returns the exit status for e. */
int cli_fail(ls_err e);
/* Print progress as a line that overwrites itself, only on a terminal; done is in [0, 1], and 1 erases the
 * line. */
void cli_progress(const char *what, double done);
/* text as one shell word, quoted where needed; static buffers, four in turn. */
const char *cli_quote(const char *text);
/* A name of a file for standard output: without control characters; static buffers, four in turn. */
const char *cli_shown(const char *name);

#endif
