/* SPDX-License-Identifier: BSD-3-Clause */
/* Do rows of one home take turns? A row has a turn whenever its distance changes: at its first two accesses
 * therefore, and then at the ends of its runs. At its second turn a row gets the one ahead of it, which had
 * its own second turn last by the same distance, and the first of all those that are ahead. From then on its
 * turn k must come after turn k of both, and before their turn k + 1. Where that always holds and the
 * distances are the same, the accesses of the rows alternate in this order at every turn; what is taken for
 * granted is that they do inside a run, too.
 *
 * Rows are followed one at a time, a round of accesses each: the turns of those that others look at, or that
 * look at others, are replayed in the order of the accesses afterwards (patterns/extract/pat_ext_marks.h). */
#ifndef PAT_EXT_TURNS_H
#define PAT_EXT_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pat_ext_row;

/* Of a row; zeroed: none yet. */
struct pat_ext_turns {
    struct pat_ext_row *ahead, *first; /* NULL: none, or no longer */
    uint64_t len;                      /* of a row that is seen: those that were replayed */
    uint64_t begin[2];                 /* the accesses of its first two turns, by their number among all */
    int64_t distance;                  /* from its second turn on */
    uint32_t watchers;                 /* of which rows it is ahead or first */
    uint32_t begun;                    /* how many of the first two there were */
};

/* Which row had its second turn last, by thread, home and distance; others may share the slot: they are then
 * not seen to take turns. */
enum { PAT_EXT_TURN_SLOTS = 4096 };
struct pat_ext_last_turns {
    struct pat_ext_row *rows[PAT_EXT_TURN_SLOTS];
};

/* Must its turns be replayed? Does not change while a round is followed. */
static inline bool pat_ext_turns_seen(const struct pat_ext_turns *t)
{
    return t->len <= 2 || t->ahead || t->watchers;
}

/* Access `number` is one, from now on by this distance. False: that is all; true: it must be replayed. */
static inline bool pat_ext_turns_take(struct pat_ext_turns *t, uint64_t number, int64_t distance)
{
    if (t->begun < 2) {
        t->begin[t->begun++] = number;
        t->distance = distance;
    }
    if (pat_ext_turns_seen(t)) return true;
    t->len++;
    return false;
}

/* The next turn of r, which is seen, has come. */
void pat_ext_turns_replay(struct pat_ext_last_turns *last, struct pat_ext_row *r);

#endif
