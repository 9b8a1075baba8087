/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion of command lines by bash, zsh and fish, from the option tables. */
#include "tools/cli/cli_command.h"
#include "analyse/an_dimension.h"

#include <stdbool.h>
#include <string.h>

/* ---- bash ---- */

/* case branch: the options of this command whose argument completes to `action` */
static void completion_branch(const struct cli_command *c, enum cli_type type, const char *action, FILE *out)
{
    const char *bar = "            ";
    for (size_t i = 0; i < c->options_len; i++) {
        const struct cli_option *o = &c->options[i];
        if (o->type != type || o->alone) continue;
        fprintf(out, "%s--%s", bar, o->name);
        if (o->letter) fprintf(out, "|-%c", o->letter);
        bar = "|";
    }
    if (*bar == '|') fprintf(out, ") %s; return ;;\n", action);
}

static void completion_choices(const struct cli_command *c, FILE *out)
{
    for (size_t i = 0; i < c->options_len; i++) {
        const struct cli_option *o = &c->options[i];
        if (o->type != CLI_CHOICE || o->alone) continue; /* the next word is not the option's value */
        fprintf(out, "            --%s", o->name);
        if (o->letter) fprintf(out, "|-%c", o->letter);
        fputs(") COMPREPLY=($(compgen -W '", out);
        for (const char *p = o->argument; *p; p++)
            fputc(*p == '|' ? ' ' : *p, out);
        fputs("' -- \"$cur\")); return ;;\n", out);
    }
}

/* Complete the last word of a comma-separated list of dimensions; for a filter, a dimension with =. */
static void completion_dimensions(const struct cli_command *c, FILE *out)
{
    char action[2048];
    size_t len = 0;
    for (const struct an_dimension *d = cli_dimensions; d->name; d++)
        len += (size_t)snprintf(action + len, sizeof(action) - len, " %s", d->name);
    char line[2300];
    snprintf(line, sizeof(line),
             "compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -P "
             "\"${cur%%\"${cur##*,}\"}\" -W '%s' -- \"${cur##*,}\"))",
             action + 1);
    completion_branch(c, CLI_DIMENSIONS, line, out);
    snprintf(line, sizeof(line),
             "compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -S = -W '%s' -- \"$cur\"))", action + 1);
    completion_branch(c, CLI_FILTERS, line, out);
}

static void completion_plain(const struct cli_command *c, FILE *out)
{
    static const enum cli_type plain[] = {CLI_TEXT,    CLI_TEXTS, CLI_BYTES, CLI_DURATION,
                                          CLI_PERCENT, CLI_LEAST, CLI_COUNT};
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
        completion_branch(c, plain[i], "COMPREPLY=()", out);
}

static void completion_command(const struct cli_command *c, FILE *out)
{
    fprintf(out, "    %s)\n        case $prev in\n", c->name);
    completion_branch(c, CLI_FILE, "COMPREPLY=($(compgen -f -- \"$cur\"))", out);
    completion_branch(c, CLI_FILES, "COMPREPLY=($(compgen -f -- \"$cur\"))", out);
    completion_branch(c, CLI_DIR, "COMPREPLY=($(compgen -d -- \"$cur\"))", out);
    completion_branch(c, CLI_SIGNAL, "COMPREPLY=($(compgen -A signal -- \"$cur\"))", out);
    completion_choices(c, out);
    completion_dimensions(c, out);
    completion_plain(c, out);
    fputs("            *) ;;\n        esac\n        options='", out);
    for (size_t i = 0; i < c->options_len; i++)
        fprintf(out, "--%s ", c->options[i].name);
    fputs("--help --help-all'\n", out);
    if (c->completes_programs)
        fputs("        if [[ $cur != -* ]]; then COMPREPLY=($(compgen -c -- \"$cur\") $(compgen -f -- "
              "\"$cur\")); return; fi\n",
              out);
    fputs("        ;;\n", out);
}

static void bash_completion(FILE *out)
{
    fputs(
        "# bash completion for loadstone; generated from its option tables, do not edit\n"
        "_loadstone()\n{\n    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options=\n"
        "    COMPREPLY=()\n    if ((COMP_CWORD == 1)); then\n        COMPREPLY=($(compgen -W '",
        out);
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        fprintf(out, "%s ", (*c)->name);
    fputs("--help --version' -- \"$cur\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n", out);
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        completion_command(*c, out);
    fputs("    esac\n    if [[ $cur == -* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n    else\n"
          "        COMPREPLY=($(compgen -f -- \"$cur\"))\n    fi\n}\n"
          "complete -o filenames -F _loadstone loadstone\n",
          out);
}

/* ---- zsh ---- */

/* Print text with a backslash before each of the characters in `special`; ' ends and begins the word again. */
static void print_escaped(const char *text, const char *special, FILE *out)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fprintf(out, strchr(special, *text) ? "\\%c" : "%c", *text);
    }
}

static void print_words(const char *choices, FILE *out)
{
    for (; *choices; choices++)
        fputc(*choices == '|' ? ' ' : *choices, out);
}

static void print_dimensions(const char *end, FILE *out)
{
    for (const struct an_dimension *d = cli_dimensions; d->name; d++)
        fprintf(out, " %s%s", d->name, end);
}

static bool is_repeatable(const struct cli_option *o)
{
    return o->type == CLI_FILTERS || o->type == CLI_TEXTS || o->type == CLI_FILES;
}

