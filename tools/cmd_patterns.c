/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone patterns show: what gather/scatter patterns look like, in words and pictures. */
#include "patterns/pat_json.h"
#include "patterns/pat_transform.h"
#include "tools/cli_message.h"
#include "tools/cli_output.h"
#include "tools/psh_print.h"
#include "viz-export/vx_chart.h"

#include <string.h>

enum {
    PATTERNS_CONFIG,
    PATTERNS_COMPRESS,
    PATTERNS_PLOT,
    PATTERNS_OUTPUT,
    PATTERNS_JSON,
    PATTERNS_FORCE,
    PATTERNS_OPTIONS
};

static const struct cli_option patterns_options[PATTERNS_OPTIONS] = {
    [PATTERNS_CONFIG] = {"config", 'c', CLI_COUNT, "NUMBER", NULL, "only this configuration, counted from 0",
                         "Patterns"},
    [PATTERNS_COMPRESS] = {"compress", 0, CLI_FLAG, NULL, NULL, "renumber pages as replay --compress does",
                           "Patterns"},
    [PATTERNS_PLOT] = {"plot", 'p', CLI_CHOICE, "all|offsets|deltas|histogram", "all",
                       "what is drawn: indices in order, distances in order, how often each distance occurs",
                       "Output"},
    [PATTERNS_OUTPUT] = {"output", 'o', CLI_FILE, "FILE", NULL, "draw to this file: .svg, .png or .html",
                         "Output"},
    [PATTERNS_JSON] = {"json", 'j', CLI_FLAG, NULL, NULL, "print JSON, schema 1", "Output"},
    [PATTERNS_FORCE] = {"force", 'f', CLI_FLAG, NULL, NULL, "overwrite the output file", "Output"},
};

static void patterns_note(void *user, const char *text)
{
    (void)user;
    cli_warn("%s", text);
}

static ls_err patterns_read(const struct cli_value *v, const char *path, struct pat_suite *s,
                            struct psh_range *range)
{
    const struct pat_json_options o = {.compress = v[PATTERNS_COMPRESS].given, .note = patterns_note};
    LS_TRY(pat_json_read_file(path, &o, s));
    *range = (struct psh_range){0, s->len};
    if (!v[PATTERNS_CONFIG].given) return LS_OK;
    if (v[PATTERNS_CONFIG].number >= s->len)
        return ls_fail(LS_ERR_USAGE, "--config: there is no configuration %s; %s has 0 to %zu",
                       v[PATTERNS_CONFIG].text, path, s->len - 1);
    *range = (struct psh_range){v[PATTERNS_CONFIG].number, v[PATTERNS_CONFIG].number + 1};
    return LS_OK;
}

static ls_err patterns_show(const struct cli_value *v, const char *path, struct pat_suite *s)
{
    struct psh_range range;
    const char *picture = v[PATTERNS_OUTPUT].text;
    if (picture) {
        LS_TRY(vx_page_check(picture));
        LS_TRY(cli_output_check(picture, v[PATTERNS_FORCE].given));
    }
    LS_TRY(patterns_read(v, path, s, &range));
    LS_TRY(v[PATTERNS_JSON].given ? psh_print_json(s, range, stdout) : psh_print(s, range, stdout));
    fflush(stdout);
    if (!picture) {
        cli_next("loadstone patterns show %s -o patterns.html", cli_quote(path));
        return LS_OK;
    }
    LS_TRY(psh_plot(s, range, (enum psh_what)v[PATTERNS_PLOT].number, path, picture));
    cli_note("drawn: %s", picture);
    cli_next("loadstone replay %s", cli_quote(path));
    return LS_OK;
}

static int patterns_run(const struct cli_command *c, const struct cli_value *v, char **operands)
{
    (void)c;
    struct pat_suite s = {0};
    if (strcmp(operands[0], "show") != 0) {
        cli_error("'%s' is nothing that patterns does; it does: show FILE.json", operands[0]);
        return CLI_USAGE;
    }
    const ls_err err = patterns_show(v, operands[1], &s);
    pat_suite_fini(&s);
    return err == LS_OK ? CLI_OK : cli_fail(err);
}

const struct cli_command cli_cmd_patterns = {
    .name = "patterns",
    .summary = "show what gather/scatter patterns look like",
    .operands = "show FILE.json",
    .description = "Prints each configuration of a pattern file: its shape, how far it reaches, how much "
                   "memory replaying "
                   "it takes, and which distances from index to index are most frequent. With -o it draws "
                   "the indices and "
                   "the distances in order, and how often each distance occurs.",
    .examples =
        "loadstone patterns show lulesh.json\n"
        "loadstone patterns show amg.json --config 1 -o amg.svg   a picture of the second configuration\n"
        "loadstone patterns show amg.json --plot offsets -o amg.png\n",
    .options = patterns_options,
    .options_len = PATTERNS_OPTIONS,
    .operands_min = 2,
    .operands_max = 2,
    .run = patterns_run,
};
