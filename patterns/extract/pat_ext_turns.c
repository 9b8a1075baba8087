/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_turns.h"
#include "patterns/extract/pat_ext_row.h"

/* The one ahead, if it is of the same home and distance and both have begun to alternate. */
static void turns_get_in_line(struct pat_ext_last_turns *last, struct pat_ext_row *r)
{
    struct pat_ext_turns *t = &r->turns;
    const uint64_t key =
        pat_ext_hash((uint64_t)t->distance ^ pat_ext_hash((uint64_t)r->thread << 32 | r->home));
    struct pat_ext_row **slot = &last->rows[key % PAT_EXT_TURN_SLOTS];
    struct pat_ext_row *a = *slot;
    *slot = r;
    if (!a || a->home != r->home || a->thread != r->thread || a->turns.distance != t->distance ||
        a->turns.len != 2 || a->turns.begin[0] >= t->begin[0] || t->begin[0] >= a->turns.begin[1])
        return;
    t->ahead = a;
    t->first = a->turns.ahead ? a->turns.first : a;
    t->ahead->turns.watchers++;
    t->first->turns.watchers++;
}

static void turns_leave_line(struct pat_ext_turns *t)
{
    t->ahead->turns.watchers--;
    t->first->turns.watchers--;
    t->ahead = NULL;
}

void pat_ext_turns_replay(struct pat_ext_last_turns *last, struct pat_ext_row *r)
{
    struct pat_ext_turns *t = &r->turns;
    if (++t->len == 2) turns_get_in_line(last, r);
    if (t->ahead && (t->len != t->ahead->turns.len || t->len != t->first->turns.len)) turns_leave_line(t);
}