/* Write "NAME:action" for the argument of an option. */
static void zsh_argument(const struct cli_option *o, FILE *out)
{
    fputs(o->alone ? "::" : ":", out);
    print_escaped(o->type == CLI_CHOICE ? o->name : o->argument, ":[]\\", out);
    fputc(':', out);
    switch (o->type) {
    case CLI_FILE:
    case CLI_FILES:
        fputs("_files", out);
        break;
    case CLI_DIR:
        fputs("_files -/", out);
        break;
    case CLI_SIGNAL:
        fputs("_signals", out);
        break;
    case CLI_CHOICE:
        fputc('(', out);
        print_words(o->argument, out);
        fputc(')', out);
        break;
    case CLI_DIMENSIONS:
        fputs("_sequence compadd -", out);
        print_dimensions("", out);
        break;
    case CLI_FILTERS:
        fputs("compadd -S = -", out);
        print_dimensions("", out);
        break;
    default:
        fputc(' ', out);
    }
}

static void zsh_option(const struct cli_option *o, FILE *out)
{
    const char *end = o->type == CLI_FLAG ? "" : o->alone ? "=-" : "=";
    fputs("            ", out);
    if (is_repeatable(o))
        fputs("'*'", out);
    else if (o->letter)
        fprintf(out, "'(-%c --%s)'", o->letter, o->name);
    if (o->letter)
        fprintf(out, "{-%c%s,--%s%s}", o->letter, o->type == CLI_FLAG || o->alone ? "" : "+", o->name, end);
    else
        fprintf(out, "--%s%s", o->name, end);
    fputs("'[", out);
    print_escaped(o->help, ":[]\\", out);
    fputc(']', out);
    if (o->type != CLI_FLAG) zsh_argument(o, out);
    fputs("' \\\n", out);
}

static void zsh_completion(FILE *out)
{
    fputs(
        "#compdef loadstone\n# zsh completion for loadstone; generated from its option tables, do not edit\n"
        "local -a names\nif (( CURRENT == 2 )); then\n    names=(\n",
        out);
    for (const struct cli_command *const *c = cli_commands; *c; c++) {
        fprintf(out, "        '%s:", (*c)->name);
        print_escaped((*c)->summary, "\\", out);
        fputs("'\n", out);
    }
    fputs("    )\n    _describe command names\n    return\nfi\n"
          "shift words\n(( CURRENT-- ))\ncase $words[1] in\n",
          out);
    for (const struct cli_command *const *c = cli_commands; *c; c++) {
        fprintf(out, "    %s)\n        _arguments -s -S \\\n", (*c)->name);
        for (size_t i = 0; i < (*c)->options_len; i++)
            zsh_option(&(*c)->options[i], out);
        fputs(
            "            '(- *)'{-h,--help}'[show the usual options]' '(- *)--help-all[show all options]' \\\n",
            out);
        fprintf(out, "            '%s'\n        ;;\n",
                (*c)->completes_programs ? "*::program:_normal" : "*:file:_files");
    }
    fputs("esac\n", out);
}

/* ---- fish ---- */

static void fish_description(const char *text, FILE *out)
{
    fputs(" -d '", out);
    for (; *text; text++)
        fprintf(out, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    fputs("'\n", out);
}

static void fish_option(const struct cli_command *c, const struct cli_option *o, FILE *out)
{
    fprintf(out, "complete -c loadstone -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
    if (o->letter) fprintf(out, " -s %c", o->letter);
    switch (o->type) {
    case CLI_FLAG:
        break;
    case CLI_FILE:
    case CLI_FILES:
        fputs(" -r -F", out);
        break;
    case CLI_DIR:
        fputs(" -x -a '(__fish_complete_directories)'", out);
        break;
    case CLI_CHOICE:
        fputs(o->alone ? " -f -a '" : " -x -a '", out);
        print_words(o->argument, out);
        fputc('\'', out);
        break;
    case CLI_SIGNAL:
        fputs(" -x -a '(kill -l | string split \" \")'", out);
        break;
    case CLI_DIMENSIONS:
        fputs(" -x -a '(__fish_append ,", out);
        print_dimensions("", out);
        fputs(")'", out);
        break;
    case CLI_FILTERS:
        fputs(" -x -a '", out);
        print_dimensions("=", out);
        fputc('\'', out);
        break;
    default:
        fputs(o->alone ? " -f" : " -x", out);
    }
    fish_description(o->help, out);
}

static void fish_completion(FILE *out)
{
    fputs("# fish completion for loadstone; generated from its option tables, do not edit\n", out);
    for (const struct cli_command *const *c = cli_commands; *c; c++) {
        fprintf(out, "complete -c loadstone -n __fish_use_subcommand -f -a %s", (*c)->name);
        fish_description((*c)->summary, out);
    }
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        for (size_t i = 0; i < (*c)->options_len; i++)
            fish_option(*c, &(*c)->options[i], out);
    fputs("complete -c loadstone -l help -s h -d 'show the usual options'\n"
          "complete -c loadstone -l help-all -d 'show all options'\n"
          "complete -c loadstone -n __fish_use_subcommand -l version -d 'show the version'\n",
          out);
}

/* ---- by name ---- */

ls_err cli_completion(const char *shell, FILE *out)
{
    static const struct {
        const char *name;
        void (*print)(FILE *out);
    } shells[] = {{"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};
    for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
        if (strcmp(shells[i].name, shell) != 0) continue;
        shells[i].print(out);
        return LS_OK;
    }
    return ls_fail(LS_ERR_USAGE, "there is no completion for '%s', only for bash, zsh and fish", shell);
}
