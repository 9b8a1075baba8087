/* SPDX-License-Identifier: BSD-3-Clause */
/* The program with all commands. Users call it through the light program of loadstone.c. */
#include "analyse/an_dimension.h"
#include "tools/cli/cli_command.h"

/* One command per line, so that merges of new ones do not conflict. */
/* clang-format off */
const struct cli_command *const cli_commands[] = {
    &cli_cmd_record,
    &cli_cmd_run,
    &cli_cmd_report,
    &cli_cmd_view,
    &cli_cmd_export,
    &cli_cmd_diff,
    &cli_cmd_gate,
    &cli_cmd_merge,
    &cli_cmd_trace,
    &cli_cmd_patterns,
    &cli_cmd_replay,
    &cli_cmd_stream,
    &cli_cmd_study,
    &cli_cmd_traffic,
    &cli_cmd_resolve,
    &cli_cmd_import,
    &cli_cmd_doctor,
    NULL,
};
/* clang-format on */

const struct an_dimension *const cli_dimensions = an_dimensions;

int main(int argc, char **argv)
{
    return cli_call_with_stack(cli_main, argc, argv);
}
