/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/cli/cli_command.h"
#include "analyse/an_dimension.h"
#include "common/ls_env.h"

#include "config.h"

#include <string.h>

/* Convert text to roff: backslashes and hyphens are escaped, and a leading dot or quote is protected. */
static void man_text(FILE *out, const char *text)
{
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\'')) fputs("\\&", out);
        line_start = *text == '\n';
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else if (*text == '|')
            fputs("|\\:", out); /* allows a line break */
        else
            fputc(*text, out);
    }
}

static void man_paragraphs(FILE *out, const char *text)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        const size_t len = end ? (size_t)(end - text) : strlen(text);
        char paragraph[4096];
        snprintf(paragraph, sizeof(paragraph), "%.*s", (int)len, text);
        man_text(out, paragraph);
        fputc('\n', out);
        text += len;
        if (end) {
            fputs(".PP\n", out);
            text += 2;
        }
    }
}

static void man_head(FILE *out, const char *page, int section, const char *summary)
{
    fputs(".\\\" Generated from the option tables of loadstone; do not edit.\n.TH \"", out);
    for (; *page; page++)
        fputc(*page >= 'a' && *page <= 'z' ? *page - 'a' + 'A' : *page, out);
    fprintf(out, "\" %d \"\" \"Loadstone %s\" \"Loadstone\"\n.SH NAME\n", section, PACKAGE_VERSION);
    man_text(out, summary);
    fputc('\n', out);
}

static void man_option(const struct cli_option *o, FILE *out)
{
    fputs(".TP\n.B ", out);
    char spelling[128], note[CLI_NOTE_BYTES];
    int n = o->letter ? snprintf(spelling, sizeof(spelling), "-%c, ", o->letter) : 0;
    snprintf(spelling + n, sizeof(spelling) - (size_t)n,
             !o->argument ? "--%s"
             : o->alone   ? "--%s[=%s]"
                          : "--%s=%s",
             o->name, o->argument);
    man_text(out, spelling);
    fputc('\n', out);
    man_text(out, o->help);
    man_text(out, cli_option_note(o, note));
    fputs(".\n", out);
}

static void man_dimensions(FILE *out)
{
    fputs(".SH DIMENSIONS\n", out);
    for (const struct an_dimension *d = cli_dimensions; d->name; d++) {
        fprintf(out, ".TP\n.B %s\n", d->name);
        man_text(out, d->text);
        fputs(".\n", out);
    }
}

static void man_examples(const struct cli_command *c, FILE *out)
{
    fputs(".SH EXAMPLES\n.nf\n", out);
    man_text(out, c->examples);
    for (const struct cli_action *const *a = c->actions; a && *a; a++)
        if ((*a)->examples) man_text(out, (*a)->examples);
    fputs(".fi\n", out);
}

static void man_group(const struct cli_command *c, const char *group, FILE *out)
{
    fprintf(out, ".SS %s\n", group);
    for (size_t i = cli_next_of_group(c, UINT64_MAX, group, 0); i < c->options_len;
         i = cli_next_of_group(c, UINT64_MAX, group, i + 1))
        man_option(&c->options[i], out);
}

static const char man_usual_status[] =
    "0 success; 1 failure; 2 wrong usage; 3 bad input (missing, damaged or of another version).";

static void man_command(const struct cli_command *c, FILE *out)
{
    char name[64], summary[256];
    snprintf(name, sizeof(name), "loadstone-%s", c->name);
    snprintf(summary, sizeof(summary), "%s - %s", name, c->summary);
    man_head(out, name, 1, summary);
    fprintf(out, ".SH SYNOPSIS\n.B loadstone %s\n[OPTION...] ", c->name);
    man_text(out, c->operands);
    fputs("\n.SH DESCRIPTION\n", out);
    man_paragraphs(out, c->description);
    for (const struct cli_action *const *a = c->actions; a && *a; a++) {
        fputs(".PP\n", out);
        man_paragraphs(out, (*a)->description);
    }
    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; i < c->options_len; i++) {
        const char *group = c->options[i].group;
        if (cli_next_of_group(c, UINT64_MAX, group, 0) == i && strcmp(group, CLI_ADVANCED) != 0)
            man_group(c, group, out);
    }
    fputs(".SS Help\n.TP\n.B \\-h, \\-\\-help\nPrint a short description and exit.\n", out);
    fputs(".TP\n.B \\-\\-help\\-all\nThe same with the advanced options.\n", out);
    if (cli_next_of_group(c, UINT64_MAX, CLI_ADVANCED, 0) < c->options_len) man_group(c, CLI_ADVANCED, out);
    if (cli_takes_dimensions(c)) man_dimensions(out);
    fputs(".SH EXIT STATUS\n", out);
    man_paragraphs(out, c->exit_status ? c->exit_status : man_usual_status);
    if (c->examples) man_examples(c, out);
    fputs(".SH SEE ALSO\n.BR loadstone (1),\n.BR loadstone\\-environment (7)\n", out);
}

