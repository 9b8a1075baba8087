/* SPDX-License-Identifier: BSD-3-Clause */
/* Print hardware counters beside a kernel's times, the same for replay and stream. */
#ifndef RPL_COUNTS_H
#define RPL_COUNTS_H

#include "kernels/kn_result.h"
#include "common/ls_json.h"

#include <stdio.h>

/* Write an object "counts" of one timed run; counters that are not available here are null. */
void rpl_counts_json(struct ls_json *j, const struct kn_result *r);

/* The same as columns: ",cycles,..." */
void rpl_counts_csv_header(FILE *out);
void rpl_counts_csv_row(const struct kn_result *r, FILE *out);

/* Print a row of hardware counters for each result, named by name(user, i), if one of the results has them,
 * and a line with the missing counters. */
void rpl_counts_print(const struct kn_result *results, size_t len, const char *(*name)(void *user, size_t i),
                      void *user, FILE *out);

#endif
