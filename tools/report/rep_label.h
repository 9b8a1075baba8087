/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of rows, the same in every table of a report: label and branches, shares, levels.
 *
 * Owns: nothing; the text is in out, cut where out ends.  Thread: any, one at a time for one
 * object. */
#ifndef REP_LABEL_H
#define REP_LABEL_H

#include "tools/cli/cli_term.h"
#include "tools/report/rep_view.h"

/* Tree lines and the label of a row. open[d], all false before the first row: the branch at depth d goes on. */
enum { REP_LABEL_BYTES = 1024, REP_OPEN_MAX = 64 };
void rep_label_text(const struct rep_view *v, const struct rep_row *row, bool open[REP_OPEN_MAX],
                    char out[REP_LABEL_BYTES]);
/* Share of the measured loads of a known level in percent, "-" without one. */
const char *rep_format_level(const struct an_row *r, enum prof_level level, char out[CLI_CELL_BYTES]);
/* The heads of all dimensions of the rows. */
const char *rep_titles(const struct rep_view *v, char out[AN_LABEL_BYTES]);
/* A share in percent with half the width of its interval; with too few bursts a whole number and a tilde. */
const char *rep_format_share(const struct an_interval *i, char out[CLI_CELL_BYTES]);

#endif
