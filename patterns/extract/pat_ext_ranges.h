/* SPDX-License-Identifier: BSD-3-Clause */
/* Find the innermost living range at an address, and the interval around it where the answer is the same:
 * callers cache the answer until something in that interval changes. */
#ifndef PAT_EXT_RANGES_H
#define PAT_EXT_RANGES_H

#include "common/ls_compat.h"
#include "patterns/extract/pat_ext.h"
#include "patterns/pat_access.h"
#include "smrtree/smr_avl.h"
#include "smrtree/smr_index.h"

/* ---- homes by page ---- */

/* Map of small ranges to homes, by page: where accesses run over the nodes of one pool, it only matters that
 * an address is in one of the nodes, not in which one. A page that was queried often enough is drawn: a bit
 * for each 16 bytes records whether all of them are in living ranges of one home, the home at the address
 * queried then. Undrawn addresses must be looked up. */
enum { PAT_EXT_DRAWN_BYTES = 16, PAT_EXT_DRAWN_WORDS = 4096 / PAT_EXT_DRAWN_BYTES / 64 };

/* One cache line. */
struct pat_ext_home_page {
    uint64_t page; /* page number + 1, 0: a free slot */
    uint32_t home, asked;
    uint64_t drawn[PAT_EXT_DRAWN_WORDS];
    uint64_t unused[2];
};

/* Zeroed is empty. */
struct pat_ext_home_pages {
    struct pat_ext_home_page *slots;
    uint32_t len;
    uint8_t log2_cap;
};

/* Return the first slot to search for the address's page. Multiplicative hashing by the golden ratio (Knuth,
 * The Art of Computer Programming, volume 3, 6.4). */
static inline uint64_t pat_ext_home_pages_first(const struct pat_ext_home_pages *p, uint64_t addr)
{
    return (addr >> 12) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - p->log2_cap);
}

static inline struct pat_ext_home_page *pat_ext_home_pages_slot(const struct pat_ext_home_pages *p,
                                                                uint64_t addr)
{
    const uint64_t mask = ((uint64_t)1 << p->log2_cap) - 1;
    uint64_t i = pat_ext_home_pages_first(p, addr);
    while (p->slots[i].page && p->slots[i].page != (addr >> 12) + 1)
        i = (i + 1) & mask;
    return &p->slots[i];
}

/* Return whether the innermost living range at addr is known to be one of this home. */
static inline bool pat_ext_home_pages_know(const struct pat_ext_home_pages *p, uint64_t addr, uint32_t home)
{
    if (!p->len) return false;
    const struct pat_ext_home_page *s = pat_ext_home_pages_slot(p, addr);
    const uint64_t at = addr % 4096 / PAT_EXT_DRAWN_BYTES;
    return s->page && s->home == home && s->drawn[at / 64] >> at % 64 & 1;
}

static inline void pat_ext_home_pages_prefetch(const struct pat_ext_home_pages *p, uint64_t addr)
{
    if (p->len) ls_prefetch(&p->slots[pat_ext_home_pages_first(p, addr)]);
}

/* Note that addr had to be looked up among the living ranges, whose values are rows of t. Without memory
 * nothing is drawn. */
void pat_ext_home_pages_ask(struct pat_ext_home_pages *p, struct pat_ext_budget *b,
                            const struct smr_avl *live, const struct pat_tables *t, uint64_t addr);

/* Note that a range was born or died at [start, end). */
void pat_ext_home_pages_change(struct pat_ext_home_pages *p, struct pat_ext_budget *b, uint64_t start,
                               uint64_t end);
void pat_ext_home_pages_fini(struct pat_ext_home_pages *p, struct pat_ext_budget *b);

/* ---- ranges ---- */

enum { PAT_EXT_CHANGES = 64 };

struct pat_ext_change {
    uint64_t stamp, start, end;
};

/* Set up by pat_ext_ranges_init. */
struct pat_ext_ranges {
    struct smr_avl live; /* value: row of the source's ranges */
    smr_index *frozen;   /* index of live, NULL: live has changed since */
    uint64_t looked_up;  /* look-ups since the last change */
    struct pat_ext_change changes[PAT_EXT_CHANGES];
    uint64_t changes_len; /* number of all changes so far */
    struct pat_ext_home_pages pages;
};

/* An interval [lo, hi) around an address, with the same innermost living range everywhere. */
struct pat_ext_spot {
    uint64_t lo, hi;
    uint32_t range; /* PAT_NONE: no range lives here */
};

void pat_ext_ranges_init(struct pat_ext_ranges *r);
void pat_ext_ranges_fini(struct pat_ext_ranges *r, struct pat_ext_budget *b);

/* Process the birth or death of a range, a row of the tables; the source's stamps of events increase.
 * Impossible events (an empty range, a missing row) are ignored. Living ranges that partly overlap a new one
 * are treated as dead, because their deaths were not recorded.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_ext_ranges_event(struct pat_ext_ranges *r, struct pat_ext_budget *b, const struct pat_tables *t,
                            const struct pat_event *event, uint64_t stamp);

/* Errors: LS_ERR_NOMEM is not reported: look-ups are slower then. */
struct pat_ext_spot pat_ext_ranges_find(struct pat_ext_ranges *r, const struct pat_tables *t, uint64_t addr);

/* pat_ext_ranges_find when the innermost living range at addr, or PAT_NONE, is already known. */
struct pat_ext_spot pat_ext_ranges_around(const struct pat_ext_ranges *r, const struct pat_tables *t,
                                          uint64_t addr, uint32_t range);

/* Look up the innermost living ranges at many addresses, PAT_NONE where there is none.
 * Errors: false while there is no index; nothing is looked up. */
bool pat_ext_ranges_bulk(const struct pat_ext_ranges *r, const uint64_t *addrs, size_t len, uint32_t *out);

/* Return whether it is known that nothing in [lo, hi) changed after stamp. */
bool pat_ext_ranges_same(const struct pat_ext_ranges *r, uint64_t stamp, uint64_t lo, uint64_t hi);

#endif
