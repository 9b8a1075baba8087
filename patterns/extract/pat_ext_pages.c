/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_pages.h"

/* Once it is a sample, fewer do. */
enum { PAGES_FIRST_LOG2 = 2, PAGES_SAMPLE_LOG2 = 13, PAGES_HALVINGS_MAX = 63 };

static struct pat_ext_way *pages_find(const struct pat_ext_pages *p, uint64_t hash)
{
    return pat_ext_ways_find(p->slots, p->log2_cap, hash, hash);
}

/* What is still kept moves to a table of another size. False without memory. */
static bool pages_rebuild(struct pat_ext_pages *p, struct pat_ext_budget *b, uint8_t log2_cap)
{
    struct pat_ext_pages fresh = *p;
    fresh.slots = pat_ext_ways_new(b, log2_cap);
    if (!fresh.slots) return false;
    fresh.log2_cap = log2_cap;
    fresh.len = 0;
    fresh.last = NULL;
    for (size_t i = 0; i < pat_ext_ways_cap(p->log2_cap); i++)
        if (p->slots[i].value && pat_ext_pages_keep(p, p->slots[i].key)) {
            *pages_find(&fresh, p->slots[i].key) = p->slots[i];
            fresh.len++;
        }
    pat_ext_ways_free(p->slots, b, p->log2_cap);
    *p = fresh;
    return true;
}

static size_t pages_kept(const struct pat_ext_pages *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < pat_ext_ways_cap(p->log2_cap); i++)
        kept += p->slots[i].value && pat_ext_pages_keep(p, p->slots[i].key);
    return kept;
}

static void pages_halve(struct pat_ext_pages *p, struct pat_ext_budget *b)
{
    const uint8_t log2_cap = p->log2_cap < PAGES_SAMPLE_LOG2 ? p->log2_cap : PAGES_SAMPLE_LOG2;
    while (pages_kept(p) >= ((size_t)1 << log2_cap) / 2 && p->halvings < PAGES_HALVINGS_MAX)
        p->halvings++;
    if (pages_rebuild(p, b, log2_cap)) return;
    pat_ext_pages_fini(p, b); /* not even that much memory */
    p->halvings = PAGES_HALVINGS_MAX;
}

static bool pages_make_room(struct pat_ext_pages *p, struct pat_ext_budget *b)
{
    if (p->len < pat_ext_ways_cap(p->log2_cap) / 2) return true;
    if (!p->halvings && p->len < PAT_EXT_PAGES_MAX) {
        const uint8_t log2_cap = p->log2_cap ? p->log2_cap + 1 : PAGES_FIRST_LOG2;
        const uint64_t more_bytes = pat_ext_ways_bytes(log2_cap) - pat_ext_ways_bytes(p->log2_cap);
        /* a few are always kept */
        if ((!p->log2_cap || pat_ext_fits(b, more_bytes)) && pages_rebuild(p, b, log2_cap)) return true;
    }
    if (!p->log2_cap) return false;
    pages_halve(p, b);
    return p->log2_cap != 0;
}

/* These lines of the page were touched. Returns its slot, NULL when it is not kept. */
static struct pat_ext_way *pages_add(struct pat_ext_pages *p, struct pat_ext_budget *b, uint64_t hash,
                                     uint64_t lines)
{
    if (!pat_ext_pages_keep(p, hash)) return NULL;
    struct pat_ext_way *slot = p->log2_cap ? pages_find(p, hash) : NULL;
    if (!slot || !slot->value) {
        if (!pages_make_room(p, b) || !pat_ext_pages_keep(p, hash)) return NULL;
        slot = pages_find(p, hash); /* the table may be another one */
        slot->key = hash;
        p->len++;
    }
    slot->value |= lines;
    return slot;
}

void pat_ext_pages_turn(struct pat_ext_pages *p, struct pat_ext_budget *b, uint64_t line, uint64_t hash)
{
    p->page = line / PAT_EXT_PAGE_LINES;
    p->last = pages_add(p, b, hash, UINT64_C(1) << line % PAT_EXT_PAGE_LINES);
}

void pat_ext_pages_join(struct pat_ext_pages *to, const struct pat_ext_pages *from, struct pat_ext_budget *b)
{
    if (from->halvings > to->halvings) {
        to->halvings = from->halvings;
        if (to->log2_cap && !pages_rebuild(to, b, to->log2_cap)) return;
    }
    for (size_t i = 0; i < pat_ext_ways_cap(from->log2_cap); i++)
        if (from->slots[i].value) pages_add(to, b, from->slots[i].key, from->slots[i].value);
}

uint64_t pat_ext_pages_count(const struct pat_ext_pages *p)
{
    return (uint64_t)p->len << p->halvings;
}

uint64_t pat_ext_pages_lines(const struct pat_ext_pages *p)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < pat_ext_ways_cap(p->log2_cap); i++)
        lines += (uint64_t)__builtin_popcountll(p->slots[i].value);
    return lines << p->halvings;
}

void pat_ext_pages_fini(struct pat_ext_pages *p, struct pat_ext_budget *b)
{
    pat_ext_ways_free(p->slots, b, p->log2_cap);
    *p = (struct pat_ext_pages){0};
}
