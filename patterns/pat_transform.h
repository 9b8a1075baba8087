/* SPDX-License-Identifier: BSD-3-Clause */
/* What Spatter does to indices before it runs them, in this order: truncate, boundary, compress. */
#ifndef PAT_TRANSFORM_H
#define PAT_TRANSFORM_H

#include "patterns/pat_config.h"

#include <stdbool.h>

/* Keep the first len indices; 0 keeps all.
 * Errors: LS_ERR_RANGE when there are fewer; p is unchanged. */
ls_err pat_truncate(struct pat_indices *p, uint64_t len);

/* Take every index modulo boundary; 0 leaves them.
 * Errors: LS_ERR_RANGE for a boundary beyond 63 bits. */
ls_err pat_bound(struct pat_indices *p, uint64_t boundary);

/* Renumber pages of 4 KiB (512 elements of 8 bytes) in the order in which they are first seen; the place in a
 * page stays: 0,10,600,5000,1000000 becomes 0,10,600,1416,1600. Errors: LS_ERR_NOMEM; p is unchanged. */
ls_err pat_compress(struct pat_indices *p);

/* All lists of c by its pattern_size and boundary, then compressed when asked; then the checks that Spatter
 * makes: the lists its kernel needs are there, those of gs are equally long, count, wrap and runs are 1 at
 * least. Errors: as above and LS_ERR_ARG, naming the list. */
ls_err pat_config_finish(struct pat_config *c, bool compress);

#endif
