/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone patterns groups: which patterns of threads, ranks and inputs are alike. */
#ifndef PTD_GROUPS_H
#define PTD_GROUPS_H

#include "patterns/compare/pat_compare.h"
#include "tools/patterns/ptd_input.h"

#include <stdio.h>

struct ptd_groups {
    struct ptd_input *inputs;
    size_t inputs_len;
    struct pat_items items; /* patterns from all inputs */
    struct pat_clusters clusters;
    double within;
    bool with_members;
};

struct ptd_group_options {
    double within;
    struct ptn_settings settings; /* for inputs that patterns are extracted from */
};

/* Owns:   the caller ends *out with ptd_groups_fini, also after a failure.
 * Errors: as ptd_input_read, LS_ERR_NOMEM. */
ls_err ptd_groups_make(char *const *paths, size_t paths_len, const struct ptd_group_options *o,
                       struct ptd_groups *out);
void ptd_groups_fini(struct ptd_groups *g);

void ptd_print_groups(const struct ptd_groups *g, FILE *out);
void ptd_json_groups(const struct ptd_groups *g, FILE *out);

#endif
