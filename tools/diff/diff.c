/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone diff: prints the changes between two sides of one or several recordings. */
#include "tools/cli/cli_findings.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_term.h"
#include "tools/diff/diff_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIFF_BY,
    DIFF_WHERE,
    DIFF_SORT,
    DIFF_LIMIT,
    DIFF_MIN_SHARE,
    DIFF_FAIL,
    DIFF_FORMAT,
    DIFF_JSON,
    DIFF_OPTIONS
};
enum diff_format { DIFF_TEXT, DIFF_FORMAT_JSON, DIFF_SARIF, DIFF_GITHUB };

static const struct cli_option diff_options_table[DIFF_OPTIONS] = {
    [DIFF_BY] = {"by", 'b', CLI_DIMENSIONS, "DIMENSION[,DIMENSION...]", "object",
                 "dimension of the rows; several dimensions: their combinations", "Rows"},
    [DIFF_WHERE] = {"where", 'w', CLI_FILTERS, "DIMENSION=VALUE[,VALUE...]", NULL,
                    "only samples with one of these values, as in loadstone report", "Rows"},
    [DIFF_SORT] = {"sort", 's', CLI_CHOICE, "change|time|label", "change",
                   "order of the rows: absolute change of time, time in the longer run, name", "Rows"},
    [DIFF_LIMIT] = {"limit", 'l', CLI_COUNT, "COUNT", "25", "rows to show", "Rows"},
    [DIFF_MIN_SHARE] = {"min-share", 'm', CLI_LEAST, "PERCENT", "0.1%",
                        "leave out rows below this share of time in both runs", "Rows"},
    [DIFF_FAIL] =
        {"fail-on-regression", 0, CLI_PERCENT, "PERCENT", NULL,
         "exit with status 4 when the time of a row grew significantly, by more than this share of A's time",
         "Output"},
    [DIFF_FORMAT] =
        {"format", 'f', CLI_CHOICE, "text|json|sarif|github", "text",
         "text, JSON, or the rows of --fail-on-regression as SARIF 2.1.0 or as annotations of GitHub "
         "Actions",
         "Output"},
    [DIFF_JSON] = {"json", 'j', CLI_FLAG, NULL, NULL, "--format json: schema 1, shares as fractions of 1",
                   "Output"},
};

/* Print the next command, with the operands as they were given. */
static void diff_next(const struct diff_view *v)
{
    const struct diff_options *o = &v->options;
    char *text = NULL;
    size_t bytes = 0;
    if (strcmp(o->by, "line") == 0) {
        cli_next("loadstone report --by line %s", cli_quote(o->paths[1][0]));
        return;
    }
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return;
    for (int side = 0; side < 2; side++) {
        if (side == 1 && o->paths_len[0] + o->paths_len[1] > 2) fputs(" --", out);
        for (size_t i = 0; i < o->paths_len[side]; i++)
            fprintf(out, " %s", cli_quote(o->paths[side][i]));
    }
    if (fclose(out) == 0) cli_next("loadstone diff --by line%s", text);
    free(text);
}

/* ---- regressions ---- */

struct diff_found {
    struct diff_row *rows;
    size_t len;
};

enum { DIFF_SENTENCE_BYTES = 512 };

static ls_err diff_fill_finding(const struct diff_view *v, const struct diff_row *row,
                                char text[DIFF_SENTENCE_BYTES], struct cli_finding *out)
{
    const struct an_change *t = &row->change.time_ns;
    char a[CLI_CELL_BYTES], b[CLI_CELL_BYTES], margin[CLI_CELL_BYTES];
    const struct prof_line *line;
    LS_TRY(diff_line_of(v, row->change.row, &line));
    snprintf(text, DIFF_SENTENCE_BYTES, "%.300s: %s -> %s of CPU time (change +-%s)", row->label,
             cli_format_time(a, t->a), cli_format_time(b, t->b),
             cli_format_time(margin, an_change_margin(t)));
    *out = (struct cli_finding){.rule = "memory-time",
                                .message = text,
                                .file = line ? line->file : NULL,
                                .line = line ? line->line : 0};
    return LS_OK;
}

static ls_err diff_print_findings(const struct diff_view *v, const struct diff_found *found,
                                  enum diff_format format)
{
    struct cli_finding *rows = calloc(found->len + 1, sizeof(*rows));
    char(*texts)[DIFF_SENTENCE_BYTES] = calloc(found->len + 1, sizeof(*texts));
    ls_err err = rows && texts ? LS_OK : ls_nomem("%zu findings", found->len);
    for (size_t i = 0; err == LS_OK && i < found->len; i++)
        err = diff_fill_finding(v, &found->rows[i], texts[i], &rows[i]);
    if (err == LS_OK)
        (format == DIFF_SARIF ? cli_findings_sarif : cli_findings_github)(rows, found->len, stdout);
    free(rows);
    free(texts);
    return err;
}

static int diff_finish(const struct diff_view *v, const struct cli_value *values, size_t regressions)
{
    char warnings[DIFF_WARNINGS_MAX][DIFF_WARNING_BYTES];
    const size_t len = diff_warnings(v, warnings);
    fflush(stdout);
    for (size_t i = 0; i < len; i++)
        cli_warn("%s", warnings[i]);
    if (regressions == 0) {
        diff_next(v);
        return CLI_OK;
    }
    cli_error("%zu row%s took significantly more time in B, by more than %.3g %% of A's", regressions,
              regressions == 1 ? "" : "s", values[DIFF_FAIL].share * 100);
    return CLI_REGRESSION;
}

