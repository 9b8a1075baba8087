/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone resolve: makes a profile of a leftover spool. */
#include "machine/mach_calibration.h"
#include "machine/mach_capability.h"
#include "resolve/prof_resolve.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_output.h"
#include "tools/record/rec_spool.h"

#include <stdio.h>
#include <stdlib.h>

enum { RESOLVE_OUTPUT, RESOLVE_FORCE, RESOLVE_QUIET, RESOLVE_STEPS, RESOLVE_OPTIONS };

static const struct cli_option resolve_options[RESOLVE_OPTIONS] = {
    [RESOLVE_OUTPUT] = {"output", 'o', CLI_FILE, "FILE", "loadstone.h5", "profile to write", "Output"},
    [RESOLVE_FORCE] = {"force", 'f', CLI_FLAG, NULL, NULL, "overwrite the output file", "Output"},
    [RESOLVE_QUIET] = {"quiet", 'q', CLI_FLAG, NULL, NULL, "print errors and warnings only", "Output"},
    [RESOLVE_STEPS] = REC_STEPS_OPTION,
};

static int resolve_run(const struct cli_command *c, const struct cli_value *v, char **operands)
{
    (void)c;
    cli_message_quiet(v[RESOLVE_QUIET].given);
    ls_err err = cli_output_check_profile(v[RESOLVE_OUTPUT].text, v[RESOLVE_FORCE].given);
    if (err != LS_OK) {
        cli_fail(err);
        return CLI_FAILURE;
    }
    char command[4096], attached[32], spool[PATH_MAX];
    if ((err = rec_spool_find(operands[0], spool)) != LS_OK) return cli_fail(err);
    rec_spool_read(spool, "command", command, sizeof(command));
    rec_spool_read(spool, "pid", attached, sizeof(attached));
    struct mach_calibration calibration;
    const bool calibrated = mach_calibration_get(&calibration) == LS_OK;
    struct prof_resolve_options options = {.spool_dir = spool,
                                           .output_path = v[RESOLVE_OUTPUT].text,
                                           .force = v[RESOLVE_FORCE].given,
                                           .slices = rec_resolve_steps(&v[RESOLVE_STEPS]),
                                           .why_no_hw = mach_capability_why_no_hw(),
                                           .command = *command ? command : NULL,
                                           .attached_pid = (uint32_t)strtoul(attached, NULL, 10),
                                           .calibration = calibrated ? &calibration : NULL};
    struct prof_resolve_stats stats = {0};
    err = rec_resolve(&options, &stats);
    if (err != LS_OK) return cli_fail(err);
    rec_resolve_say_missing(&stats);
    cli_note("%llu samples in %llu bursts of %llu threads: %s", (unsigned long long)stats.samples,
             (unsigned long long)stats.bursts, (unsigned long long)stats.threads, options.output_path);
    cli_next("loadstone report %s", cli_quote(options.output_path));
    return CLI_OK;
}

const struct cli_command cli_cmd_resolve = {
    .name = "resolve",
    .summary = "make a profile from the spool of an interrupted recording",
    .operands = "SPOOL",
    .description =
        "Attributes every sample of the spool directory SPOOL to the data it touched, names functions and "
        "source lines, and writes a profile. loadstone record does this by itself; resolve is for programs "
        "that were recorded with LD_PRELOAD alone and for launchers that were killed.\n\n"
        "SPOOL may also be the directory of record --spool, if it holds one spool. The spool stays. Levels "
        "are inferred from the latencies of this machine, so run resolve on the machine that recorded.",
    .examples = "loadstone resolve /tmp/loadstone-spool-4711-k2jx5d -o run.h5\n",
    .options = resolve_options,
    .options_len = RESOLVE_OPTIONS,
    .operands_min = 1,
    .operands_max = 1,
    .run = resolve_run,
};
