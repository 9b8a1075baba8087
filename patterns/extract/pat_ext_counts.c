/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_counts.h"

#include "common/ls_checked.h"

#include <string.h>

/* ---- tables in buckets ---- */

enum { WAYS_SLOT_LOG2 = 4 };

_Static_assert(sizeof(struct pat_ext_way) == 1 << WAYS_SLOT_LOG2, "a slot");

struct pat_ext_way *pat_ext_ways_new(struct pat_ext_budget *b, uint8_t log2_cap)
{
    struct pat_ext_way *slots = pat_ext_arena_take(b->arena, (uint8_t)(log2_cap + WAYS_SLOT_LOG2));
    if (!slots) return NULL;
    memset(slots, 0, pat_ext_ways_bytes(log2_cap));
    pat_ext_charge(b, pat_ext_ways_bytes(log2_cap));
    return slots;
}

void pat_ext_ways_free(struct pat_ext_way *slots, struct pat_ext_budget *b, uint8_t log2_cap)
{
    if (!slots) return;
    pat_ext_give(b, pat_ext_ways_bytes(log2_cap));
    pat_ext_arena_give(b->arena, slots, (uint8_t)(log2_cap + WAYS_SLOT_LOG2));
}

/* ---- greatest common divisor ---- */

/* Replace d's value, which does not divide the number, by their greatest common divisor. */
static void divisor_shrink(struct pat_ext_divisor *d, uint64_t number)
{
    d->value = ls_gcd_u64(number, d->value);
    if (!d->value) return;
    const uint64_t odd = d->value >> __builtin_ctzll(d->value);
    d->inverse = odd; /* correct in the low three bits; each step doubles the number of correct bits (Newton's
                         method) */
    for (int bits = 3; bits < 64; bits *= 2)
        d->inverse *= 2 - odd * d->inverse;
    d->most = UINT64_MAX / d->value;
}

inline void pat_ext_divisor_take(struct pat_ext_divisor *d, uint64_t number)
{
    const uint64_t product = number * d->inverse;
    const int twos = d->value ? __builtin_ctzll(d->value) : 0;
    const uint64_t quotient = product >> twos | product << (-twos & 63); /* if it is a multiple */
    if (!d->value || quotient > d->most) divisor_shrink(d, number);
}

/* ---- distances ---- */

/* A pruned tally is smaller, so that it stays in the near caches. */
enum { TALLY_FIRST_LOG2 = 3, TALLY_PRUNED_LOG2 = 10, TALLY_NEWCOMERS = 8 };
/* The tally is sampled when fewer than FEW of LOOKED look-ups found a slot, until MANY do. */
enum { TALLY_LOOKED = 64, TALLY_FEW = 4, TALLY_MANY = 8 };

/* Find the distance's slot in a tally that is not pruned, or a free one for it. */
static struct pat_ext_way *tally_find(const struct pat_ext_tally *t, int64_t distance)
{
    return pat_ext_ways_find(t->slots, t->log2_cap, pat_ext_tally_slot(t, distance), (uint64_t)distance);
}

/* Move all counts to a larger table. Return false without memory. */
static bool tally_grow(struct pat_ext_tally *t, struct pat_ext_budget *b, uint8_t log2_cap)
{
    struct pat_ext_tally wider = *t;
    wider.slots = pat_ext_ways_new(b, log2_cap);
    if (!wider.slots) return false;
    wider.log2_cap = log2_cap;
    for (size_t i = 0; i < pat_ext_ways_cap(t->log2_cap); i++)
        if (t->slots[i].value) *tally_find(&wider, (int64_t)t->slots[i].key) = t->slots[i];
    pat_ext_ways_free(t->slots, b, t->log2_cap);
    *t = wider;
    return true;
}

/* Return the rarest of the four slots that the distance may have, a free one if there is one. */
static struct pat_ext_way *tally_rarest(const struct pat_ext_tally *t, int64_t distance)
{
    struct pat_ext_way *ways = &t->slots[pat_ext_tally_slot(t, distance)], *rarest = ways;
    for (int i = 1; i < PAT_EXT_WAYS; i++)
        if (ways[i].value < rarest->value) rarest = &ways[i];
    return rarest;
}

static void tally_take(struct pat_ext_tally *t, struct pat_ext_way *way, int64_t distance, uint64_t count)
{
    t->len += way->value == 0;
    *way = (struct pat_ext_way){(uint64_t)distance, count};
}

