/* SPDX-License-Identifier: BSD-3-Clause */
/* The main function of both programs: finds the subcommand and hands over. */
#include "tools/cli/cli_child.h"
#include "tools/cli/cli_command.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_parse.h"
#include "tools/record/rec_launch.h"

#include "config.h"

#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

const struct cli_command *cli_command_find(const char *name)
{
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        if (strcmp((*c)->name, name) == 0) return *c;
    return NULL;
}

/* Report output that could not be written, for example on a full disk. (A closed pipe ends this process by
 * its signal.) */
static int cli_finish(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        cli_error("standard output could not be written: is the disk full?");
        return status == CLI_OK ? CLI_FAILURE : status;
    }
    return status;
}

/* Print the help of the action that the first operand names, otherwise of the command. */
static void cli_help(const struct cli_command *c, const char *operand, bool all)
{
    const struct cli_action *a = cli_action_named(c, operand);
    if (a)
        cli_help_action(c, a, all, stdout);
    else
        cli_help_command(c, all, stdout);
}

struct cli_call {
    const struct cli_command *command;
    const struct cli_parsed *parsed;
};

static int cli_call(void *context)
{
    const struct cli_call *call = context;
    return cli_finish(call->command->run(call->command, call->parsed->values, call->parsed->operands));
}

static int cli_run_command(const struct cli_command *c, int argc, char **argv)
{
    struct cli_parsed parsed;
    const ls_err err = cli_parse(c, argc, argv, &parsed);
    int status = CLI_OK;
    if (err != LS_OK) {
        status = cli_fail(err);
        if (err == LS_ERR_USAGE && c->usage_status) status = c->usage_status;
    } else if (parsed.help) {
        cli_help(c, parsed.operands[0], parsed.help_all);
    } else {
        struct cli_call call = {c, &parsed};
        status = c->reads_profiles ? cli_run_in_child(cli_call, &call, (const char *const *)parsed.operands)
                                   : cli_call(&call);
    }
    cli_parsed_fini(&parsed);
    return cli_finish(status);
}

int cli_options_check(const struct cli_command *c, const struct cli_value *values, uint64_t set,
                      const char *what)
{
    const struct cli_action *a = cli_action_named(c, what);
    for (size_t i = 0; i < c->options_len; i++) {
        if (!values[i].given || set >> i & 1) continue;
        cli_error("%s %s does nothing with --%s; see loadstone %s%s%s --help", c->name, what,
                  c->options[i].name, c->name, a ? " " : "", a ? a->name : "");
        return CLI_USAGE;
    }
    return CLI_OK;
}

static int cli_unknown_command(const char *name)
{
    struct cli_nearest nearest = cli_nearest_to(name, strlen(name));
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        cli_nearest_offer(&nearest, (*c)->name);
    const char *best = cli_nearest_best(&nearest);
    if (best)
        cli_error("unknown command '%s'; did you mean '%s'?", name, best);
    else
        cli_error(
            "unknown command '%s'; loadstone --help lists them, loadstone record -- %s records a program",
            name, name);
    return CLI_USAGE;
}

/* Print man pages and completions for the build, from the tables of this binary. */
static int cli_dump_options(int argc, char **argv)
{
    const bool is_completion = argc == 2 && strcmp(argv[0], "completion") == 0;
    if (!is_completion && (argc != 2 || strcmp(argv[0], "man") != 0)) {
        cli_error("--dump-options takes 'completion SHELL' or 'man PAGE'");
        return CLI_USAGE;
    }
    const ls_err err = (is_completion ? cli_completion : cli_man_page)(argv[1], stdout);
    return err == LS_OK ? cli_finish(CLI_OK) : cli_fail(err);
}

static int run_main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    if (argc < 2) {
        cli_help_program(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--dump-options") == 0) return cli_dump_options(argc - 2, argv + 2);
    if (strcmp(argv[1], "--version") == 0) {
        printf("loadstone %s\n", PACKAGE_VERSION);
        return cli_finish(CLI_OK);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        (strcmp(argv[1], "help") == 0 && argc == 2)) {
        cli_help_program(stdout);
        return cli_finish(CLI_OK);
    }
    const bool asks_help = strcmp(argv[1], "help") == 0;
    const char *name = asks_help ? argv[2] : argv[1];
    const struct cli_command *c = cli_command_find(name);
    if (!c) return cli_unknown_command(name);
    if (!asks_help) return cli_run_command(c, argc - 2, argv + 2);
    cli_help(c, argc > 3 ? argv[3] : NULL, false);
    return cli_finish(CLI_OK);
}

int cli_main(int argc, char **argv)
{
    rec_limits_ignore_file_size();
    return run_main(argc, argv);
}

/* Run on allocated memory if the limit of the stack is too small for our frames. */
enum { STACK_SMALL_BYTES = 1 << 20, STACK_OWN_BYTES = 8 << 20 };

static struct {
    int (*run)(int argc, char **argv);
    int argc, status;
    char **argv;
} main_call;

static void call_main(void)
{
    main_call.status = main_call.run(main_call.argc, main_call.argv);
}

static bool run_on_own_stack(void)
{
    static ucontext_t here, there;
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_SMALL_BYTES) return false;
    void *stack = mmap(NULL, STACK_OWN_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED || getcontext(&there) != 0) return false;
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = STACK_OWN_BYTES;
    there.uc_link = &here;
    makecontext(&there, call_main, 0);
    return swapcontext(&here, &there) == 0;
}

int cli_call_with_stack(int (*run)(int argc, char **argv), int argc, char **argv)
{
    main_call.run = run;
    main_call.argc = argc;
    main_call.argv = argv;
    if (!run_on_own_stack()) call_main();
    return main_call.status;
}
