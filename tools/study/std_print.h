/* SPDX-License-Identifier: BSD-3-Clause */
/* The points of a study: printing, drawing and storing. */
#ifndef STD_PRINT_H
#define STD_PRINT_H

#include "tools/study/std_study.h"

#include <stdio.h>

/* ---- as text, CSV and JSON ---- */

enum std_format { STD_TABLE, STD_CSV, STD_JSON };
enum { STD_JSON_SCHEMA = 1, STD_SERIES_BYTES = 64 };

struct std_point {
    char series[STD_SERIES_BYTES];
    double x;
    struct kn_result result;
};

struct std_report {
    const struct std_study *study;
    const struct kn_options *run; /* of all points: they name the device */
    struct std_point *points;     /* [len] */
    size_t len;
};

/* Print the head and a point of the table, which grows while the study runs. */
void std_print_head(const struct std_report *r, FILE *out);
void std_print_point(const struct std_report *r, size_t i, FILE *out);
/* Print the summary of the points: correlation with STREAM, gain over the baseline. */
void std_print_end(const struct std_report *r, FILE *out);

void std_print_csv(const struct std_report *r, FILE *out);
void std_print_json(const struct std_report *r, FILE *out);
/* Every study, a line each. */
void std_print_studies(FILE *out);

/* ---- as curves and in a file ---- */

/* Check, before the work, that picture can be drawn and output be written; NULL: none.
 * Errors: as vx_page_check and cli_output_check. */
ls_err std_plot_check(const char *picture, const char *output, bool force);

/* Draw the curves of r to picture and keep its points in output (doc/replay-h5.md); NULL: not.
 * Errors: as vx_page_write and vx_results_write, LS_ERR_NOMEM. */
ls_err std_plot_publish(const struct std_report *r, const char *picture, const char *output);

#endif
