/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of several machines side by side. */
#ifndef RPL_COMPARE_H
#define RPL_COMPARE_H

#include "viz-export/vx_results.h"

#include <stdio.h>

/* Append every file of "a.h5,b.h5" to *machines.
 * Owns:   the caller ends each of *machines with vx_results_fini and frees the array, also after a failure.
 * Errors: as vx_results_read, LS_ERR_NOMEM. */
ls_err rpl_compare_read(const char *files, struct vx_results **machines, size_t *len);

/* Print harmonic mean and STREAM of each machine, and Pearson's R of both (Spatter paper, table 4). */
void rpl_compare_print(const struct vx_results *machines, size_t len, FILE *out);

#endif
