/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses wait until there is a round of them, and are then handed out by lane: what one site did in one
 * thread, in order. Whatever belongs to a lane is then fetched once a round, not once an access. */
#ifndef PAT_EXT_ROUND_H
#define PAT_EXT_ROUND_H

#include "common/ls_error.h"
#include "patterns/pat_access.h"
#include "patterns/extract/pat_ext_budget.h"
#include "patterns/extract/pat_ext_marks.h"

#include <stdbool.h>

struct pat_ext_row;

struct pat_ext_lane {
    struct pat_ext_row *row; /* that its last access was of, NULL: none yet */
    uint32_t site, thread;
    uint32_t len;       /* accesses in this round */
    uint32_t end;       /* once they are sorted: of its part of sorted */
    uint32_t looked_up; /* of the accesses last handed out, how many needed a look-up */
};

/* The lanes of one thread by site: a number more than theirs, 0: none. */
struct pat_ext_by_site {
    uint32_t **leaves;
    size_t len;
};

enum { PAT_EXT_ROUND_AHEAD = 32 };

/* Set up by pat_ext_round_init. */
struct pat_ext_round {
    /* by access, in the order of the source */
    uint64_t *addrs;
    uint32_t *lane_of;
    uint8_t *marks;  /* enum pat_ext_mark; zeroed when it is sorted */
    uint32_t *whose; /* the row of its mark, where that must be known */
    size_t len, cap;
    uint32_t *sorted;  /* the accesses' numbers by lane, ascending within one; PAT_EXT_ROUND_AHEAD more may be
                          read */
    uint32_t *touched; /* the lanes that have accesses, by the first of them */
    size_t touched_len;
    uint64_t before;   /* accesses of the rounds before */
    uint64_t cap_most; /* what the memory allows */
    struct pat_ext_lane *lanes;
    size_t lanes_len, lanes_cap;
    struct pat_ext_by_site *threads;
    size_t threads_len;
};

/* Rounds take at most a small part of the budget.
 * Owns:   the caller ends r with pat_ext_round_fini.  Errors: LS_ERR_NOMEM. */
ls_err pat_ext_round_init(struct pat_ext_round *r, struct pat_ext_budget *b);
void pat_ext_round_fini(struct pat_ext_round *r);

/* Take as many of the accesses as fit; *taken: how many. It is full when that is not all of them.
 * Errors: LS_ERR_FORMAT when one names what the tables do not have; LS_ERR_NOMEM. */
ls_err pat_ext_round_add(struct pat_ext_round *r, struct pat_ext_budget *b, const struct pat_tables *t,
                         const struct pat_access *a, size_t len, size_t *taken);

/* The accesses of lane l are then those that sorted[l->end - l->len, l->end) names. */
void pat_ext_round_sort(struct pat_ext_round *r);

/* It is empty again; the next one may be larger, if there are many lanes.  It stays as it is. */
void pat_ext_round_next(struct pat_ext_round *r, struct pat_ext_budget *b);

#endif
