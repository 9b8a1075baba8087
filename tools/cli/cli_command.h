/* SPDX-License-Identifier: BSD-3-Clause */
/* A subcommand as data. Its option table feeds the parser, --help, the man page and the shell completion. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum cli_exit {
    CLI_OK = 0,
    CLI_FAILURE = 1,
    CLI_USAGE = 2,
    CLI_BAD_INPUT = 3,
    CLI_REGRESSION = 4, /* a gate failed, or diff --fail-on-regression */
    CLI_LAUNCHER = 125,
    CLI_CANNOT_RUN = 126,
    CLI_NO_PROGRAM = 127
};

enum cli_type {
    CLI_FLAG,
    CLI_TEXT,
    CLI_FILE,
    CLI_DIR,
    CLI_CHOICE,
    CLI_BYTES,
    CLI_DURATION,
    CLI_PERCENT,
    CLI_LEAST, /* as CLI_PERCENT; may be 0: a threshold */
    CLI_COUNT,
    CLI_SIGNAL,
    CLI_DIMENSIONS, /* rows of an_dimensions, separated by commas */
    CLI_FILTERS,    /* DIMENSION=VALUE; may be given several times */
    CLI_TEXTS,      /* as CLI_TEXT; may be given several times */
    CLI_FILES       /* as CLI_FILE; may be given several times */
};

#define CLI_ADVANCED "Advanced"

struct cli_option {
    const char *name; /* long name, without dashes */
    char letter;      /* 0: none */
    enum cli_type type;
    const char *argument; /* placeholder, NULL for a flag; the words of a choice: "auto|step|null" */
    const char *fallback; /* default as the user would write it, NULL: none */
    const char *help;
    const char *group; /* heading in --help and the man page; CLI_ADVANCED: in --help-all only */
    const char *alone; /* value of the option without "=VALUE", NULL: it needs one */
    uint64_t least;    /* minimum for numbers, bytes and times; 1 where 0 is meaningless */
    uint64_t most;     /* more is refused; 0: any number */
};

/* One per option, in table order. The type determines which number is set. */
struct cli_value {
    const char *text;  /* as written, or the default; NULL: absent */
    bool given;        /* on the command line */
    unsigned position; /* position among the given options, from 1; the last use counts */
    uint64_t number;   /* bytes, ns, count, signal number; row of a choice; 1 for a flag */
    double share;      /* percent */
    const char **all;  /* CLI_FILTERS, CLI_TEXTS, CLI_FILES: each that was given */
    size_t all_len, all_room;
};

/* One of several actions of a command, named by its first operand. */
struct cli_action {
    const char *name;        /* "": taken if the first operand names no action */
    const char *operands;    /* after the name: "FILE.json" */
    const char *description; /* paragraphs separated by an empty line */
    const char *examples;    /* as a command's examples; NULL: none */
    uint64_t options; /* set of rows of the command's table (bit 0 the first); other options have no effect */
};

struct cli_command {
    const char *name;
    const char *summary;     /* one line, lower case, no full stop */
    const char *operands;    /* "FILE", "[--] PROGRAM [ARGUMENT...]" */
    const char *description; /* paragraphs separated by an empty line */
    const char *examples;    /* lines: command, two blanks or more, its effect */
    const char *exit_status; /* NULL: the usual */
    const struct cli_option *options;
    size_t options_len;
    const struct cli_action *const *actions; /* ends with NULL; NULL: the command has no actions */
    size_t operands_min, operands_max;
    bool stops_at_operand;   /* later words belong to another program */
    bool separates_operands; /* a "--" between operands is an operand, and options may follow */
    bool completes_programs; /* operands are programs, not profiles */
    bool is_benchmark;       /* listed apart from the commands that profile */
    bool reads_profiles; /* operands may be files of other users: the command runs in a child (cli_child.h) */
    int usage_status;    /* exit status of wrong usage; 0: CLI_USAGE */
    /* Return whether a call needs the full program, asked in the light one only. NULL: it never does. */
    bool (*needs_full)(const struct cli_value *values, char *const *operands);
    int (*run)(const struct cli_command *c, const struct cli_value *values, char **operands);
};

/* Every command of this program; ends with NULL. */
extern const struct cli_command *const cli_commands[];
const struct cli_command *cli_command_find(const char *name);

/* Rows of an_dimensions; NULL in a program whose commands take none. */
struct an_dimension;
extern const struct an_dimension *const cli_dimensions;

/* Refuse given options that are not in set, because they would have no effect: print the first one, and the word of the
 * command line that ignores it (what). Return CLI_OK or CLI_USAGE. */
int cli_options_check(const struct cli_command *c, const struct cli_value *values, uint64_t set,
                      const char *what);

/* Run the command that the arguments name, and return the exit status. */
int cli_main(int argc, char **argv);
/* Call run where the stack is large enough, whatever its limit, and return its result. Calls do not nest. */
int cli_call_with_stack(int (*run)(int argc, char **argv), int argc, char **argv);

extern const struct cli_command cli_cmd_record, cli_cmd_replay, cli_cmd_report, cli_cmd_diff, cli_cmd_resolve,
    cli_cmd_doctor, cli_cmd_stream, cli_cmd_patterns, cli_cmd_study, cli_cmd_view, cli_cmd_export,
    cli_cmd_import, cli_cmd_merge, cli_cmd_trace, cli_cmd_traffic, cli_cmd_gate, cli_cmd_run;

/* ---- help, man pages and completion from the tables ---- */

enum { CLI_NOTE_BYTES = 256 };

/* Return whether an option's value is a list of dimensions, which the command's pages then list. */
bool cli_takes_dimensions(const struct cli_command *c);
/* Write the note after an option's help to out and return it: " (default: 10; 1 or more)", or "". */
const char *cli_option_note(const struct cli_option *o, char out[CLI_NOTE_BYTES]);
/* Return the first option from `from` on that is in set and in group, else options_len. */
size_t cli_next_of_group(const struct cli_command *c, uint64_t set, const char *group, size_t from);
void cli_help_program(FILE *out);
/* Print the help of a command with all its actions; with `all`, the advanced options, too. */
void cli_help_command(const struct cli_command *c, bool all, FILE *out);
/* Print the help of one action: its description and the options that it uses.
 * Errors: none; errors of out stay in it. */
void cli_help_action(const struct cli_command *c, const struct cli_action *a, bool all, FILE *out);
/* Find the action of c with this name; NULL: none, also without a name. */
const struct cli_action *cli_action_named(const struct cli_command *c, const char *name);
/* roff man pages: name "loadstone", "loadstone-environment" or a command's.  Errors: LS_ERR_USAGE (no such
 * page). */
ls_err cli_man_page(const char *name, FILE *out);
/* Print the completion of a shell: bash, zsh or fish. Errors: LS_ERR_USAGE (another shell). */
ls_err cli_completion(const char *shell, FILE *out);

#endif
