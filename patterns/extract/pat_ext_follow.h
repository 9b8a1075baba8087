/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of a row's accesses: distances, runs of them, jumps to other ranges, and what makes a pool of a
 * home. What must be put off until the other rows were followed, too, is noted in the access's mark. */
#ifndef PAT_EXT_FOLLOW_H
#define PAT_EXT_FOLLOW_H

#include "patterns/extract/pat_ext_rows.h"

/* Access number `at` of the round: the row is where spot says; before it was somewhere else, or this is its
 * first access.
 * What there is no memory for is counted as not kept. */
void pat_ext_arrive(struct pat_ext *e, struct pat_ext_row *r, const struct pat_ext_spot *spot, uint32_t at);

/* Runs of the row that are over are counted and kept, none of them of no accesses.  Errors: as
 * pat_ext_arrive. */
void pat_ext_count_runs(struct pat_ext *e, struct pat_ext_row *r, struct pat_ext_runs runs);

/* The row's run is over.  Errors: as pat_ext_arrive. */
static inline void pat_ext_flush(struct pat_ext *e, struct pat_ext_row *r)
{
    const struct pat_ext_run run = {r->distance, r->run};
    if (run.len) pat_ext_count_runs(e, r, (struct pat_ext_runs){&run, 1, 1});
    r->run = 0;
}

/* The turn at this access must be replayed. */
static inline void pat_ext_mark_turn(struct pat_ext *e, const struct pat_ext_row *r, uint32_t at)
{
    e->round.marks[at] |= PAT_EXT_MARK_TURN;
    e->round.whose[at] = r->id;
}

/* The row's distance has changed. */
static inline void pat_ext_take_turn(struct pat_ext *e, struct pat_ext_row *r, uint32_t at)
{
    if (pat_ext_turns_take(&r->turns, e->round.before + at, r->distance)) pat_ext_mark_turn(e, r, at);
    r->goes_on |= r->turns.begun == 2 && !r->echo;
}

/* The next access of the row, of which none waits.  Errors: as pat_ext_arrive. */
static inline void pat_ext_follow(struct pat_ext *e, struct pat_ext_row *r, uint32_t at)
{
    const uint64_t addr = e->round.addrs[at];
    const int64_t distance = (int64_t)(addr - r->addr);
    r->addr = addr;
    if (distance != r->distance) {
        pat_ext_flush(e, r);
        r->distance = distance;
        pat_ext_take_turn(e, r, at);
    }
    r->run++;
}

#endif
