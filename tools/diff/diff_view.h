/* SPDX-License-Identifier: BSD-3-Clause */
/* The profiles of two sides, their groups matched by name, and how the comparison is printed. */
#ifndef DIFF_VIEW_H
#define DIFF_VIEW_H

#include "analyse/an_diff.h"
#include "tools/report/rep_view.h"

#include <stdio.h>

/* ---- groups matched by name ---- */

enum diff_sort { DIFF_SORT_CHANGE, DIFF_SORT_TIME, DIFF_SORT_LABEL };

struct diff_options {
    char **paths[2]; /* by side */
    size_t paths_len[2];
    const char *by;
    const char *const *where;
    size_t where_len;
    enum diff_sort sort;
    uint64_t limit;
    bool with_lines;  /* prepare for diff_line_of */
    double min_share; /* minimum share of either side's time */
};

struct diff_row {
    const char *label;
    struct an_difference change;
};

struct diff_run {
    struct rep_view view;
    uint32_t *row_of_sample, *row_of_burst;
};

struct diff_side {
    struct diff_run *runs;
    size_t len;
};

struct diff_view {
    struct diff_options options;
    struct diff_side sides[2];
    char **labels; /* by row: its name on both sides */
    uint32_t labels_len;
    an_diff *diff;
    struct diff_row *rows; /* in the order of printing */
    size_t rows_len;
    size_t hidden; /* rows left out */
};

/* Verdict of a row's times: more, less, too few samples to decide, or sums over ranks. */
enum diff_verdict { DIFF_SAME, DIFF_MORE, DIFF_LESS, DIFF_NEW, DIFF_GONE, DIFF_TOO_FEW, DIFF_NO_INTERVAL };

/* Owns:   the caller ends v with diff_view_fini, also after a failure; v borrows the texts of options.
 * Errors: as rep_view_init. */
ls_err diff_view_init(struct diff_view *v, const struct diff_options *options);
/* Owns:   frees the members of v. */
void diff_view_fini(struct diff_view *v);
enum diff_verdict diff_verdict_of(const struct an_difference *d);
/* Return the verdict as a word, for the table and for JSON. */
const char *diff_verdict_text(const struct an_difference *d);
/* The rows whose time grew significantly, by more than share of A's time, also rows that are not printed;
 * free(*out).
 * Errors: LS_ERR_NOMEM; LS_ERR_USAGE: there are no intervals. */
ls_err diff_regressions(const struct diff_view *v, double share, struct diff_row **out, size_t *out_len);
/* Return the source line with most samples of the row in the first run of B that has samples of it; NULL: not
 * known.
 * Errors: LS_ERR_NOMEM. */
ls_err diff_line_of(const struct diff_view *v, uint32_t row, const struct prof_line **out);
/* Return the mean of a value over the runs of a side; NAN if a run does not have it. */
double diff_mean(const struct diff_view *v, int side, double value(const struct rep_view *run));

/* ---- on the terminal, and as JSON ---- */

enum { DIFF_JSON_SCHEMA = 1 };

void diff_print_text(const struct diff_view *v, FILE *out);
void diff_print_json(const struct diff_view *v, FILE *out);
/* Write the reasons why the two runs are not comparable, one sentence each, to out. Return their number. */
enum { DIFF_WARNINGS_MAX = 8, DIFF_WARNING_BYTES = 256 };
size_t diff_warnings(const struct diff_view *v, char out[DIFF_WARNINGS_MAX][DIFF_WARNING_BYTES]);

#endif