static void man_program(FILE *out)
{
    man_head(out, "loadstone", 1, "loadstone - find the data that a program waits for");
    fputs(".SH SYNOPSIS\n.B loadstone\nCOMMAND [OPTION...] [ARGUMENT...]\n.SH DESCRIPTION\n", out);
    man_paragraphs(out,
                   "Loadstone samples the loads and stores of unmodified programs, attributes them to "
                   "the program's data (the arrays and groups it registered, else allocations, static "
                   "data, stacks and files) and estimates the cost of each. It needs no privilege and no "
                   "hardware counters.\n\n"
                   "Data goes to standard output, messages to standard error. Colour and progress appear "
                   "on a terminal only; NO_COLOR switches colour off. No file is overwritten without "
                   "--force.");
    for (int is_benchmark = 0; is_benchmark < 2; is_benchmark++) {
        fputs(is_benchmark ? ".SH BENCHMARKS\n" : ".SH COMMANDS\n", out);
        for (const struct cli_command *const *c = cli_commands; *c; c++) {
            if ((*c)->is_benchmark != is_benchmark) continue;
            fprintf(out, ".TP\n.BR loadstone\\-%s (1)\n", (*c)->name);
            man_text(out, (*c)->summary);
            fputc('\n', out);
        }
    }
    fputs(".SH OPTIONS\n.TP\n.B \\-\\-version\nPrint the version and exit.\n.TP\n.B \\-h, \\-\\-help\nPrint "
          "the list of commands and exit.\n"
          ".SH EXIT STATUS\n",
          out);
    man_paragraphs(out, man_usual_status);
    fputs(".SH SEE ALSO\n", out);
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        fprintf(out, ".BR loadstone\\-%s (1),\n", (*c)->name);
    fputs(".BR loadstone\\-environment (7)\n", out);
}

static void man_environment(FILE *out)
{
    man_head(out, "loadstone-environment", 7, "loadstone-environment - variables that steer recording");
    fputs(".SH DESCRIPTION\n", out);
    man_paragraphs(
        out,
        "loadstone record sets these variables for the program it starts. To preload the runtime by hand "
        "(LD_PRELOAD=libloadstone-preload.so), set them directly; the program then leaves a spool, and "
        "loadstone resolve makes a profile of it. A variable that is set already also holds for loadstone "
        "record, unless the option that belongs to it is given.");
    fputs(".SH VARIABLES\n", out);
    for (int i = 0; i < LS_ENV_COUNT; i++) {
        fprintf(out, ".TP\n.B %s\n", ls_env_rows[i].variable);
        man_text(out, ls_env_rows[i].help);
        if (*ls_env_rows[i].default_value) {
            fputs(" (default: ", out);
            man_text(out, ls_env_rows[i].default_value);
            fputc(')', out);
        }
        fputs(".\n", out);
    }
    fputs(".TP\n.B NO_COLOR\nIf not empty, no colour is printed.\n.SH SEE ALSO\n.BR loadstone\\-record "
          "(1),\n.BR loadstone\\-resolve (1)\n",
          out);
}

ls_err cli_man_page(const char *name, FILE *out)
{
    static const char prefix[] = "loadstone-";
    if (strcmp(name, "loadstone") == 0) {
        man_program(out);
        return LS_OK;
    }
    if (strcmp(name, "loadstone-environment") == 0) {
        man_environment(out);
        return LS_OK;
    }
    const struct cli_command *c =
        strncmp(name, prefix, sizeof(prefix) - 1) == 0 ? cli_command_find(name + sizeof(prefix) - 1) : NULL;
    if (!c) return ls_fail(LS_ERR_USAGE, "there is no page '%s'", name);
    man_command(c, out);
    return LS_OK;
}