static int diff_print(const struct diff_view *v, const struct cli_value *values, enum diff_format format)
{
    struct diff_found found = {0};
    ls_err err = LS_OK;
    if (values[DIFF_FAIL].given) err = diff_regressions(v, values[DIFF_FAIL].share, &found.rows, &found.len);
    if (err == LS_OK && format >= DIFF_SARIF)
        err = diff_print_findings(v, &found, format);
    else if (err == LS_OK)
        (format == DIFF_TEXT ? diff_print_text : diff_print_json)(v, stdout);
    free(found.rows);
    return err == LS_OK ? diff_finish(v, values, found.len) : cli_fail(err);
}

/* Parse the operands: A B, or the runs of A and of B with "--" between them.
 * Errors: LS_ERR_USAGE. */
static ls_err diff_split(char **operands, struct diff_options *out)
{
    size_t len = 0, at = 0;
    for (; operands[len]; len++) {
        if (strcmp(operands[len], "--") != 0) continue;
        if (at) return ls_fail(LS_ERR_USAGE, "there are two sides: give -- once");
        at = len;
    }
    if (!at && len > 2)
        return ls_fail(LS_ERR_USAGE,
                       "several runs per side need -- between the sides: loadstone diff A1 A2 -- B1 B2");
    if (at && at + 1 == len) return ls_fail(LS_ERR_USAGE, "no runs of B after --");
    out->paths[0] = operands;
    out->paths_len[0] = at ? at : 1;
    out->paths[1] = operands + (at ? at + 1 : 1);
    out->paths_len[1] = at ? len - at - 1 : 1;
    return LS_OK;
}

static int diff_run_command(const struct cli_command *c, const struct cli_value *v, char **operands)
{
    (void)c;
    struct diff_options options = {.by = v[DIFF_BY].text,
                                   .where = v[DIFF_WHERE].all,
                                   .where_len = v[DIFF_WHERE].all_len,
                                   .sort = (enum diff_sort)v[DIFF_SORT].number,
                                   .limit = v[DIFF_LIMIT].number,
                                   .min_share = v[DIFF_MIN_SHARE].share};
    const enum diff_format format =
        v[DIFF_JSON].given ? DIFF_FORMAT_JSON : (enum diff_format)v[DIFF_FORMAT].number;
    struct diff_view view;
    options.with_lines = format >= DIFF_SARIF;
    ls_err err = diff_split(operands, &options);
    if (err == LS_OK && options.with_lines && !v[DIFF_FAIL].given)
        err = ls_fail(LS_ERR_USAGE, "--format %s prints regressions: give --fail-on-regression, too",
                      v[DIFF_FORMAT].text);
    if (err != LS_OK) return cli_fail(err);
    err = diff_view_init(&view, &options);
    const int status = err == LS_OK ? diff_print(&view, v, format) : cli_fail(err);
    diff_view_fini(&view);
    return status;
}

const struct cli_command cli_cmd_diff = {
    .name = "diff",
    .summary = "compare recordings and mark significant changes",
    .operands = "A B | A... -- B...",
    .description =
        "Compares recording A (before) with recording B (after), or several runs of each with -- between them. Rows are matched by name: the "
        "path of a range, the call path of an allocation, the name of a variable, a function or a "
        "thread. Addresses, process numbers and the name of the program's file do not matter, and "
        "a name whose line number changed is still matched if it is unambiguous.\n\n"
        "Times are CPU time in accesses to the data, scaled from the sampled bursts; stall is the "
        "estimated part that waits for memory. Changes come with the distance to the end of their 95 % interval "
        "that is nearer to zero, from a bootstrap over the bursts of both runs. A change in parentheses is not "
        "significant: the samples cannot distinguish it from chance. A row without samples in one "
        "run is new, or gone, if that run would have sampled it.\n\n"
        "With one run per side the intervals contain the error of sampling only, not the variation between "
        "runs of the program. With several, values are means over the runs of a side, and the intervals also "
        "hold Welch's t interval of these means, so that a change must exceed what repeated runs differ by. "
        "Three runs per side are usually enough; if one side has a single run, it is taken to vary like the "
        "other side.",
    .examples = "loadstone diff before.h5 after.h5\nloadstone diff a1.h5 a2.h5 a3.h5 -- b1.h5 b2.h5 b3.h5\n"
                "loadstone diff --by function,line before.h5 after.h5\n"
                "loadstone diff --fail-on-regression 5% before.h5 after.h5\n"
                "loadstone diff --fail-on-regression 5% --format sarif before.h5 after.h5 >found.sarif\n",
    .exit_status =
        "0 success; 1 failure; 2 wrong usage; 3 bad input; 4 with --fail-on-regression: a regression.",
    .options = diff_options_table,
    .options_len = DIFF_OPTIONS,
    .operands_min = 2,
    .operands_max = (size_t)-1,
    .separates_operands = true,
    .reads_profiles = true,
    .run = diff_run_command,
};
