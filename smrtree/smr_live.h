/* SPDX-License-Identifier: BSD-3-Clause */
/* The address ranges that are live at one moment, each with a number chosen by the caller. The replay of a
 * recording moves them through time (insert, remove, evict); look-ups return the innermost range of an
 * address; freezing makes an index for many look-ups at one moment.
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

/* Return NULL without memory. */
smr_live *smr_live_new(void);
void smr_live_free(smr_live *l); /* NULL-safe */

/* Add [base, end). Ranges may nest; among equal ones the later is the inner one. value must not be
 * SMR_INDEX_NONE.
 * Errors: LS_ERR_RANGE (empty), LS_ERR_OVERLAP (partly overlaps another: nothing changes), LS_ERR_ARG,
 * LS_ERR_NOMEM. */
ls_err smr_live_insert(smr_live *l, uint64_t base, uint64_t end, uint32_t value);

/* Remove the range that begins at base and has this value (the innermost of several).
 * Errors: LS_ERR_NOT_FOUND. */
ls_err smr_live_remove(smr_live *l, uint64_t base, uint32_t value);

/* Remove the range [base, end) of this value, also if it was clipped or split. Other ranges stay. */
void smr_live_remove_pieces(smr_live *l, uint64_t base, uint64_t end, uint32_t value);

/* Clear [base, end): ranges inside are removed, others are clipped, and one that extends beyond both ends is
 * split into two pieces with the same value. A recording that lost a free is replayed in this way: evict,
 * then insert the newer block.
 * Errors: LS_ERR_RANGE (empty), LS_ERR_NOMEM; then some of the clipping may be done. */
ls_err smr_live_evict(smr_live *l, uint64_t base, uint64_t end);

/* Find the value of the innermost range that contains addr. */
bool smr_live_find(const smr_live *l, uint64_t addr, uint32_t *out_value);
/* Find the value and the range itself: out_base and out_end may be NULL. */
bool smr_live_find_range(const smr_live *l, uint64_t addr, uint64_t *out_base, uint64_t *out_end,
                         uint32_t *out_value);

/* Make an independent copy.  Owns: the caller frees *out by smr_live_free.  Errors: LS_ERR_NOMEM. */
ls_err smr_live_copy(const smr_live *l, smr_live **out);

size_t smr_live_len(const smr_live *l);

/* Make an index of the current ranges.
 * Owns:   the caller frees *out by smr_index_free; it does not follow later changes of l.
 * Errors: LS_ERR_NOMEM. */
ls_err smr_live_freeze(const smr_live *l, smr_index **out);

bool smr_live_is_valid(const smr_live *l);

#endif
