/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns in words, JSON and pictures. */
#ifndef PSH_PRINT_H
#define PSH_PRINT_H

#include "patterns/pat_config.h"

#include <stdio.h>

/* Configurations begin to end - 1 of a suite. */
struct psh_range {
    size_t begin, end;
};

enum psh_what { PSH_ALL, PSH_OFFSETS, PSH_DELTAS, PSH_HISTOGRAM };

/* Errors: LS_ERR_NOMEM. */
ls_err psh_print(const struct pat_suite *s, struct psh_range range, FILE *out);
ls_err psh_print_json(const struct pat_suite *s, struct psh_range range, FILE *out);

/* Draw the selected charts of each configuration to path; title names their source.
 * Errors: as vx_page_write, LS_ERR_NOMEM. */
ls_err psh_plot(const struct pat_suite *s, struct psh_range range, enum psh_what what, const char *title,
                const char *path);

/* The lists of c that are not empty: "pattern", "pattern-gather", "pattern-scatter". Returns their
 * number, at most 3. */
struct psh_list {
    const char *name;
    const struct pat_indices *indices;
};
size_t psh_lists(const struct pat_config *c, struct psh_list out[3]);

#endif
