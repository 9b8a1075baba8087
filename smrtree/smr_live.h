/* SPDX-License-Identifier: BSD-3-Clause */
/* What lies where at one moment: live address ranges, each with a number of the caller's. Replaying a
 * recording moves it through time (insert, remove, evict); look-ups tell the innermost range of an address;
 * freezing makes an index for many look-ups at one moment.
 *
 * Thread: one at a time for one object, any for different ones.  Signal: not safe. */
#ifndef SMR_LIVE_H
#define SMR_LIVE_H

#include "common/ls_error.h"
#include "smrtree/smr_index.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct smr_live smr_live;

/* NULL without memory. */
smr_live *smr_live_new(void);
void smr_live_free(smr_live *l); /* NULL-safe */

/* Add [base, end). Ranges may nest; of equal ones the later is the inner one. value must not be
 * SMR_INDEX_NONE. Errors: LS_ERR_RANGE (empty), LS_ERR_OVERLAP (partly overlaps another: nothing changes),
 * LS_ERR_ARG, LS_ERR_NOMEM. */
ls_err smr_live_insert(smr_live *l, uint64_t base, uint64_t end, uint32_t value);

/* Remove the range that begins at base and has this value (the innermost of several).  Errors:
 * LS_ERR_NOT_FOUND. */
ls_err smr_live_remove(smr_live *l, uint64_t base, uint32_t value);

/* Clear [base, end): ranges inside go, others are clipped, and one that reaches over both ends is split in
 * two pieces with the same value. A recording that lost a free still replays: evict, then insert the newer
 * block. Errors: LS_ERR_RANGE (empty), LS_ERR_NOMEM; then some of the clipping may be done. */
ls_err smr_live_evict(smr_live *l, uint64_t base, uint64_t end);

/* The value of the innermost range that contains addr. */
bool smr_live_find(const smr_live *l, uint64_t addr, uint32_t *out_value);
/* The same with the range itself: out_base and out_end may be NULL. */
bool smr_live_find_range(const smr_live *l, uint64_t addr, uint64_t *out_base, uint64_t *out_end,
                         uint32_t *out_value);

/* An independent copy.  Owns: the caller frees *out by smr_live_free.  Errors: LS_ERR_NOMEM. */
ls_err smr_live_copy(const smr_live *l, smr_live **out);

size_t smr_live_len(const smr_live *l);

/* Owns:   the caller frees *out by smr_index_free; it does not follow later changes of l.
 * Errors: LS_ERR_NOMEM. */
ls_err smr_live_freeze(const smr_live *l, smr_index **out);

bool smr_live_is_valid(const smr_live *l);

#endif
