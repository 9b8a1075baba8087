/* SPDX-License-Identifier: BSD-3-Clause */
/* What the option tables say, as --help, man pages and bash completion.
 *
 * Where nothing else is said: Thread: the main one.  Signal: not safe. */
#ifndef CLI_DOCUMENT_H
#define CLI_DOCUMENT_H

#include "tools/cli/cli_command.h"

#include <stdio.h>

/* Has the command an option whose value is a list of dimensions? Then its pages list them.
 * Owns:   nothing.  Errors: none.  Thread: any.  Signal: safe. */
bool cli_takes_dimensions(const struct cli_command *c);
void cli_help_program(FILE *out);
void cli_help_command(const struct cli_command *c, FILE *out);
/* roff man pages: name "loadstone", "loadstone-environment" or a command's.  Errors: LS_ERR_USAGE (no such
 * page). */
ls_err cli_man_page(const char *name, FILE *out);
void cli_bash_completion(FILE *out);

#endif