/* Keep the most frequent distances of each four slots. */
static void tally_prune(struct pat_ext_tally *t, struct pat_ext_budget *b)
{
    struct pat_ext_tally pruned = *t;
    pruned.log2_cap = t->log2_cap < TALLY_PRUNED_LOG2 ? t->log2_cap : TALLY_PRUNED_LOG2;
    pruned.slots = pat_ext_ways_new(b, pruned.log2_cap);
    pruned.is_pruned = true;
    pruned.len = 0;
    if (!pruned.slots) { /* not enough memory even for that: start over */
        memset(t->slots, 0, pat_ext_ways_bytes(t->log2_cap));
        pruned.slots = t->slots;
        pruned.log2_cap = t->log2_cap;
        *t = pruned;
        return;
    }
    for (size_t i = 0; i < pat_ext_ways_cap(t->log2_cap); i++) {
        const struct pat_ext_way *c = &t->slots[i];
        struct pat_ext_way *way = c->value ? tally_rarest(&pruned, (int64_t)c->key) : NULL;
        if (way && way->value < c->value) tally_take(&pruned, way, (int64_t)c->key, c->value);
    }
    pat_ext_ways_free(t->slots, b, t->log2_cap);
    *t = pruned;
}

/* Decide from recent look-ups whether to look up each distance. */
static void tally_watch(struct pat_ext_tally *t, bool is_met)
{
    t->met += is_met;
    if (++t->looked < TALLY_LOOKED) return;
    t->is_sampled = t->met < (t->is_sampled ? TALLY_MANY : TALLY_FEW);
    t->looked = t->met = 0;
}

static bool tally_is_long(struct pat_ext_run run)
{
    return run.len >= TALLY_NEWCOMERS;
}

void pat_ext_tally_add_pruned(struct pat_ext_tally *t, struct pat_ext_run run, uint64_t weight)
{
    const uint64_t count = run.len * weight;
    struct pat_ext_way *way =
        pat_ext_ways_match(&t->slots[pat_ext_tally_slot(t, run.distance)], (uint64_t)run.distance);
    tally_watch(t, way != NULL);
    if (way) {
        t->len += way->value == 0;
        way->value += count;
        return;
    }
    pat_ext_divisor_take(&t->gcd, pat_ext_magnitude(run.distance));
    if (!tally_is_long(run) && ++t->newcomers % TALLY_NEWCOMERS) return;
    way = tally_rarest(t, run.distance);
    if (way->value <= count)
        tally_take(t, way, run.distance, count);
    else
        way->value -= count;
}

/* Make room for one more distance. Return false if there is none, or if the tally was pruned instead. */
static bool tally_make_room(struct pat_ext_tally *t, struct pat_ext_budget *b)
{
    const uint32_t cap = (uint32_t)pat_ext_ways_cap(t->log2_cap);
    if (t->len < PAT_EXT_TALLY_MAX && t->len + 1u <= cap - cap / 4) return true;
    if (t->len < PAT_EXT_TALLY_MAX) {
        const uint8_t log2_cap = t->log2_cap ? t->log2_cap + 1 : TALLY_FIRST_LOG2;
        const uint64_t more_bytes = pat_ext_ways_bytes(log2_cap) - pat_ext_ways_bytes(t->log2_cap);
        /* the first distances are always counted */
        if ((!t->log2_cap || pat_ext_fits(b, more_bytes)) && tally_grow(t, b, log2_cap)) return true;
    }
    if (t->log2_cap) tally_prune(t, b);
    return false;
}

bool pat_ext_tally_add_exact(struct pat_ext_tally *t, struct pat_ext_budget *b, int64_t distance,
                             uint64_t count)
{
    struct pat_ext_way *c = t->log2_cap ? tally_find(t, distance) : NULL;
    if (c && c->value) {
        c->value += count;
        return true;
    }
    pat_ext_divisor_take(&t->gcd, pat_ext_magnitude(distance));
    if (!tally_make_room(t, b)) {
        if (t->is_pruned) pat_ext_tally_add_pruned(t, (struct pat_ext_run){distance, count}, 1);
        return t->is_pruned;
    }
    tally_take(t, tally_find(t, distance), distance, count); /* the table may have been reallocated */
    t->unique++;
    return true;
}

