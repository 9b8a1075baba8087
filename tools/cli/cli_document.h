/* SPDX-License-Identifier: BSD-3-Clause */
/* Print the option tables as --help, man pages and bash completion. */
#ifndef CLI_DOCUMENT_H
#define CLI_DOCUMENT_H

#include "tools/cli/cli_command.h"

#include <stdio.h>

enum { CLI_NOTE_BYTES = 256 };

/* Return whether an option's value is a list of dimensions, which the command's pages then list. */
bool cli_takes_dimensions(const struct cli_command *c);
/* Write the note after an option's help to out and return it: " (default: 10; 1 or more)", or "". */
const char *cli_option_note(const struct cli_option *o, char out[CLI_NOTE_BYTES]);
void cli_help_program(FILE *out);
/* Print the help of a command with all its actions. */
void cli_help_command(const struct cli_command *c, FILE *out);
/* Print the help of one action: its description and the options that it uses.
 * Errors: none; errors of out stay in it. */
void cli_help_action(const struct cli_command *c, const struct cli_action *a, FILE *out);
/* c's action of that name, NULL: none (also for no name). */
const struct cli_action *cli_action_named(const struct cli_command *c, const char *name);
/* roff man pages: name "loadstone", "loadstone-environment" or a command's.  Errors: LS_ERR_USAGE (no such
 * page). */
ls_err cli_man_page(const char *name, FILE *out);
void cli_bash_completion(FILE *out);

#endif
