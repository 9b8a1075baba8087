/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_tally.h"
#include "patterns/extract/pat_ext_arena.h"

#include <string.h>

/* After pruning less is kept: the table then stays near the processor. */
enum { TALLY_SLOT_LOG2 = 4, TALLY_FIRST_LOG2 = 3, TALLY_PRUNED_LOG2 = 11, TALLY_NEWCOMERS = 8 };

uint64_t pat_ext_gcd(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint64_t tally_magnitude(int64_t distance)
{
    return distance < 0 ? -(uint64_t)distance : (uint64_t)distance;
}

static struct pat_ext_count *tally_find(const struct pat_ext_tally *t, int64_t distance)
{
    const uint32_t mask = (1u << t->log2_cap) - 1;
    uint32_t i = pat_ext_tally_slot(t, distance);
    while (t->slots[i].count && t->slots[i].distance != distance)
        i = (i + 1) & mask;
    return &t->slots[i];
}

_Static_assert(sizeof(struct pat_ext_count) == 1 << TALLY_SLOT_LOG2, "a slot");

static uint64_t tally_bytes(uint8_t log2_cap)
{
    return log2_cap ? sizeof(struct pat_ext_count) << log2_cap : 0;
}

/* NULL without memory. */
static struct pat_ext_count *tally_slots_new(struct pat_ext_budget *b, uint8_t log2_cap)
{
    struct pat_ext_count *slots = pat_ext_arena_take(b->arena, (uint8_t)(log2_cap + TALLY_SLOT_LOG2));
    if (slots) memset(slots, 0, tally_bytes(log2_cap));
    return slots;
}

static void tally_slots_free(const struct pat_ext_tally *t, struct pat_ext_budget *b)
{
    pat_ext_arena_give(b->arena, t->slots, (uint8_t)(t->log2_cap + TALLY_SLOT_LOG2));
}

/* Move what occurred more than `floor` times to a table of another size. False without memory. */
static bool tally_rebuild(struct pat_ext_tally *t, struct pat_ext_budget *b, uint8_t log2_cap, uint64_t floor)
{
    struct pat_ext_tally fresh = *t;
    fresh.slots = tally_slots_new(b, log2_cap);
    if (!fresh.slots) return false;
    fresh.log2_cap = log2_cap;
    fresh.len = 0;
    for (size_t i = 0; t->slots && i < (size_t)1 << t->log2_cap; i++)
        if (t->slots[i].count > floor) {
            *tally_find(&fresh, t->slots[i].distance) = t->slots[i];
            fresh.len++;
        }
    pat_ext_charge(b, tally_bytes(log2_cap));
    pat_ext_give(b, tally_bytes(t->log2_cap));
    tally_slots_free(t, b);
    *t = fresh;
    return true;
}

/* The lowest power of two that at most `most` counts are above. */
static uint64_t tally_floor(const struct pat_ext_tally *t, uint32_t most)
{
    for (uint64_t floor = 1;; floor *= 2) {
        uint32_t left = 0;
        for (size_t i = 0; i < (size_t)1 << t->log2_cap; i++)
            left += t->slots[i].count > floor;
        if (left <= most) return floor;
    }
}

/* Drop the rare ones. The new table is no larger than the old one, which goes at once. */
static void tally_prune(struct pat_ext_tally *t, struct pat_ext_budget *b)
{
    const uint8_t log2_cap = t->log2_cap < TALLY_PRUNED_LOG2 ? t->log2_cap : TALLY_PRUNED_LOG2;
    const uint64_t floor = tally_floor(t, (1u << log2_cap) / 4);
    t->is_pruned = true;
    if (tally_rebuild(t, b, log2_cap, floor)) return;
    for (size_t i = 0; i < (size_t)1 << t->log2_cap; i++)
        t->slots[i].count = 0; /* not even that much memory: begin again */
    t->len = 0;
}

/* Room for one more. */
static bool tally_make_room(struct pat_ext_tally *t, struct pat_ext_budget *b)
{
    const uint32_t cap = t->log2_cap ? 1u << t->log2_cap : 0;
    if (t->len < PAT_EXT_TALLY_MAX && t->len + 1 <= cap - cap / 4) return true;
    if (!t->is_pruned && t->len < PAT_EXT_TALLY_MAX) {
        const uint8_t log2_cap = t->log2_cap ? t->log2_cap + 1 : TALLY_FIRST_LOG2;
        const uint64_t more_bytes = tally_bytes(log2_cap) - tally_bytes(t->log2_cap);
        /* a few are always counted; rebuild charges what it takes */
        if (!t->log2_cap || pat_ext_fits(b, more_bytes)) {
            if (tally_rebuild(t, b, log2_cap, 0)) return true;
        }
    }
    if (!t->log2_cap) return false;
    tally_prune(t, b);
    return true;
}

bool pat_ext_tally_add(struct pat_ext_tally *t, struct pat_ext_budget *b, int64_t distance, uint64_t count)
{
    struct pat_ext_count *c = t->log2_cap ? tally_find(t, distance) : NULL;
    if (c && c->count) {
        c->count += count;
        return true;
    }
    const uint64_t magnitude = tally_magnitude(distance);
    if (t->gcd == 0 || magnitude % t->gcd) t->gcd = pat_ext_gcd(magnitude, t->gcd);
    if (t->is_pruned && ++t->newcomers % TALLY_NEWCOMERS) return true;
    if (!tally_make_room(t, b)) return false;
    c = tally_find(t, distance); /* the table may be another one */
    *c = (struct pat_ext_count){distance, count};
    t->len++;
    if (!t->is_pruned) t->unique++;
    return true;
}

void pat_ext_tally_fini(struct pat_ext_tally *t, struct pat_ext_budget *b)
{
    pat_ext_give(b, tally_bytes(t->log2_cap));
    tally_slots_free(t, b);
    *t = (struct pat_ext_tally){.unique = t->unique, .gcd = t->gcd, .is_pruned = t->is_pruned};
}
