/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone patterns: finds what is to be done; each row of ptn_actions is a file of its own. */
#include "tools/cli_message.h"
#include "tools/ptn_actions.h"

#include <string.h>

enum { PTN_OPERANDS_MAX = 65 };

static const struct cli_option patterns_options[PTN_OPTIONS] = {
    [PTN_CONFIG] = {"config", 'c', CLI_COUNT, "NUMBER", NULL, "only this configuration, counted from 0",
                    "Patterns"},
    [PTN_COMPRESS] = {"compress", 0, CLI_FLAG, NULL, NULL, "renumber pages as replay --compress does",
                      "Patterns"},
    [PTN_PLOT] = {"plot", 'p', CLI_CHOICE, "all|offsets|deltas|histogram", "all",
                  "what is drawn: indices in order, distances in order, how often each distance occurs",
                  "Output"},
    [PTN_OUTPUT] = {"output", 'o', CLI_FILE, "FILE", NULL, "draw to this file: .svg, .png or .html",
                    "Output"},
    [PTN_JSON] = {"json", 'j', CLI_FLAG, NULL, NULL, "print JSON, schema 1", "Output"},
    [PTN_FORCE] = {"force", 'f', CLI_FLAG, NULL, NULL, "overwrite the output file", "Output"},
};

static const struct ptn_action *const ptn_actions[] = {
    &ptn_action_show,
};
enum { PTN_ACTIONS = sizeof(ptn_actions) / sizeof(ptn_actions[0]) };

static size_t ptn_operands_len(char **operands)
{
    size_t n = 0;
    while (operands[n])
        n++;
    return n;
}

/* "show FILE.json, diff A B" */
static void ptn_actions_text(char *out, size_t room)
{
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; i < PTN_ACTIONS; i++) {
        const size_t len =
            strlen(ptn_actions[i]->name) + strlen(ptn_actions[i]->operands) + (i ? 3 : 1); /* blank, comma */
        if (n + len >= room) return;
        if (i) n = (size_t)(stpcpy(out + n, ", ") - out);
        n = (size_t)(stpcpy(out + n, ptn_actions[i]->name) - out);
        out[n++] = ' ';
        n = (size_t)(stpcpy(out + n, ptn_actions[i]->operands) - out);
    }
}

static int patterns_run(const struct cli_command *c, const struct cli_value *v, char **operands)
{
    (void)c;
    char known[256];
    const size_t len = ptn_operands_len(operands);
    for (size_t i = 0; i < PTN_ACTIONS; i++) {
        const struct ptn_action *a = ptn_actions[i];
        if (strcmp(operands[0], a->name) != 0) continue;
        if (len - 1 >= a->operands_min && len - 1 <= a->operands_max) return a->run(v, operands + 1, len - 1);
        cli_error("patterns %s takes %s; see loadstone patterns --help", a->name, a->operands);
        return CLI_USAGE;
    }
    ptn_actions_text(known, sizeof(known));
    cli_error("'%s' is nothing that patterns does; it does: %s", operands[0], known);
    return CLI_USAGE;
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
    .options_len = PTN_OPTIONS,
    .operands_min = 2,
    .operands_max = PTN_OPERANDS_MAX,
    .run = patterns_run,
};
