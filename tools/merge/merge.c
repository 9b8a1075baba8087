/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone merge: several profiles become one. */
#include "run_h5/prof_merge.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_output.h"

#include <stdint.h>

enum { MERGE_OUTPUT, MERGE_FORCE, MERGE_QUIET, MERGE_OPTIONS };

static const struct cli_option merge_options[MERGE_OPTIONS] = {
    [MERGE_OUTPUT] = {"output", 'o', CLI_FILE, "FILE", "merged.h5", "profile to write", "Output"},
    [MERGE_FORCE] = {"force", 'f', CLI_FLAG, NULL, NULL, "overwrite the output file", "Output"},
    [MERGE_QUIET] = {"quiet", 'q', CLI_FLAG, NULL, NULL, "print errors and warnings only", "Output"},
};

static void merge_warn(void *user, const char *text)
{
    (void)user;
    cli_warn("%s", text);
}

static int merge_run(const struct cli_command *c, const struct cli_value *v, char **operands)
{
    (void)c;
    cli_message_quiet(v[MERGE_QUIET].given);
    struct prof_merge_options options = {.paths = (const char *const *)operands,
                                         .output_path = v[MERGE_OUTPUT].text,
                                         .force = v[MERGE_FORCE].given,
                                         .warn = merge_warn};
    while (operands[options.paths_len])
        options.paths_len++;
    ls_err err = cli_output_check_profile(options.output_path, options.force);
    if (err != LS_OK) {
        cli_fail(err);
        return CLI_FAILURE;
    }
    struct prof_merge_stats stats;
    err = prof_merge(&options, &stats);
    if (err != LS_OK) return cli_fail(err);
    cli_note("%llu samples of %llu processes: %s", (unsigned long long)stats.samples,
             (unsigned long long)stats.processes, options.output_path);
    cli_next("loadstone report --by process %s", cli_quote(options.output_path));
    return CLI_OK;
}

const struct cli_command cli_cmd_merge = {
    .name = "merge",
    .summary = "make one profile of several",
    .operands = "FILE FILE...",
    .description =
        "Joins profiles of the ranks of a job that ran on several machines, or of runs that belong together. "
        "Processes, threads, data, call paths and samples are listed side by side, phases of one name become "
        "one, and times count from the earliest start, by the wall clocks of the machines. Natural domains "
        "with equal names get numbers.\n\n"
        "All of them must have been sampled by one engine, of one kind of event, on processors whose cycles "
        "have the same length. If the calibrated latencies of the levels differ, a message reports it, and "
        "the first file's are used.",
    .examples = "loadstone merge node1.h5 node2.h5 -o job.h5\n"
                "loadstone report --by process job.h5\n",
    .options = merge_options,
    .options_len = MERGE_OPTIONS,
    .operands_min = 2,
    .operands_max = SIZE_MAX,
    .reads_profiles = true,
    .run = merge_run,
};
