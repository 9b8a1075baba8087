/* SPDX-License-Identifier: BSD-3-Clause */
/* Which lines and pages were touched: exact up to PAT_EXT_PAGES_MAX pages of 4 KiB. Beyond that, or when
 * memory is short, a sample of the pages that halves itself (adaptive sampling: Flajolet, "On adaptive
 * sampling", Computing 43, 1990), with the lines of those: a standard error of about 1.5 %. */
#ifndef PAT_EXT_PAGES_H
#define PAT_EXT_PAGES_H

#include "common/ls_prefetch.h"
#include "patterns/extract/pat_ext_budget.h"
#include "patterns/extract/pat_ext_hash.h"
#include "patterns/extract/pat_ext_ways.h"

#include <stddef.h>

enum { PAT_EXT_PAGES_MAX = 16384, PAT_EXT_PAGE_LINES = 64, PAT_EXT_PAGES_FETCHED = 3 };

/* Zeroed is empty. */
struct pat_ext_pages {
    struct pat_ext_way *slots; /* a bit for each line, by the hash of the page's number */
    uint32_t len;
    uint8_t log2_cap; /* 0: none */
    uint8_t halvings; /* only hashes with so many leading zeros are kept */
    uint64_t page;    /* the last one, and its slot, NULL when it is not kept */
    struct pat_ext_way *last;
};

/* pat_ext_pages_touch of a page that is not where it is looked for first; hash: of the page. */
void pat_ext_pages_turn(struct pat_ext_pages *p, struct pat_ext_budget *b, uint64_t line, uint64_t hash);

/* Does its sample have the page? */
static inline bool pat_ext_pages_keep(const struct pat_ext_pages *p, uint64_t hash)
{
    return !p->halvings || hash >> (64 - p->halvings) == 0;
}

/* The bucket where it is looked for first; there must be slots. */
static inline struct pat_ext_way *pat_ext_pages_bucket(const struct pat_ext_pages *p, uint64_t hash)
{
    return &p->slots[hash & (((uint64_t)1 << p->log2_cap) - PAT_EXT_WAYS)];
}

/* The line (address / 64) was touched. Without memory it counts for less precision. */
static inline void pat_ext_pages_touch(struct pat_ext_pages *p, struct pat_ext_budget *b, uint64_t line)
{
    const uint64_t page = line / PAT_EXT_PAGE_LINES;
    if (!p->log2_cap) {
        pat_ext_pages_turn(p, b, line, pat_ext_hash(page));
        return;
    }
    if (p->page != page) {
        const uint64_t hash = pat_ext_hash(page);
        struct pat_ext_way *way =
            pat_ext_pages_keep(p, hash) ? pat_ext_ways_match(pat_ext_pages_bucket(p, hash), hash) : NULL;
        p->page = page;
        p->last = way;
        if (pat_ext_pages_keep(p, hash) && (!way || !way->value)) {
            pat_ext_pages_turn(p, b, line, hash);
            return;
        }
    }
    if (p->last) p->last->value |= UINT64_C(1) << line % PAT_EXT_PAGE_LINES;
}

/* Once it is a sample of few pages, it is not worth telling which. */
static inline void pat_ext_pages_prefetch(const struct pat_ext_pages *p, uint64_t line)
{
    if (!p->log2_cap || p->halvings > PAT_EXT_PAGES_FETCHED) return;
    const uint64_t hash = pat_ext_hash(line / PAT_EXT_PAGE_LINES);
    if (pat_ext_pages_keep(p, hash)) ls_prefetch(pat_ext_pages_bucket(p, hash));
}

/* Everything that was touched in `from` was touched in `to` as well. */
void pat_ext_pages_join(struct pat_ext_pages *to, const struct pat_ext_pages *from, struct pat_ext_budget *b);

uint64_t pat_ext_pages_count(const struct pat_ext_pages *p);
uint64_t pat_ext_pages_lines(const struct pat_ext_pages *p);
void pat_ext_pages_fini(struct pat_ext_pages *p, struct pat_ext_budget *b);

#endif
