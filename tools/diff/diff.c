/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone diff: prints the changes between two recordings. */
#include "tools/cli/cli_message.h"
#include "tools/diff/diff_view.h"

#include <string.h>

enum { DIFF_BY, DIFF_WHERE, DIFF_SORT, DIFF_LIMIT, DIFF_MIN_SHARE, DIFF_FAIL, DIFF_JSON, DIFF_OPTIONS };

static const struct cli_option diff_options_table[DIFF_OPTIONS] = {
    [DIFF_BY] = {"by", 'b', CLI_DIMENSIONS, "DIMENSION[,DIMENSION...]", "object",
                 "dimension of the rows; several dimensions: their combinations", "Rows"},
    [DIFF_WHERE] = {"where", 'w', CLI_FILTERS, "DIMENSION=VALUE[,VALUE...]", NULL,
                    "only samples with one of these values, as in loadstone report", "Rows"},
    [DIFF_SORT] = {"sort", 's', CLI_CHOICE, "change|time|label", "change",
                   "order of the rows: absolute change of time, time in the longer run, name", "Rows"},
    [DIFF_LIMIT] = {"limit", 'l', CLI_COUNT, "COUNT", "25", "rows to show", "Rows"},
    [DIFF_MIN_SHARE] = {"min-share", 'm', CLI_PERCENT, "PERCENT", "0.1%",
                        "leave out rows below this share of time in both runs", "Rows"},
    [DIFF_FAIL] =
        {"fail-on-regression", 0, CLI_PERCENT, "PERCENT", NULL,
         "exit with status 4 when the time of a row grew significantly, by more than this share of A's time",
         "Output"},
    [DIFF_JSON] = {"json", 'j', CLI_FLAG, NULL, NULL, "print JSON, schema 1, shares as fractions of 1",
                   "Output"},
};

static int diff_finish(const struct diff_view *v, const struct cli_value *values)
{
    char warnings[DIFF_WARNINGS_MAX][DIFF_WARNING_BYTES];
    const size_t len = diff_warnings(v, warnings);
    fflush(stdout);
    for (size_t i = 0; i < len; i++)
        cli_warn("%s", warnings[i]);
    const double limit = values[DIFF_FAIL].share;
    const size_t regressions = values[DIFF_FAIL].given ? diff_regressions(v, limit) : 0;
    if (regressions > 0) {
        cli_error("%zu row%s took significantly more time in B, by more than %.3g %% of A's", regressions,
                  regressions == 1 ? "" : "s", limit * 100);
        return CLI_REGRESSION;
    }
    if (strcmp(v->options.by, "line") == 0)
        cli_next("loadstone report --by line %s", cli_quote(v->options.paths[1]));
    else
        cli_next("loadstone diff --by line %s %s", cli_quote(v->options.paths[0]),
                 cli_quote(v->options.paths[1]));
    return CLI_OK;
}

static int diff_run_command(const struct cli_command *c, const struct cli_value *v, char **operands)
{
    (void)c;
    const struct diff_options options = {.paths = {operands[0], operands[1]},
                                         .by = v[DIFF_BY].text,
                                         .where = v[DIFF_WHERE].all,
                                         .where_len = v[DIFF_WHERE].all_len,
                                         .sort = (enum diff_sort)v[DIFF_SORT].number,
                                         .limit = v[DIFF_LIMIT].number,
                                         .min_share = v[DIFF_MIN_SHARE].share};
    struct diff_view view;
    const ls_err err = diff_view_init(&view, &options);
    int status = CLI_OK;
    if (err == LS_OK) {
        (v[DIFF_JSON].given ? diff_print_json : diff_print_text)(&view, stdout);
        status = diff_finish(&view, v);
    } else {
        status = cli_fail(err);
    }
    diff_view_fini(&view);
    return status;
}

const struct cli_command cli_cmd_diff = {
    .name = "diff",
    .summary = "compare two recordings and mark significant changes",
    .operands = "A B",
    .description =
        "Compares recording A (before) with recording B (after). Rows are matched by name: the "
        "path of a range, the call path of an allocation, the name of a variable, a function or a "
        "thread. Addresses, process numbers and the name of the program's file do not matter, and "
        "a name whose line number changed is still matched if it is unambiguous.\n\n"
        "Times are CPU time in accesses to the data, scaled from the sampled bursts; stall is the "
        "estimated part that waits for memory. Changes come with half the width of their 95 "
        "% interval, from a bootstrap over the bursts of both runs. A change in parentheses is not "
        "significant: the samples cannot distinguish it from chance. A row without samples in one "
        "run is new, or gone, if that run would have sampled it. The intervals contain the error "
        "of sampling only, not the variation between runs of the program.",
    .examples = "loadstone diff before.h5 after.h5\nloadstone diff --by function,line before.h5 after.h5\n"
                "loadstone diff --fail-on-regression 5% before.h5 after.h5\n",
    .exit_status =
        "0 success; 1 failure; 2 wrong usage; 3 bad input; 4 with --fail-on-regression: a regression.",
    .options = diff_options_table,
    .options_len = DIFF_OPTIONS,
    .operands_min = 2,
    .operands_max = 2,
    .reads_profiles = true,
    .run = diff_run_command,
};
