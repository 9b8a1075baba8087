/* SPDX-License-Identifier: BSD-3-Clause */
/* Do rows of one home take turns? A row has a turn whenever its distance changes: at its first two accesses
 * therefore, and then at the ends of its runs. At its second turn a row gets the one ahead of it, which had
 * its own second turn last by the same distance, and the first of all those that are ahead. From then on its
 * turn k must come after turn k of both, and before their turn k + 1. Where that always holds and the
 * distances are the same, the accesses of the rows alternate in this order at every turn; what is taken for
 * granted is that they do inside a run, too.
 *
 * Thread: the owner.  Signal: not safe. */
#ifndef PAT_EXT_TURNS_H
#define PAT_EXT_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pat_ext_row;

/* Of a row; zeroed: none yet. */
struct pat_ext_turns {
    const struct pat_ext_row *ahead, *first; /* NULL: none, or no longer */
    uint64_t len;
    uint64_t begin[2]; /* its first two turns, in the turns of all rows */
};

/* Which row had its second turn last, by thread, home and distance; others may share the slot: they are then
 * not seen to take turns. */
enum { PAT_EXT_TURN_SLOTS = 4096 };
struct pat_ext_last_turns {
    struct pat_ext_row *rows[PAT_EXT_TURN_SLOTS];
};

#endif
