/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments to values, by a command's option table: --name VALUE, --name=VALUE, -x VALUE, -xVALUE, -abc, --. */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include "tools/cli/cli_command.h"

struct cli_parsed {
    struct cli_value *values; /* by row of the option table */
    size_t values_len;
    char **operands; /* NULL-terminated, points into argv */
    size_t operands_len;
    bool help;
};

/* Owns:   the caller ends out with cli_parsed_fini, also after a failure; texts point into argv and the
 * table. Errors: LS_ERR_USAGE (unknown option with the nearest one, missing or malformed argument, wrong
 * number of operands), LS_ERR_NOMEM. */
ls_err cli_parse(const struct cli_command *c, int argc, char **argv, struct cli_parsed *out);
void cli_parsed_fini(struct cli_parsed *p);

#endif
