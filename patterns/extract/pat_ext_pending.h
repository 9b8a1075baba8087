/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses by which a row simply goes on: they are taken apart into runs and lines, without branches that
 * nothing could foresee, what counting them needs is fetched, and they are counted while the next ones are
 * taken apart. What waits is at most two parts of a few accesses. A row is of one lane, and lanes are
 * followed one after the other: whoever touches a row in another way must only have what waits of its lane
 * counted before. (But a row's sequence may be given up for want of memory at any time, pat_ext_reclaim: what
 * waits of it is then counted, not kept.) */
#ifndef PAT_EXT_PENDING_H
#define PAT_EXT_PENDING_H

#include "patterns/extract/pat_ext_run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pat_ext;
struct pat_ext_lane;
struct pat_ext_row;

enum { PAT_EXT_PART = 32 };

/* Accesses of one row, in succession. */
struct pat_ext_stretch {
    struct pat_ext_row *row;
    uint64_t line; /* that the row was at before */
    uint64_t salt; /* of the thread's lines */
    uint32_t runs_end, turned_end;
    uint32_t weight; /* of its runs, once what they need was fetched */
};

struct pat_ext_part {
    uint32_t len, stretches_len; /* accesses, stretches */
    uint32_t runs_len, turned_len;
    struct pat_ext_stretch stretches[PAT_EXT_PART];
    struct pat_ext_run runs[PAT_EXT_PART]; /* that are over; the first of a stretch may be of no accesses */
    uint32_t run_at[PAT_EXT_PART];         /* the access at which it was, by its number in the round */
    uint64_t lines[PAT_EXT_PART];          /* that were turned to, none of them the one before */
    uint32_t line_at[PAT_EXT_PART];
};

/* Zeroed is empty. */
struct pat_ext_pending {
    struct pat_ext_part parts[2];
    unsigned filling;                /* the part that is being filled; the other one was fetched */
    const struct pat_ext_lane *lane; /* of the last stretch, NULL: none waits */
};

/* Accesses of one lane, by their numbers in the round. */
struct pat_ext_places {
    const uint32_t *data;
    size_t len;
};

/* Which of the accesses does the lane's row go on with? What is known around its last access holds now.
 * Returns how many of the first ones do and were taken; 0: the first one does not. */
size_t pat_ext_pending_take(struct pat_ext *e, struct pat_ext_lane *lane,
                            const struct pat_ext_places *places);

/* Nothing waits any more.  What there is no memory for is counted as not kept. */
void pat_ext_pending_count(struct pat_ext *e);

#endif
