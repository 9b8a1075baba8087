/* SPDX-License-Identifier: BSD-3-Clause */
/* The least and the most that an option takes. */
#ifndef CLI_LIMITS_H
#define CLI_LIMITS_H

#include "tools/cli/cli_command.h"

enum { CLI_LIMITS_BYTES = 64 };

/* Check that o takes number, written as text. A value that an option would read as "not given" or could not
 * apply is refused instead of ignored.
 * Errors: LS_ERR_RANGE, with the number to give. */
ls_err cli_limits_check(const struct cli_option *o, const char *text, uint64_t number);

/* For the help: "1 or more", "1M or more", "20 to 1000"; "" for an option that takes any number. Written
 * into out and returned. */
const char *cli_limits_text(const struct cli_option *o, char out[CLI_LIMITS_BYTES]);

#endif
