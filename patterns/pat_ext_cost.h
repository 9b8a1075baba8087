/* SPDX-License-Identifier: BSD-3-Clause */
/* What an access is taken to wait for: a model of lines and their reuse, to rank sequences by
 * (doc/patterns.md describes it). Every thread counts the lines that it turns to; how many it turned to since
 * it last had this one tells the level that still holds it. Which lines were turned to when is remembered in
 * a table of fixed size, so what was long ago may be forgotten and then counts as memory.
 *
 * Thread: the owner.  Signal: not safe. */
#ifndef PAT_EXT_COST_H
#define PAT_EXT_COST_H

#include "common/ls_error.h"
#include "patterns/pat_ext_budget.h"

#include <stddef.h>

enum pat_ext_level { PAT_EXT_L1, PAT_EXT_L2, PAT_EXT_L3, PAT_EXT_MEMORY, PAT_EXT_LEVELS };

enum {
    PAT_EXT_COST_WAYS = 4,   /* entries of a bucket */
    PAT_EXT_COST_PARTS = 32, /* parts of a cycle in which waiting is added up */
    PAT_EXT_AHEAD_LINES = 32 /* steps up to so many lines are fetched ahead: 2 KiB */
};

/* Zeroed is empty. */
struct pat_ext_cost {
    uint64_t *entries; /* tag above, count of the thread's lines below */
    uint64_t mask;     /* of the number of a bucket */
};

/* A table that takes about 1/128 of the budget.
 * Owns:   the caller ends c with pat_ext_cost_fini.  Errors: LS_ERR_NOMEM. */
ls_err pat_ext_cost_init(struct pat_ext_cost *c, struct pat_ext_budget *b);
void pat_ext_cost_fini(struct pat_ext_cost *c); /* Errors: none. */

/* The level that holds the line with this hash (pat_ext_hash of the line, with the thread's salt) when the
 * thread turns to it as its now-th; from now on it was used then.  Errors: none. */
enum pat_ext_level pat_ext_cost_turn(struct pat_ext_cost *c, uint64_t hash, uint64_t now);

/* Waiting beyond a hit in the first level, in parts of a cycle. is_ahead: the processor foresees it. */
uint32_t pat_ext_cost_parts(enum pat_ext_level level, bool is_ahead, bool is_store); /* Errors: none. */

static inline void pat_ext_cost_prefetch(const struct pat_ext_cost *c, uint64_t hash)
{
    __builtin_prefetch(&c->entries[(hash & c->mask) * PAT_EXT_COST_WAYS], 1);
}

#endif
