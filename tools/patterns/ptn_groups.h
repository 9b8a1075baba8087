/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone patterns groups: which patterns of threads, ranks and inputs are alike. */
#ifndef PTN_GROUPS_H
#define PTN_GROUPS_H

#include "patterns/compare/pat_compare.h"
#include "tools/patterns/ptn_input.h"

#include <stdio.h>

struct ptn_groups {
    struct ptn_input *inputs;
    size_t inputs_len;
    struct pat_items items; /* patterns from all inputs */
    struct pat_clusters clusters;
    double within;
    bool with_members;
};

struct ptn_group_options {
    double within;
    struct ptn_settings settings; /* for inputs that patterns are extracted from */
};

/* Owns:   the caller ends *out with ptn_groups_fini, also after a failure.
 * Errors: as ptn_input_read, LS_ERR_NOMEM. */
ls_err ptn_groups_make(char *const *paths, size_t paths_len, const struct ptn_group_options *o,
                       struct ptn_groups *out);
void ptn_groups_fini(struct ptn_groups *g);

void ptn_print_groups(const struct ptn_groups *g, FILE *out);
void ptn_json_groups(const struct ptn_groups *g, FILE *out);

#endif
