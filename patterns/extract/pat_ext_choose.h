/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of many sequences are wanted when so many patterns are: several may become one pattern later. */
#ifndef PAT_EXT_CHOOSE_H
#define PAT_EXT_CHOOSE_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A sequence; those of one group may become one pattern. */
struct pat_ext_candidate {
    const void *group;
    double cost;
    bool passes;    /* the filters */
    bool is_chosen; /* out */
};

/* rows are ranked, the first ones best. Choose all of the `top` groups that cost most, of those that have a
 * row which passes, and of the groups of the first `top` rows that pass: so that, whichever become one, the
 * `top` costliest patterns are among them, if there are as many.
 * Errors: LS_ERR_NOMEM; then none is chosen. */
ls_err pat_ext_choose(struct pat_ext_candidate *rows, size_t len, uint32_t top);

#endif
