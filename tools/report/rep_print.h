/* SPDX-License-Identifier: BSD-3-Clause */
/* A view on the terminal, and as JSON.
 *
 * Where nothing else is said: Thread: the main one.  Signal: not safe. */
#ifndef REP_PRINT_H
#define REP_PRINT_H

#include "tools/cli/cli_format.h"
#include "common/ls_json.h"
#include "tools/report/rep_view.h"

#include <stdio.h>

enum { REP_JSON_SCHEMA = 1 };

void rep_print_header(const struct rep_view *v, FILE *out);
/* The same unfolded: each line a key in the first 11 columns (blank: it goes on with the one above) and text.
 */
void rep_print_header_lines(const struct rep_view *v, FILE *out);
void rep_print_table(const struct rep_view *v, const struct rep_row *rows, size_t len, FILE *out);
/* What the samples of the costliest nodes suggest. */
ls_err rep_print_advice(const struct rep_view *v, FILE *out);
void rep_print_json(const struct rep_view *v, const struct rep_row *rows, size_t len, FILE *out);
/* The innermost groups by their own samples, the costliest first, as comma-separated values.
 * Owns:   nothing.  Errors: LS_ERR_NOMEM.  Thread: any.  Signal: not safe. */
ls_err rep_print_csv(const struct rep_view *v, FILE *out);
/* Why there are too few bursts and what to do; false when there are enough. Written to out_len_bytes bytes of
 * out. */
bool rep_too_few(const struct rep_view *v, char *out, size_t out_len_bytes);

/* Tree lines and the label of a row. open[d], all false before the first row: the branch at depth d goes on.
 * Owns:   nothing; the text is in out.  Errors: none, cut where out ends.  Thread: one at a time.  Signal:
 * not safe. */
enum { REP_LABEL_BYTES = 1024, REP_OPEN_MAX = 64 };
void rep_label_text(const struct rep_view *v, const struct rep_row *row, bool open[REP_OPEN_MAX],
                    char out[REP_LABEL_BYTES]);
/* Share of the measured loads of a known level in percent, "-" without one.
 * Owns:   nothing; the text is in out.  Errors: none.  Thread: any.  Signal: not safe. */
const char *rep_format_level(const struct an_row *r, enum prof_level level, char out[CLI_CELL_BYTES]);
/* The heads of all dimensions of the rows.
 * Owns:   nothing; the text is in out.  Errors: none, cut where out ends.  Thread: any.  Signal: not safe. */
const char *rep_titles(const struct rep_view *v, char out[AN_LABEL_BYTES]);
/* A share in percent with half the width of its interval; with too few bursts a whole number and a tilde.
 * Owns:   nothing; the text is in out.  Errors: none.  Thread: any.  Signal: not safe. */
const char *rep_format_share(const struct an_interval *i, char out[CLI_CELL_BYTES]);
/* The members that every row of numbers has in JSON.
 * Owns:   nothing.  Errors: none.  Thread: any.  Signal: not safe. */
void rep_json_numbers(const struct an_row *r, const struct an_interval *time, const struct an_interval *stall,
                      struct ls_json *j);

#endif
