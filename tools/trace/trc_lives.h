/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of ranges that have died, for blocks that are made anew where one of the same site and length was:
 * their number is then that of the places, not that of the blocks.
 *
 * A site's sequence tells one block from the next by the row of its range, so a row lives again only when a
 * few others of the same place have died after it.
 *
 * Thread: one at a time for one object.  Signal: not safe. */
#ifndef TRC_LIVES_H
#define TRC_LIVES_H

#include "common/ls_error.h"
#include "patterns/pat_access.h"

enum { TRC_LIVES_APART = 4 /* dead rows of a place before one lives again */ };

struct trc_life {
    uint32_t row;  /* PAT_NONE: free slot */
    uint32_t died; /* counts deaths, modulo 2^32 */
};

/* All zero: empty. */
struct trc_lives {
    struct trc_life *slots; /* hash by place: what t.ranges[row] says */
    size_t mask, len;       /* mask: slots - 1, 0: none */
    uint32_t deaths;
};

/* The range of this row has died.
 * Owns:   l.  Errors: LS_ERR_NOMEM; then the row will not live again. */
ls_err trc_lives_end(struct trc_lives *l, const struct pat_tables *t, uint32_t row);

/* A row of the same start, end and home that may live again, and is no longer among the dead; PAT_NONE: none. */
uint32_t trc_lives_again(struct trc_lives *l, const struct pat_tables *t, const struct pat_range *like);

/* Owns:   l is empty afterwards. */
void trc_lives_fini(struct trc_lives *l);

#endif
