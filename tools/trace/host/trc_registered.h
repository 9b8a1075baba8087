/* SPDX-License-Identifier: BSD-3-Clause */
/* Homes of registered ranges: all lives of a label below one parent are one home, however often a program
 * registers it.
 *
 * Thread: one at a time for one object.  Signal: not safe. */
#ifndef TRC_REGISTERED_H
#define TRC_REGISTERED_H

#include "common/ls_error.h"
#include "patterns/pat_access.h"
#include "patterns/source/pat_intern.h"

/* All zero: empty; ended by pat_intern_fini of its only field. */
struct trc_registered {
    struct pat_intern homes;
};

/* Find or append the row of tables with the label and element size of `like`, below the home parent
 * (PAT_NONE: at the top). Owns:   tables copies the label. Errors: LS_ERR_NOMEM, LS_ERR_RANGE. */
ls_err trc_registered_home(struct trc_registered *r, struct pat_tables *tables, uint32_t parent,
                           const struct pat_home *like, uint32_t *out);

#endif