bool pat_ext_tally_add_runs(struct pat_ext_tally *t, struct pat_ext_budget *b, struct pat_ext_runs runs,
                            uint32_t each)
{
    bool is_all = true;
    for (size_t i = 0; i < runs.len; i++) {
        const struct pat_ext_run run = runs.data[i];
        const uint32_t weight = tally_is_long(run) ? 1 : runs.weight;
        if (!weight)
            pat_ext_divisor_take(&t->gcd, pat_ext_magnitude(run.distance));
        else if (t->is_pruned)
            pat_ext_tally_add_pruned(t, run, (uint64_t)weight * each);
        else if (!pat_ext_tally_add_exact(t, b, run.distance, run.len * each))
            is_all = false;
    }
    return is_all;
}

/* Add a count to a pruned tally: a distance without a slot replaces a rarer one. */
static void tally_join_pruned(struct pat_ext_tally *to, int64_t distance, uint64_t count)
{
    struct pat_ext_way *way =
        pat_ext_ways_match(&to->slots[pat_ext_tally_slot(to, distance)], (uint64_t)distance);
    struct pat_ext_way *rarest = tally_rarest(to, distance);
    if (way && way->value)
        way->value += count;
    else if (rarest->value < count)
        tally_take(to, rarest, distance, count);
}

bool pat_ext_tally_join(struct pat_ext_tally *to, const struct pat_ext_tally *from, struct pat_ext_budget *b)
{
    if (from->gcd.value) pat_ext_divisor_take(&to->gcd, from->gcd.value);
    if (from->is_pruned && !to->is_pruned) {
        const bool is_wide = to->log2_cap >= from->log2_cap || tally_grow(to, b, from->log2_cap);
        if (!is_wide && !to->log2_cap) return false;
        tally_prune(to, b);
    }
    if (to->is_pruned && from->unique > to->unique) to->unique = from->unique;
    bool is_all = true;
    for (size_t i = 0; i < pat_ext_ways_cap(from->log2_cap); i++) {
        const struct pat_ext_way *c = &from->slots[i];
        if (!c->value) continue;
        if (to->is_pruned)
            tally_join_pruned(to, (int64_t)c->key, c->value);
        else if (!pat_ext_tally_add_exact(to, b, (int64_t)c->key, c->value))
            is_all = false;
    }
    return is_all;
}

void pat_ext_tally_fini(struct pat_ext_tally *t, struct pat_ext_budget *b)
{
    pat_ext_ways_free(t->slots, b, t->log2_cap);
    *t = (struct pat_ext_tally){.unique = t->unique, .gcd = t->gcd, .is_pruned = t->is_pruned};
}

/* ---- lines and pages ---- */

/* A sample keeps fewer pages. */
enum { PAGES_FIRST_LOG2 = 2, PAGES_SAMPLE_LOG2 = 13, PAGES_HALVINGS_MAX = 63 };

static struct pat_ext_way *pages_find(const struct pat_ext_pages *p, uint64_t hash)
{
    return pat_ext_ways_find(p->slots, p->log2_cap, hash, hash);
}

/* Move the pages still kept to a table of another size. Return false without memory. */
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
    pat_ext_pages_fini(p, b); /* not enough memory even for that */
    p->halvings = PAGES_HALVINGS_MAX;
}

static bool pages_make_room(struct pat_ext_pages *p, struct pat_ext_budget *b)
{
    if (p->len < pat_ext_ways_cap(p->log2_cap) / 2) return true;
    if (!p->halvings && p->len < PAT_EXT_PAGES_MAX) {
        const uint8_t log2_cap = p->log2_cap ? p->log2_cap + 1 : PAGES_FIRST_LOG2;
        const uint64_t more_bytes = pat_ext_ways_bytes(log2_cap) - pat_ext_ways_bytes(p->log2_cap);
        /* the first few are always kept */
        if ((!p->log2_cap || pat_ext_fits(b, more_bytes)) && pages_rebuild(p, b, log2_cap)) return true;
    }
    if (!p->log2_cap) return false;
    pages_halve(p, b);
    return p->log2_cap != 0;
}

/* Record these lines of the page as touched. Return its slot, NULL if it is not kept. */
static struct pat_ext_way *pages_add(struct pat_ext_pages *p, struct pat_ext_budget *b, uint64_t hash,
                                     uint64_t lines)
{
    if (!pat_ext_pages_keep(p, hash)) return NULL;
    struct pat_ext_way *slot = p->log2_cap ? pages_find(p, hash) : NULL;
    if (!slot || !slot->value) {
        if (!pages_make_room(p, b) || !pat_ext_pages_keep(p, hash)) return NULL;
        slot = pages_find(p, hash); /* the table may have been reallocated */
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
