/* SPDX-License-Identifier: BSD-3-Clause */
/* The program that users call. It runs the commands whose start matters and that need few libraries, and becomes the
 * full program (full.c) for everything else, before any work is done. */
#include "patterns/source/pat_unpack.h"
#include "tools/cli/cli_command.h"
#include "tools/cli/cli_install.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_parse.h"
#include "tools/replay/rpl_files.h"
#include "tools/study/std_files.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* One command per line. */
/* clang-format off */
const struct cli_command *const cli_commands[] = {
    &cli_cmd_run,
    &cli_cmd_replay,
    &cli_cmd_stream,
    &cli_cmd_study,
    NULL,
};
/* clang-format on */

/* ---- parts of the full program that this one lacks ---- */

const struct an_dimension *const cli_dimensions = NULL;
const struct rpl_files *const rpl_files = NULL;
const struct std_files *const std_files = NULL;

static ls_err archive_open(struct pat_file *f, enum pat_packing packing, void **out)
{
    (void)packing;
    (void)out;
    return ls_fail(LS_ERR_UNSUPPORTED, "%s is packed: unpack it, or give it as the pattern file", f->name);
}

/* Takes the place of the one that needs libarchive. */
const struct pat_unpacking pat_unpacking_archive = {.open = archive_open};

/* ---- the choice of the program ---- */

static bool command_needs_full(const struct cli_command *c, int argc, char **argv)
{
    struct cli_parsed p;
    if (!c->needs_full) return false;
    const bool is_call = cli_parse(c, argc, argv, &p) == LS_OK && !p.help;
    const bool needs_full = is_call && c->needs_full(p.values, p.operands);
    cli_parsed_fini(&p);
    return needs_full;
}

static bool call_needs_full(int argc, char **argv)
{
    if (argc < 2) return true;
    if (strcmp(argv[1], "--version") == 0) return false;
    const bool asks_help = strcmp(argv[1], "help") == 0;
    const char *name = asks_help ? argv[2] : argv[1];
    const struct cli_command *c = name ? cli_command_find(name) : NULL;
    return !c || (!asks_help && command_needs_full(c, argc - 2, argv + 2));
}

/* Returns the exit status where the full program cannot be started. */
static int become_full(char **argv)
{
    char path[PATH_MAX];
    if (cli_install_full_program(path) != LS_OK) {
        cli_fail(LS_ERR_NOT_FOUND);
        return CLI_LAUNCHER;
    }
    execv(path, argv);
    cli_error("%s cannot be started: %s", path, strerror(errno));
    return CLI_LAUNCHER;
}

static int run(int argc, char **argv)
{
    return call_needs_full(argc, argv) ? become_full(argv) : cli_main(argc, argv);
}

int main(int argc, char **argv)
{
    return cli_call_with_stack(run, argc, argv);
}
