/* SPDX-License-Identifier: BSD-3-Clause */
/* Two profiles, their groups matched by name, and how the comparison is printed. */
#ifndef DIFF_VIEW_H
#define DIFF_VIEW_H

#include "analyse/an_diff.h"
#include "tools/report/rep_view.h"

#include <stdio.h>

/* ---- groups matched by name ---- */

enum diff_sort { DIFF_SORT_CHANGE, DIFF_SORT_TIME, DIFF_SORT_LABEL };

struct diff_options {
    const char *paths[2];
    const char *by;
    const char *const *where;
    size_t where_len;
    enum diff_sort sort;
    uint64_t limit;
    double min_share; /* minimum share of either run's time */
};

struct diff_row {
    const char *label;
    struct an_difference change;
};

struct diff_view {
    struct diff_options options;
    struct rep_view sides[2];
    char **labels; /* by row: the name that both runs know it by */
    uint32_t labels_len;
    uint32_t *row_of_sample[2], *row_of_burst[2];
    an_diff *diff;
    struct diff_row *rows; /* in the order of printing */
    size_t rows_len;
    size_t hidden; /* rows left out */
};

/* Verdict of a row's times: more, less, or too few samples to decide. */
enum diff_verdict { DIFF_SAME, DIFF_MORE, DIFF_LESS, DIFF_NEW, DIFF_GONE, DIFF_TOO_FEW };

/* Owns:   the caller ends v with diff_view_fini, also after a failure; v borrows the texts of options.
 * Errors: as rep_view_init. */
ls_err diff_view_init(struct diff_view *v, const struct diff_options *options);
/* Owns:   frees the members of v. */
void diff_view_fini(struct diff_view *v);
enum diff_verdict diff_verdict_of(const struct an_difference *d);
/* For people and programs alike. */
const char *diff_verdict_text(const struct an_difference *d);
/* Rows whose time grew significantly, by more than share of A's time; all rows count, also those left out. */
size_t diff_regressions(const struct diff_view *v, double share);

/* ---- on the terminal, and as JSON ---- */

enum { DIFF_JSON_SCHEMA = 1 };

void diff_print_text(const struct diff_view *v, FILE *out);
void diff_print_json(const struct diff_view *v, FILE *out);
/* Write the reasons why the two runs are not comparable, one sentence each, to out. Return their number. */
enum { DIFF_WARNINGS_MAX = 8, DIFF_WARNING_BYTES = 256 };
size_t diff_warnings(const struct diff_view *v, char out[DIFF_WARNINGS_MAX][DIFF_WARNING_BYTES]);

#endif
