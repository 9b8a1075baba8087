/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments to values, by a command's option table: --name VALUE, --name=VALUE, -x VALUE, -xVALUE, -abc, --. */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include "tools/cli/cli_command.h"

#include <stddef.h>

struct cli_parsed {
    struct cli_value *values; /* by row of the option table */
    size_t values_len;
    char **operands; /* NULL-terminated, points into argv */
    size_t operands_len;
    bool help, help_all;
};

/* Owns:   the caller ends out with cli_parsed_fini, also after a failure; texts point into argv and the
 * table. Errors: LS_ERR_USAGE (unknown option with the nearest one, missing or malformed argument, wrong
 * number of operands), LS_ERR_NOMEM. */
ls_err cli_parse(const struct cli_command *c, int argc, char **argv, struct cli_parsed *out);
void cli_parsed_fini(struct cli_parsed *p);

/* ---- limits of an option ---- */

enum { CLI_LIMITS_BYTES = 64 };

/* Write the limits of an option for the help into out and return it: "1 or more", "1M or more", "20 to 1000";
 * "" if the option takes any number. */
const char *cli_limits_text(const struct cli_option *o, char out[CLI_LIMITS_BYTES]);

/* ---- the nearest word ---- */

/* "Did you mean": the known word nearest to a misspelt one, if it is near enough. */

struct cli_nearest {
    const char *word;
    size_t len;
    const char *best;
    size_t best_distance;
};

struct cli_nearest cli_nearest_to(const char *word, size_t len);
void cli_nearest_offer(struct cli_nearest *n, const char *candidate);
/* NULL when nothing is within a third of the word's letters (at least one). */
const char *cli_nearest_best(const struct cli_nearest *n);

#endif
