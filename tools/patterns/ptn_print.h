/* SPDX-License-Identifier: BSD-3-Clause */
/* Printing of patterns as text and JSON, and drawing. */
#ifndef PTN_PRINT_H
#define PTN_PRINT_H

#include "tools/patterns/ptn_read.h"
#include "patterns/pat_config.h"

#include <stdio.h>

/* ---- patterns that were found ---- */

/* rows_max: a longer list is cut, with a note; 0: as many as fit on a screen. */
void ptn_print(const char *path, const struct ptn_found *f, size_t rows_max, FILE *out);
/* Schema 1. */
void ptn_print_json(const char *path, const struct ptn_found *f, FILE *out);

/* ---- patterns of a file, in words, JSON and pictures ---- */

/* Configurations begin to end - 1 of a suite. */
struct ptn_show_range {
    size_t begin, end;
};

enum ptn_show_what { PTN_SHOW_ALL, PTN_SHOW_OFFSETS, PTN_SHOW_DELTAS, PTN_SHOW_HISTOGRAM };

/* Draw the selected charts of each configuration to path; title names their source.
 * Errors: as vx_page_write, LS_ERR_NOMEM. */
ls_err ptn_show_plot(const struct pat_suite *s, struct ptn_show_range range, enum ptn_show_what what,
                     const char *title, const char *path);

/* The lists of c that are not empty: "pattern", "pattern-gather", "pattern-scatter". Returns their
 * number, at most 3. */
struct ptn_show_list {
    const char *name;
    const struct pat_indices *indices;
};
size_t ptn_show_lists(const struct pat_config *c, struct ptn_show_list out[3]);

#endif
