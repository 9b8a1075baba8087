/* SPDX-License-Identifier: BSD-3-Clause */
/* Resolve a spool for the commands record and resolve, with progress and warnings about missing data. */
#ifndef REC_RESOLVE_H
#define REC_RESOLVE_H

#include "profile/prof_resolve.h"
#include "tools/cli/cli_command.h"

/* The row of --steps, the same for both commands. */
#define REC_STEPS_OPTION                                                                               \
    {                                                                                                  \
        "steps", 0, CLI_COUNT, "COUNT", NULL,                                                          \
            "equal parts of the run as steps of the fields on natural domains, 200 at most; 1: none; " \
            "without it each time a phase at the top was entered is a step",                           \
            "Output", .least = 1                                                                       \
    }

/* Parts that --steps asks for; 0: not given, steps are phases. */
uint32_t rec_resolve_steps(const struct cli_value *steps);

/* prof_resolve with progress and warnings on standard error; progress and warn of o are set here.
 * Errors: as prof_resolve. */
ls_err rec_resolve(struct prof_resolve_options *o, struct prof_resolve_stats *out);

/* Warn about data that a resolved spool lacks; for failed dumps, print the last error. */
void rec_resolve_say_missing(const struct prof_resolve_stats *s);

#endif
