/* SPDX-License-Identifier: BSD-3-Clause */
/* A view on the terminal, and as JSON. */
#ifndef REP_PRINT_H
#define REP_PRINT_H

#include "tools/cli/cli_term.h"
#include "common/ls_json.h"
#include "tools/report/rep_view.h"

#include <stdio.h>

enum { REP_JSON_SCHEMA = 1 };

enum { REP_KEY_WIDTH = 11 };

void rep_print_header(const struct rep_view *v, FILE *out);
/* The head, and how its numbers came about. */
void rep_print_how(const struct rep_view *v, FILE *out);
/* Print the same unfolded: each line has a key in its first 11 columns (blank: continues the line above). */
void rep_print_header_lines(const struct rep_view *v, FILE *out);
void rep_print_how_lines(const struct rep_view *v, FILE *out);
void rep_key(FILE *out, const char *key);
/* 0 where a number is missing. */
uint64_t rep_known(uint64_t n);
void rep_print_table(const struct rep_view *v, const struct rep_row *rows, size_t len, FILE *out);
/* Print the remedies that the samples of the costliest nodes suggest. */
ls_err rep_print_advice(const struct rep_view *v, FILE *out);
/* Print kernel time by cause, in views of data or code; the remedies; the same as JSON.
 * Errors: LS_ERR_NOMEM. */
ls_err rep_print_kernel(const struct rep_view *v, FILE *out);
ls_err rep_print_kernel_advice(const struct rep_view *v, FILE *out);
ls_err rep_json_kernel(const struct rep_view *v, struct ls_json *j);
ls_err rep_print_json(const struct rep_view *v, const struct rep_row *rows, size_t len, FILE *out);
/* The innermost groups by their own samples, the costliest first, as comma-separated values.
 * Errors: LS_ERR_NOMEM. */
ls_err rep_print_csv(const struct rep_view *v, FILE *out);
/* Write to out why there are too few bursts, and the remedy; false if there are enough. */
bool rep_too_few(const struct rep_view *v, char *out, size_t out_len_bytes);

/* The members that every row of numbers has in JSON. */
void rep_json_numbers(const struct an_row *r, const struct an_interval *time, const struct an_interval *stall,
                      struct ls_json *j);

#endif
