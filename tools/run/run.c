/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone run: becomes a program that loadstone record --pid can record later. */
#include "common/ls_env.h"
#include "tools/cli/cli_command.h"
#include "tools/cli/cli_message.h"
#include "tools/record/rec_launch.h"
#include "tools/record/rec_target.h"

#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

static ls_err run_prepare(void)
{
    char preload[PATH_MAX];
    LS_TRY(rec_limits_check());
    LS_TRY(rec_preload_find(preload));
    if (setenv(ls_env_rows[LS_ENV_IDLE].variable, "1", 1) != 0) return ls_nomem("the environment");
    return rec_preload_set(preload);
}

static int run_run(const struct cli_command *c, const struct cli_value *v, char **operands)
{
    char path[PATH_MAX];
    (void)c;
    (void)v;
    ls_err err = rec_target_find(operands[0], path);
    if (err == LS_OK) err = rec_target_check(path);
    if (err != LS_OK) {
        cli_fail(err);
        return rec_target_status(err);
    }
    if ((err = run_prepare()) != LS_OK) {
        cli_fail(err);
        return CLI_LAUNCHER;
    }
    cli_fail(rec_exec(path, operands));
    return errno == ENOENT ? CLI_NO_PROGRAM : CLI_CANNOT_RUN;
}

const struct cli_command cli_cmd_run = {
    .name = "run",
    .summary = "run a program that record --pid can record later",
    .operands = "[--] PROGRAM [ARGUMENT...]",
    .description =
        "Becomes PROGRAM, with the runtime of Loadstone loaded but idle: no thread is made and nothing is sampled or "
        "written, so that it runs as without it (doc/attach.md has the measured cost). loadstone record --pid PID "
        "records it at any later time, as often as wanted; the programs that it starts can be recorded by their own PIDs.\n\n"
        "Signal 63 begins a recording. If the program has a handler for this signal, the handler is called for all other "
        "signals 63.",
    .examples = "loadstone run -- ./server &                      start it, ready to be recorded\n"
                "loadstone record --pid $! --duration 10s         record ten seconds of it\n",
    .exit_status =
        "The program's own; 125 when Loadstone cannot prepare it, 126 when it cannot be run, 127 when it is "
        "not found.",
    .operands_min = 1,
    .operands_max = (size_t)-1,
    .stops_at_operand = true,
    .completes_programs = true,
    .usage_status = CLI_LAUNCHER,
    .run = run_run,
};
