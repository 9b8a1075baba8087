/* SPDX-License-Identifier: BSD-3-Clause */
/* The points of a study as curves, and in a file.
 *
 * Thread: the main one (HDF5, cairo). */
#ifndef STD_PLOT_H
#define STD_PLOT_H

#include "tools/study/std_print.h"

/* Check, before the work, that picture can be drawn and output be written; NULL: none.
 * Errors: as vx_page_check and cli_output_check. */
ls_err std_plot_check(const char *picture, const char *output, bool force);

/* Draw the curves of r to picture and keep its points in output (doc/replay-h5.md); NULL: not.
 * Errors: as vx_page_write and vx_results_write, LS_ERR_NOMEM. */
ls_err std_plot_publish(const struct std_report *r, const char *picture, const char *output);

#endif
