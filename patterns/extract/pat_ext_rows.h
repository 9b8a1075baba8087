/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of the pass: found by site, home and thread, made within the budget, and what gives way when it is
 * short. */
#ifndef PAT_EXT_ROWS_H
#define PAT_EXT_ROWS_H

#include "patterns/extract/pat_ext_engine.h"

static inline bool pat_ext_is_published(const struct pat_ext *e)
{
    return e->options->mode != PAT_MODE_COST;
}

/* Is the row about an area: since it has no range to be relative to, or because it was made for what was not
 * in that of a pool? */
static inline bool pat_ext_has_area(const struct pat_ext *e, const struct pat_ext_row *r)
{
    return (r->home == PAT_NONE || r->is_pool || r->next) && !pat_ext_is_published(e);
}

static inline bool pat_ext_in_area(const struct pat_ext_row *r, uint64_t addr)
{
    return addr - (r->anchor - PAT_EXT_AREA_BYTES) < 2 * PAT_EXT_AREA_BYTES;
}

/* Row number id of e. */
static inline struct pat_ext_row *pat_ext_row(const struct pat_ext *e, uint32_t id)
{
    return &e->slabs[id / PAT_EXT_SLAB_ROWS]->rows[id % PAT_EXT_SLAB_ROWS];
}

/* The row of a lane's access (its number in the round) whose home is known, a new one if need be.
 * Owns:   e.  Errors: NULL without memory for one. */
struct pat_ext_row *pat_ext_row_at(struct pat_ext *e, const struct pat_ext_lane *lane, uint32_t at,
                                   uint32_t home);

/* All rows in the order of their first accesses, e->rows_len of them.
 * Owns:   the caller frees the list, not the rows.  Errors: NULL without memory. */
struct pat_ext_row **pat_ext_rows(const struct pat_ext *e);

/* The least costly rows give up their sequences: a quarter of what all of them take.
 * Errors: false when that would help little; nothing is done then. */
bool pat_ext_reclaim(struct pat_ext *e);

/* Release what the row holds; its counts stay. */
void pat_ext_row_drop(struct pat_ext *e, struct pat_ext_row *r);

#endif
