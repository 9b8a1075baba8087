/* SPDX-License-Identifier: BSD-3-Clause */
/* What an access is taken to wait for: a model of lines and their reuse, to rank sequences by
 * (doc/patterns.md describes it). Every thread counts the lines that it turns to; how many it turned to since
 * it last had this one tells the level that still holds it. Which lines were turned to when is remembered in
 * a table of fixed size, so what was long ago may be forgotten and then counts as memory. */
#ifndef PAT_EXT_COST_H
#define PAT_EXT_COST_H

#include "common/ls_error.h"
#include "patterns/extract/pat_ext_budget.h"
#include "patterns/extract/pat_ext_hash.h"

#include <stddef.h>

enum pat_ext_level { PAT_EXT_L1, PAT_EXT_L2, PAT_EXT_L3, PAT_EXT_MEMORY, PAT_EXT_LEVELS };

enum {
    PAT_EXT_COST_WAYS = 4,   /* entries of a bucket */
    PAT_EXT_COST_GROUP = 16, /* buckets of lines that follow each other */
    PAT_EXT_COST_PARTS = 32, /* parts of a cycle in which waiting is added up */
    PAT_EXT_AHEAD_LINES = 32 /* steps up to so many lines are fetched ahead: 2 KiB */
};

enum {
    PAT_EXT_COST_SAMPLE = 8,        /* groups of lines of which one is looked at ... */
    PAT_EXT_COST_SAMPLE_SHIFT = 36, /* ... by bits of the hash that neither the tag nor the bucket uses */
    PAT_EXT_COST_EXACT_PAGES = 32   /* rows that touched no more pages are looked at always */
};
#define PAT_EXT_COST_TIME_BITS 40
#define PAT_EXT_COST_TAG (UINT64_MAX << PAT_EXT_COST_TIME_BITS)

/* Zeroed is empty. */
struct pat_ext_cost {
    uint64_t *entries; /* tag above, count of the thread's lines below */
    uint64_t mask;     /* of the number of a bucket */
};

/* A table that takes about 1/128 of the budget.
 * Owns:   the caller ends c with pat_ext_cost_fini.  Errors: LS_ERR_NOMEM. */
ls_err pat_ext_cost_init(struct pat_ext_cost *c, struct pat_ext_budget *b);
void pat_ext_cost_fini(struct pat_ext_cost *c);

/* Where a line is, if it is in the table at all. */
struct pat_ext_cost_place {
    uint64_t *bucket;
    uint64_t tag;
};

/* Of rows that touch much, lines of one group in eight stand for all (as the spatial sampling of Waldspurger
 * et al., "Efficient MRC Construction with SHARDS", FAST 2015). */
static inline bool pat_ext_cost_samples(uint64_t line)
{
    return (pat_ext_hash(line / PAT_EXT_COST_GROUP) >> PAT_EXT_COST_SAMPLE_SHIFT) % PAT_EXT_COST_SAMPLE == 0;
}

/* Of a line (its number, with its thread's salt). Lines that follow each other have buckets that follow each
 * other, in groups; where a group lies, and with which bucket it begins, is a hash. */
static inline struct pat_ext_cost_place pat_ext_cost_at(const struct pat_ext_cost *c, uint64_t line)
{
    const uint64_t group = pat_ext_hash(line / PAT_EXT_COST_GROUP);
    const uint64_t place = (line + (group >> 32)) % PAT_EXT_COST_GROUP;
    const uint64_t bucket = ((group * PAT_EXT_COST_GROUP + place) & c->mask) * PAT_EXT_COST_WAYS;
    /* the bucket comes from the other end; no tag is 0, as those of free entries are */
    const uint64_t tag = (group & PAT_EXT_COST_TAG) | UINT64_C(1) << PAT_EXT_COST_TIME_BITS;
    return (struct pat_ext_cost_place){&c->entries[bucket], tag};
}

/* Lines that a level holds, and what waiting for one of it takes, in cycles beyond a hit in the first level:
 * round figures of today's server processors, 32 KiB, 1 MiB and 32 MiB of lines of 64 bytes. */
static const struct {
    uint64_t lines;
    uint32_t wait_cycles;
} pat_ext_cost_levels[PAT_EXT_LEVELS] = {{512, 0}, {16384, 10}, {524288, 40}, {UINT64_MAX, 250}};

/* Fetched ahead: bandwidth remains. A store retires before its line is there: what is left is pressure on the
 * store buffer. */
enum { PAT_EXT_COST_AHEAD_LOG2 = 3, PAT_EXT_COST_STORE_LOG2 = 2 };

static inline enum pat_ext_level pat_ext_cost_level(uint64_t lines_since)
{
    return (enum pat_ext_level)((lines_since > pat_ext_cost_levels[PAT_EXT_L1].lines) +
                                (lines_since > pat_ext_cost_levels[PAT_EXT_L2].lines) +
                                (lines_since > pat_ext_cost_levels[PAT_EXT_L3].lines));
}

/* The level that holds the line at place when its thread turns to it as its now-th, 1 at least; from now on
 * it was used then. Which of the entries it has, or which one was not used for longest and is replaced,
 * nothing could foresee: there are no branches. */
static inline enum pat_ext_level pat_ext_cost_turn(struct pat_ext_cost_place place, uint64_t now)
{
    uint64_t *b = place.bucket;
    const uint64_t time = ~PAT_EXT_COST_TAG;
    unsigned same = 0;
    for (unsigned i = 0; i < PAT_EXT_COST_WAYS; i++)
        same |= (unsigned)((b[i] & PAT_EXT_COST_TAG) == place.tag) << i;
    const unsigned low = (b[1] & time) < (b[0] & time), high = 2 + ((b[3] & time) < (b[2] & time));
    unsigned at = (b[high] & time) < (b[low] & time) ? high : low;
    __asm__("" : "+r"(at)); /* else GCC may branch on what follows */
    at = same ? (unsigned)__builtin_ctz(same) : at;
    const uint64_t before = b[at] & time;
    b[at] = place.tag | (now & time);
    return same ? pat_ext_cost_level((now - before) & time) : PAT_EXT_MEMORY;
}

/* Waiting beyond a hit in the first level, in parts of a cycle. is_ahead: the processor foresees it. */
static inline uint32_t pat_ext_cost_parts(enum pat_ext_level level, bool is_ahead, bool is_store)
{
    return pat_ext_cost_levels[level].wait_cycles * PAT_EXT_COST_PARTS >>
           (is_ahead * PAT_EXT_COST_AHEAD_LOG2 + is_store * PAT_EXT_COST_STORE_LOG2);
}

#endif
