/* SPDX-License-Identifier: BSD-3-Clause */
/* Help, from the option tables of the commands. */
#include "tools/cli/cli_command.h"
#include "analyse/an_dimension.h"
#include "tools/cli/cli_parse.h"

#include <string.h>

enum { CLI_HELP_WIDTH = 80, CLI_HELP_COLUMN = 28 };

static void cli_wrap(FILE *out, const char *text, size_t indent, size_t at)
{
    while (*text) {
        const size_t word = strcspn(text, " \n");
        if (at + 1 + word > CLI_HELP_WIDTH && at > indent) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (at > indent) {
            fputc(' ', out);
            at++;
        }
        fwrite(text, 1, word, out);
        at += word;
        text += word;
        if (text[0] == '\n' && text[1] == '\n') {
            fprintf(out, "\n\n%*s", (int)indent, "");
            at = indent;
        }
        text += strspn(text, " \n");
    }
    fputc('\n', out);
}

const char *cli_option_note(const struct cli_option *o, char out[CLI_NOTE_BYTES])
{
    char limits[CLI_LIMITS_BYTES];
    cli_limits_text(o, limits);
    out[0] = '\0';
    if (o->fallback && *limits)
        snprintf(out, CLI_NOTE_BYTES, " (default: %s; %s)", o->fallback, limits);
    else if (o->fallback)
        snprintf(out, CLI_NOTE_BYTES, " (default: %s)", o->fallback);
    else if (*limits)
        snprintf(out, CLI_NOTE_BYTES, " (%s)", limits);
    return out;
}

static void cli_help_option(const struct cli_option *o, FILE *out)
{
    char left[128];
    int at = o->letter ? snprintf(left, sizeof(left), "  -%c, --%s", o->letter, o->name)
                       : snprintf(left, sizeof(left), "      --%s", o->name);
    if (o->argument)
        at += snprintf(left + at, sizeof(left) - (size_t)at, o->alone ? "[=%s]" : "=%s", o->argument);
    fputs(left, out);
    if (at + 2 > CLI_HELP_COLUMN)
        fprintf(out, "\n%*s", CLI_HELP_COLUMN, "");
    else
        fprintf(out, "%*s", CLI_HELP_COLUMN - at, "");
    char help[1024], note[CLI_NOTE_BYTES];
    snprintf(help, sizeof(help), "%s%s", o->help, cli_option_note(o, note));
    cli_wrap(out, help, CLI_HELP_COLUMN, CLI_HELP_COLUMN);
}

bool cli_takes_dimensions(const struct cli_command *c)
{
    for (size_t i = 0; i < c->options_len; i++)
        if (c->options[i].type == CLI_DIMENSIONS) return true;
    return false;
}

static void cli_help_dimensions(FILE *out)
{
    fputs("\nDimensions:\n", out);
    for (const struct an_dimension *d = cli_dimensions; d->name; d++) {
        fprintf(out, "  %-*s", CLI_HELP_COLUMN - 2, d->name);
        cli_wrap(out, d->text, CLI_HELP_COLUMN, CLI_HELP_COLUMN);
    }
}

size_t cli_next_of_group(const struct cli_command *c, uint64_t set, const char *group, size_t from)
{
    while (from < c->options_len && (!(set >> from & 1) || strcmp(c->options[from].group, group) != 0))
        from++;
    return from;
}

static void cli_help_group(const struct cli_command *c, uint64_t set, const char *group, FILE *out)
{
    size_t i = cli_next_of_group(c, set, group, 0);
    if (i < c->options_len) fprintf(out, "\n%s:\n", group);
    for (; i < c->options_len; i = cli_next_of_group(c, set, group, i + 1))
        cli_help_option(&c->options[i], out);
}

static void cli_help_options(const struct cli_command *c, uint64_t set, bool all, FILE *out)
{
    for (size_t i = 0; i < c->options_len; i++) {
        const char *group = c->options[i].group;
        if (cli_next_of_group(c, set, group, 0) == i && strcmp(group, CLI_ADVANCED) != 0)
            cli_help_group(c, set, group, out);
    }
    if (all) cli_help_group(c, set, CLI_ADVANCED, out);
    fprintf(out, "\n  -h, --help                this text\n");
    if (!all && cli_next_of_group(c, set, CLI_ADVANCED, 0) < c->options_len)
        fprintf(out, "      --help-all            with the advanced options\n");
}

const struct cli_action *cli_action_named(const struct cli_command *c, const char *name)
{
    for (const struct cli_action *const *a = c->actions; a && name && *a; a++)
        if (*(*a)->name && strcmp((*a)->name, name) == 0) return *a;
    return NULL;
}

void cli_help_action(const struct cli_command *c, const struct cli_action *a, bool all, FILE *out)
{
    fprintf(out, "Usage: loadstone %s %s [OPTION...]%s%s\n\n", c->name, a->name, *a->operands ? " " : "",
            a->operands);
    cli_wrap(out, a->description, 0, 0);
    cli_help_options(c, a->options, all, out);
    if (a->examples) fprintf(out, "\nExamples:\n%s", a->examples);
    fprintf(out, "\nAll actions: loadstone %s --help, man loadstone-%s\n", c->name, c->name);
}

void cli_help_command(const struct cli_command *c, bool all, FILE *out)
{
    fprintf(out, "Usage: loadstone %s [OPTION...]%s%s\n\n", c->name, *c->operands ? " " : "", c->operands);
    cli_wrap(out, c->description, 0, 0);
    for (const struct cli_action *const *a = c->actions; a && *a; a++) {
        fputc('\n', out);
        cli_wrap(out, (*a)->description, 0, 0);
    }
    cli_help_options(c, UINT64_MAX, all, out);
    if (cli_takes_dimensions(c)) cli_help_dimensions(out);
    if (c->examples) fprintf(out, "\nExamples:\n%s", c->examples);
    for (const struct cli_action *const *a = c->actions; a && *a; a++)
        if ((*a)->examples) fputs((*a)->examples, out);
    fprintf(out, "\nMore: man loadstone-%s\n", c->name);
}

void cli_help_program(FILE *out)
{
    fputs("Usage: loadstone COMMAND [OPTION...] [ARGUMENT...]\n\n"
          "Finds the data that a program waits for: samples its loads and stores, names the\n"
          "arrays and groups they belong to, and reports the cost of each. No privilege and no\n"
          "hardware counters are needed.\n",
          out);
    for (int is_benchmark = 0; is_benchmark < 2; is_benchmark++) {
        fputs(is_benchmark ? "\nBenchmarks:\n" : "\nCommands:\n", out);
        for (const struct cli_command *const *c = cli_commands; *c; c++)
            if ((*c)->is_benchmark == is_benchmark) fprintf(out, "  %-10s %s\n", (*c)->name, (*c)->summary);
    }
    fputs("\nloadstone COMMAND --help describes a command; --version prints the version.\n"
          "Start with: loadstone record -- ./program\n",
          out);
}
