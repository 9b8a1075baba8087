/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of ranges that have died, to be reused for a new block with the address, length and site of a freed
 * one: the number of rows is then that of the distinct blocks, however often each is allocated.
 *
 * A site's sequence distinguishes successive blocks by the rows of their ranges, so a row is reused only
 * after a few other rows of the same block have died.
 *
 * Thread: one at a time for one object.  Signal: not safe. */
#ifndef TRC_LIVES_H
#define TRC_LIVES_H

#include "common/ls_error.h"
#include "patterns/pat_access.h"

enum { TRC_LIVES_APART = 4 /* number of dead rows of a block before one is reused */ };

struct trc_life {
    uint32_t row;  /* PAT_NONE: free slot */
    uint32_t died; /* counts deaths, modulo 2^32 */
};

/* All zero: empty. */
struct trc_lives {
    struct trc_life *slots; /* hash table by block, the start, end and home of t.ranges[row] */
    size_t mask, len;       /* mask: slots - 1, 0: none */
    uint32_t deaths;
};

/* Note that the range of this row has died.
 * Owns:   l.  Errors: LS_ERR_NOMEM; then the row will not live again. */
ls_err trc_lives_end(struct trc_lives *l, const struct pat_tables *t, uint32_t row);

/* Remove and return a dead row with the start, end and home of `like` that may be reused; PAT_NONE: none. */
uint32_t trc_lives_again(struct trc_lives *l, const struct pat_tables *t, const struct pat_range *like);

/* Owns:   l is empty afterwards. */
void trc_lives_fini(struct trc_lives *l);

#endif
