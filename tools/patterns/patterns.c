/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone patterns: finds and runs the action; each row of ptn_actions has its own file. */
#include "patterns/source/pat_source.h"
#include "tools/cli/cli_message.h"
#include "tools/patterns/ptn_actions.h"

#include <string.h>
#include <unistd.h>

enum { PTN_OPERANDS_MAX = 4096 };

/* clang-format off */
static const struct cli_option patterns_options[PTN_OPTIONS] = {
    [PTN_FORMAT] = {"format", 0, CLI_CHOICE, PAT_SOURCE_NAMES, NULL, "format of INPUT, instead of recognising it",
                    "Input"},
    [PTN_BINARY] = {"binary", 0, CLI_FILES, "FILE[@BASE]", NULL,
                    "program or library that a trace of another tool ran, and the address where it was loaded, in "
                    "hexadecimal: its functions and lines get names; may be given several times", "Input"},
    [PTN_ARRAYS] = {"arrays", 0, CLI_FILE, "FILE", NULL,
                    "names of the memory that warps of a GPU touch: a profile of the traced run, with its memory of devices, or a text "
                    "with a line START LENGTH NAME for each array", "Input"},
    [PTN_MEMORY] = {"memory", 0, CLI_BYTES, "BYTES", "1G", "memory that extraction may use", "Input", .least = 1 << 20},
    [PTN_BY_THREAD] = {"by-thread", 0, CLI_FLAG, NULL, NULL,
                       "find a pattern for each thread, instead of one for all threads that do the same", "Input"},
    [PTN_MODE] = {"mode", 'm', CLI_CHOICE, "cost|paper|v1|v2", "cost",
                  "which patterns: the costliest, or the ones that the filters of the GS Patterns paper, or "
                  "of its version 1 or 2, keep", "Patterns"},
    [PTN_TOP] = {"top", 't', CLI_COUNT, "COUNT", NULL, "number of patterns, the costliest first (64, 10 of them printed); in the published modes: of each kind",
                 "Patterns", .least = 1},
    [PTN_MIN_ACCESSES] = {"min-accesses", 0, CLI_COUNT, "COUNT", NULL, "only patterns with at least this number of accesses", "Patterns", .least = 1},
    [PTN_MIN_DISTANCES] = {"min-distances", 0, CLI_COUNT, "COUNT", NULL,
                           "only patterns with at least this number of different distances, or those that --min-far selects", "Patterns", .least = 1},
    [PTN_MIN_FAR] = {"min-far", 0, CLI_PERCENT, "PERCENT", NULL, "only patterns with at least this share of far distances, or those that --min-distances selects", "Patterns"},
    [PTN_FAR] = {"far", 0, CLI_COUNT, "ELEMENTS", NULL, "smallest distance that is far (published modes: 513)", "Patterns", .least = 1},
    [PTN_WINDOW_ROWS] = {"window-rows", 0, CLI_COUNT, "COUNT", NULL,
                         "instructions in a window of the published modes (1024)", "Patterns", .least = 1},
    [PTN_WINDOW_BYTES] = {"window-bytes", 0, CLI_COUNT, "BYTES", NULL,
                          "bytes of the accesses of one instruction in such a window (64)", "Patterns", .least = 1},
    [PTN_TRIVIAL] = {"trivial", 0, CLI_FLAG, NULL, NULL, "also print patterns whose distances are only -1, 0 and 1", "Patterns"},
    [PTN_LONGEST] = {"longest", 0, CLI_COUNT, "COUNT", NULL, "largest number of indices of a pattern (default: one for each 64 bytes of --memory)", "Patterns", .least = 1},
    [PTN_NO_SYMBOLS] = {"no-symbols", 0, CLI_FLAG, NULL, NULL, "do not look for names of functions and lines",
                        "Patterns"},
    [PTN_LOADER] = {"loader", 0, CLI_FLAG, NULL, NULL,
                    "also print patterns of the dynamic loader, which otherwise share one line", "Patterns"},
    [PTN_NO_JOIN] = {"no-join", 0, CLI_FLAG, NULL, NULL,
                     "find a pattern for each instruction, even if several alternate on the same data", "Patterns"},
    [PTN_NO_INDEX_LOADS] = {"no-index-loads", 0, CLI_FLAG, NULL, NULL,
                            "leave out loads of the indices of another pattern, because its replay reads an index "
                            "list in their place",
                            "Patterns"},
    [PTN_SEED] = {"seed", 0, CLI_COUNT, "NUMBER", "1", "seed of patterns that are drawn from a distribution", "Patterns", .least = 1},
    [PTN_CONFIG] = {"config", 'c', CLI_COUNT, "NUMBER", NULL, "only this configuration, counted from 0", "show"},
    [PTN_COMPRESS] = {"compress", 0, CLI_FLAG, NULL, NULL, "renumber pages as replay --compress does", "show"},
    [PTN_WITHIN] = {"within", 'w', CLI_PERCENT, "PERCENT", NULL,
                    "share of the largest possible distance within which patterns are alike: diff matches alike "
                    "patterns without a common name (10%), groups puts them into one group (5%)", "diff and groups"},
    [PTN_BY_DISTANCE] = {"by-distance", 0, CLI_FLAG, NULL, NULL, "diff: match by distance only, not by name",
                         "diff and groups"},
    [PTN_MEMBERS] = {"members", 0, CLI_FLAG, NULL, NULL, "groups: list the patterns of each group", "diff and groups"},
    [PTN_OUTPUT] = {"output", 'o', CLI_FILE, "FILE", NULL,
                    "write the patterns to this file (--to); .svg, .png or .html: draw them there", "Output"},
    [PTN_TO] = {"to", 0, CLI_CHOICE, "json|spatter|gs-patterns|gem5|drmemtrace|lackey", "json",
                "format: for loadstone replay, only features of Spatter 2, the files of GS Patterns, gem5's traffic generator; or all accesses of the trace as DynamoRIO's or valgrind's tools record them",
                "Output"},
    [PTN_PICTURE] = {"picture", 0, CLI_FILE, "FILE", NULL, "draw to this file, too", "Output"},
    [PTN_PLOT] = {"plot", 'p', CLI_CHOICE, "all|offsets|deltas|histogram", "all",
                  "pictures: indices in order, distances in order, frequency of each distance", "Output"},
    [PTN_JSON] = {"json", 'j', CLI_FLAG, NULL, NULL, "print JSON, schema 1", "Output"},
    [PTN_CSV] = {"csv", 0, CLI_FLAG, NULL, NULL, "sectors: print comma-separated values", "Output"},
    [PTN_FORCE] = {"force", 'f', CLI_FLAG, NULL, NULL, "overwrite output files", "Output"},
};
/* clang-format on */

