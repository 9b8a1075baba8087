/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of a row's accesses: distances, runs of them, jumps to other ranges, and what makes a pool of a
 * home. What must be put off until the other rows were followed, too, is noted in the access's mark.
 *
 * Thread: one at a time.  Signal: not safe. */
#ifndef PAT_EXT_FOLLOW_H
#define PAT_EXT_FOLLOW_H

#include "patterns/extract/pat_ext_rows.h"

/* The row is where spot says; before it was somewhere else, or this is its first access.
 * Errors: none: what there is no memory for is counted as not kept. */
void pat_ext_arrive(struct pat_ext *e, struct pat_ext_row *r, const struct pat_ext_spot *spot,
                    const struct pat_ext_step *step, uint8_t *mark);

/* The run is over: it is counted and kept.  Errors: as pat_ext_arrive. */
void pat_ext_flush(struct pat_ext *e, struct pat_ext_row *r);

/* The row's distance has changed.  Errors: none. */
static inline void pat_ext_take_turn(const struct pat_ext *e, struct pat_ext_row *r,
                                     const struct pat_ext_step *step, uint8_t *mark)
{
    if (pat_ext_turns_take(&r->turns, e->round.before + step->at, r->distance)) *mark |= PAT_EXT_MARK_TURN;
}

/* The next access of the row.  Errors: as pat_ext_arrive. */
static inline void pat_ext_follow(struct pat_ext *e, struct pat_ext_row *r, const struct pat_ext_step *step,
                                  uint8_t *mark)
{
    const int64_t distance = (int64_t)(step->addr - r->addr);
    r->addr = step->addr;
    if (distance != r->distance) {
        pat_ext_flush(e, r);
        r->distance = distance;
        pat_ext_take_turn(e, r, step, mark);
    }
    r->run++;
}

#endif
