/* SPDX-License-Identifier: BSD-3-Clause */
/* Parse --by and --where; errors of the analysis are extended by the name that was probably meant. */
#ifndef REP_FILTER_H
#define REP_FILTER_H

#include "tools/report/rep_view.h"

/* Errors: LS_ERR_USAGE with the nearest dimension. */
ls_err rep_by_parse(struct an_by *out, const char *text);
/* Add to *mask the columns that the filters read.
 * Errors: LS_ERR_USAGE. */
ls_err rep_filter_columns(const struct rep_options *o, uint64_t *mask);
/* Clear the bytes of v->keep that the filters of v leave out.
 * Errors: LS_ERR_USAGE (a value names nothing, with the nearest), LS_ERR_NOMEM. */
ls_err rep_filter_apply(struct rep_view *v);

#endif