static const struct ptn_action *const ptn_actions[] = {
    &ptn_action_show,
    &ptn_action_diff,
    &ptn_action_groups,
    &ptn_action_sectors,
};
static const struct cli_action *const patterns_actions[] = {
    &ptn_action_show.about, &ptn_action_diff.about, &ptn_action_groups.about, &ptn_action_sectors.about, NULL,
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
        const size_t len = strlen(ptn_actions[i]->about.name) + strlen(ptn_actions[i]->about.operands) +
                           (i ? 3 : 1); /* blank, comma */
        if (n + len >= room) return;
        if (i) n = (size_t)(stpcpy(out + n, ", ") - out);
        n = (size_t)(stpcpy(out + n, ptn_actions[i]->about.name) - out);
        out[n++] = ' ';
        n = (size_t)(stpcpy(out + n, ptn_actions[i]->about.operands) - out);
    }
}

static int patterns_usage(const struct ptn_action *a)
{
    cli_error("patterns %s takes %s; see loadstone patterns %s --help", a->about.name, a->about.operands,
              a->about.name);
    return CLI_USAGE;
}

/* Run the action. */
static int patterns_do(const struct ptn_action *a, const struct cli_value *v, char **operands, size_t len)
{
    if (len < a->operands_min || len > a->operands_max) return patterns_usage(a);
    const int status = cli_options_check(&cli_cmd_patterns, v, a->about.options,
                                         *a->about.name ? a->about.name : a->about.operands);
    return status == CLI_OK ? a->run(v, operands, len) : status;
}

static int patterns_run(const struct cli_command *c, const struct cli_value *v, char **operands)
{
    (void)c;
    char known[256];
    const size_t len = ptn_operands_len(operands);
    const bool is_there = access(operands[0], F_OK) == 0;
    for (size_t i = 0; i < PTN_ACTIONS; i++) {
        if (strcmp(operands[0], ptn_actions[i]->about.name) != 0) continue;
        if (len > 1) return patterns_do(ptn_actions[i], v, operands + 1, len - 1);
        if (!is_there) return patterns_usage(ptn_actions[i]);
    }
    if (is_there || len == 1) return patterns_do(&ptn_action_extract, v, operands, len);
    ptn_actions_text(known, sizeof(known));
    cli_error("'%s' is neither an existing INPUT nor an action of patterns; actions: %s", operands[0], known);
    return CLI_USAGE;
}

const struct cli_command cli_cmd_patterns = {
    .name = "patterns",
    .summary = "find gather/scatter patterns in a recording or a trace, show and compare them",
    .operands = "INPUT... | show FILE.json | diff A B | groups FILE... | sectors FILE",
    .description =
        "Finds the patterns in which instructions access data, and prints the costliest first. INPUT is a "
        "profile with bursts (run.h5), a trace of loadstone trace, or a trace of another tool; several files, or "
        "a folder, are one input, for tracers that write a file per thread.\n\n"
        "The accesses of each instruction to each piece of data become indices of its elements, with the load "
        "that gives such an index. If possible, the indices are compacted to a pattern, a distance and a count "
        "without loss; they are classified and measured. With -o the patterns are written for loadstone replay or "
        "other programs, or drawn.\n\n"
        "If the first of several operands is one of the following words, it selects an action.",
    .examples =
        "loadstone patterns run.h5 -o P.json && loadstone replay P.json   from a recording to a benchmark\n"
        "loadstone patterns run.h5 --top 5 -o P.html             pictures of the five costliest\n"
        "loadstone patterns prog.trace --to gem5 -o P.py         for gem5's traffic generator\n"
        "loadstone patterns drmemtrace.gz --mode paper --to gs-patterns -o P.json\n"
        "loadstone patterns memtrace.app.*.log --binary ./app@0x555555554000   a file a thread, with names\n",
    .actions = patterns_actions,
    .options = patterns_options,
    .options_len = PTN_OPTIONS,
    .operands_min = 1,
    .operands_max = PTN_OPERANDS_MAX,
    .reads_profiles = true,
    .run = patterns_run,
};
