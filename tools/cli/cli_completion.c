/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/cli/cli_command.h"
#include "analyse/an_dimension.h"

#include <string.h>

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
        if (o->type != CLI_CHOICE || o->alone) continue; /* the next word is not its value */
        fprintf(out, "            --%s", o->name);
        if (o->letter) fprintf(out, "|-%c", o->letter);
        fputs(") COMPREPLY=($(compgen -W '", out);
        for (const char *p = o->argument; *p; p++)
            fputc(*p == '|' ? ' ' : *p, out);
        fputs("' -- \"$cur\")); return ;;\n", out);
    }
}

/* The last word of a comma-separated list of dimensions; a dimension with = for a filter. */
static void completion_dimensions(const struct cli_command *c, FILE *out)
{
    char action[2048];
    size_t len = 0;
    for (const struct an_dimension *d = an_dimensions; d->name; d++)
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
    static const enum cli_type plain[] = {CLI_TEXT,     CLI_TEXTS,   CLI_BYTES,
                                          CLI_DURATION, CLI_PERCENT, CLI_COUNT};
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

void cli_bash_completion(FILE *out)
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
