/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_pages.h"
#include "patterns/extract/pat_ext_arena.h"

#include <string.h>

/* Once it is a sample, fewer do. */
enum { PAGES_SLOT_LOG2 = 4, PAGES_FIRST_LOG2 = 2, PAGES_SAMPLE_LOG2 = 13, PAGES_HALVINGS_MAX = 63 };

_Static_assert(sizeof(struct pat_ext_page) == 1 << PAGES_SLOT_LOG2, "a slot");

static uint64_t pages_bytes(uint8_t log2_cap)
{
    return log2_cap ? sizeof(struct pat_ext_page) << log2_cap : 0;
}

static size_t pages_cap(const struct pat_ext_pages *p)
{
    return p->log2_cap ? (size_t)1 << p->log2_cap : 0;
}

static bool pages_keeps(const struct pat_ext_pages *p, uint64_t hash)
{
    return !p->halvings || hash >> (64 - p->halvings) == 0;
}

static struct pat_ext_page *pages_find(const struct pat_ext_pages *p, uint64_t hash)
{
    const uint64_t mask = ((uint64_t)1 << p->log2_cap) - 1;
    uint64_t i = hash & mask;
    while (p->slots[i].hash && p->slots[i].hash != hash)
        i = (i + 1) & mask;
    return &p->slots[i];
}

/* NULL without memory. */
static struct pat_ext_page *pages_slots_new(struct pat_ext_budget *b, uint8_t log2_cap)
{
    struct pat_ext_page *slots = pat_ext_arena_take(b->arena, (uint8_t)(log2_cap + PAGES_SLOT_LOG2));
    if (slots) memset(slots, 0, pages_bytes(log2_cap));
    return slots;
}

static void pages_slots_free(const struct pat_ext_pages *p, struct pat_ext_budget *b)
{
    pat_ext_arena_give(b->arena, p->slots, (uint8_t)(p->log2_cap + PAGES_SLOT_LOG2));
}

/* What is still kept moves to a table of another size. False without memory. */
static bool pages_rebuild(struct pat_ext_pages *p, struct pat_ext_budget *b, uint8_t log2_cap)
{
    struct pat_ext_pages fresh = *p;
    fresh.slots = pages_slots_new(b, log2_cap);
    if (!fresh.slots) return false;
    fresh.log2_cap = log2_cap;
    fresh.len = 0;
    fresh.last = NULL;
    for (size_t i = 0; i < pages_cap(p); i++)
        if (p->slots[i].hash && pages_keeps(p, p->slots[i].hash)) {
            *pages_find(&fresh, p->slots[i].hash) = p->slots[i];
            fresh.len++;
        }
    pat_ext_charge(b, pages_bytes(log2_cap));
    pat_ext_give(b, pages_bytes(p->log2_cap));
    pages_slots_free(p, b);
    *p = fresh;
    return true;
}

static size_t pages_kept(const struct pat_ext_pages *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < pages_cap(p); i++)
        kept += p->slots[i].hash && pages_keeps(p, p->slots[i].hash);
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
    if (p->len < pages_cap(p) / 2) return true;
    if (!p->halvings && p->len < PAT_EXT_PAGES_MAX) {
        const uint8_t log2_cap = p->log2_cap ? p->log2_cap + 1 : PAGES_FIRST_LOG2;
        const uint64_t more_bytes = pages_bytes(log2_cap) - pages_bytes(p->log2_cap);
        /* a few are always kept; rebuild charges what it takes */
        if (!p->log2_cap || pat_ext_fits(b, more_bytes)) {
            if (pages_rebuild(p, b, log2_cap)) return true;
        }
    }
    if (!p->log2_cap) return false;
    pages_halve(p, b);
    return p->log2_cap != 0;
}

/* The slot of a page; NULL when it is not kept. */
static struct pat_ext_page *pages_slot(struct pat_ext_pages *p, struct pat_ext_budget *b, uint64_t hash)
{
    if (!pages_keeps(p, hash)) return NULL;
    struct pat_ext_page *slot = p->log2_cap ? pages_find(p, hash) : NULL;
    if (slot && slot->hash) return slot;
    if (!pages_make_room(p, b) || !pages_keeps(p, hash)) return NULL;
    slot = pages_find(p, hash);
    slot->hash = hash;
    p->len++;
    return slot;
}

void pat_ext_pages_turn(struct pat_ext_pages *p, struct pat_ext_budget *b, uint64_t line, uint64_t hash)
{
    p->page = line / PAT_EXT_PAGE_LINES;
    p->last = pages_slot(p, b, hash);
    if (p->last) p->last->lines |= UINT64_C(1) << line % PAT_EXT_PAGE_LINES;
}

void pat_ext_pages_join(struct pat_ext_pages *to, const struct pat_ext_pages *from, struct pat_ext_budget *b)
{
    if (from->halvings > to->halvings) {
        to->halvings = from->halvings;
        if (to->log2_cap && !pages_rebuild(to, b, to->log2_cap)) return;
    }
    for (size_t i = 0; i < pages_cap(from); i++) {
        if (!from->slots[i].hash) continue;
        struct pat_ext_page *slot = pages_slot(to, b, from->slots[i].hash);
        if (slot) slot->lines |= from->slots[i].lines;
    }
}

uint64_t pat_ext_pages_count(const struct pat_ext_pages *p)
{
    return (uint64_t)p->len << p->halvings;
}

uint64_t pat_ext_pages_lines(const struct pat_ext_pages *p)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < pages_cap(p); i++)
        lines += (uint64_t)__builtin_popcountll(p->slots[i].hash ? p->slots[i].lines : 0);
    return lines << p->halvings;
}

void pat_ext_pages_fini(struct pat_ext_pages *p, struct pat_ext_budget *b)
{
    pat_ext_give(b, pages_bytes(p->log2_cap));
    pages_slots_free(p, b);
    *p = (struct pat_ext_pages){0};
}
