/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_ranges.h"

#include <stdlib.h>
#include <string.h>

/* Drawing walks over the ranges of a page: it pays for pages that are queried again and again. */
enum {
    HOME_PAGES_ASKED = 16,
    HOME_PAGES_RANGES = 1024,
    HOME_PAGES_SLOT_LOG2 = 6,
    HOME_PAGES_FIRST_LOG2 = 6,
    HOME_PAGES_LAST_LOG2 = 20,
    HOME_PAGES_BUDGET_PART = 32,
    HOME_PAGES_PIECES = 4096 / PAT_EXT_DRAWN_BYTES
};

_Static_assert(sizeof(struct pat_ext_home_page) == 1 << HOME_PAGES_SLOT_LOG2, "a slot is a line");

static uint64_t home_pages_bytes(uint8_t log2_cap)
{
    return log2_cap ? UINT64_C(1) << (log2_cap + HOME_PAGES_SLOT_LOG2) : 0;
}

void pat_ext_home_pages_fini(struct pat_ext_home_pages *p, struct pat_ext_budget *b)
{
    pat_ext_give(b, home_pages_bytes(p->log2_cap));
    pat_ext_arena_give(b->arena, p->slots, (uint8_t)(p->log2_cap + HOME_PAGES_SLOT_LOG2));
    *p = (struct pat_ext_home_pages){0};
}

static bool home_pages_grow(struct pat_ext_home_pages *p, struct pat_ext_budget *b)
{
    const uint8_t log2_cap = p->log2_cap ? p->log2_cap + 1 : HOME_PAGES_FIRST_LOG2;
    const uint64_t len_bytes = home_pages_bytes(log2_cap);
    if (log2_cap > HOME_PAGES_LAST_LOG2 || len_bytes > b->limit_bytes / HOME_PAGES_BUDGET_PART) return false;
    if (!pat_ext_take(b, len_bytes)) return false;
    struct pat_ext_home_pages wider = {.log2_cap = log2_cap, .len = p->len};
    wider.slots = pat_ext_arena_take(b->arena, (uint8_t)(log2_cap + HOME_PAGES_SLOT_LOG2));
    if (!wider.slots) {
        pat_ext_give(b, len_bytes);
        return false;
    }
    memset(wider.slots, 0, len_bytes);
    for (size_t i = 0; p->log2_cap && i < (size_t)1 << p->log2_cap; i++)
        if (p->slots[i].page) *pat_ext_home_pages_slot(&wider, (p->slots[i].page - 1) << 12) = p->slots[i];
    pat_ext_home_pages_fini(p, b);
    *p = wider;
    return true;
}

static uint32_t home_pages_home(const struct pat_tables *t, struct smr_range r)
{
    return r.value < t->ranges_len ? t->ranges[r.value].home : PAT_NONE;
}

/* Return the home of the part of r that no inner range covers; PAT_NONE: another range of the same size may
 * take precedence. */
static uint32_t home_pages_inside(const struct smr_avl *live, const struct pat_tables *t, struct smr_range r)
{
    struct smr_range innermost;
    if (!smr_avl_last(live, r.base, r.base, &innermost) || innermost.base != r.base || innermost.end != r.end)
        return PAT_NONE;
    return home_pages_home(t, innermost);
}

/* Overwrite the earlier ranges where r covers them; pieces that r covers only in part belong to no home. */
static void home_pages_paint(uint32_t *homes, uint64_t from, struct smr_range r, uint32_t home)
{
    const uint64_t first = (r.base - from) / PAT_EXT_DRAWN_BYTES;
    uint64_t last = (r.end - 1 - from) / PAT_EXT_DRAWN_BYTES;
    if (last >= HOME_PAGES_PIECES) last = HOME_PAGES_PIECES - 1;
    for (uint64_t i = first; i <= last; i++) {
        const uint64_t piece = from + i * PAT_EXT_DRAWN_BYTES;
        homes[i] = piece >= r.base && r.end - piece >= PAT_EXT_DRAWN_BYTES ? home : PAT_NONE;
    }
}

static bool home_pages_at(const struct smr_avl *live, const struct pat_tables *t, uint64_t addr,
                          struct smr_range *r)
{
    return smr_avl_last(live, addr, addr, r) && home_pages_home(t, *r) != PAT_NONE;
}

/* Draw the page for the home at addr: first the innermost range that begins before the page and covers its
 * beginning, then the ranges inside the page over it. */
static void home_pages_draw(struct pat_ext_home_page *s, const struct smr_avl *live,
                            const struct pat_tables *t, uint64_t addr)
{
    uint32_t homes[HOME_PAGES_PIECES];
    const uint64_t from = (s->page - 1) << 12;
    struct smr_range r = {.base = from, .end = UINT64_MAX}, at;
    memset(homes, 0xff, sizeof(homes)); /* PAT_NONE */
    s->home = home_pages_at(live, t, addr, &at) ? home_pages_home(t, at) : PAT_NONE;
    if (home_pages_at(live, t, from, &at))
        home_pages_paint(homes, from, (struct smr_range){from, at.end, at.value}, home_pages_home(t, at));
    for (int i = 0; smr_avl_first_from(live, r.base, r.end, &r) && r.base - from < 4096; i++) {
        if (i == HOME_PAGES_RANGES) return; /* too many ranges for an index */
        home_pages_paint(homes, from, r, home_pages_inside(live, t, r));
        r.end--; /* next: ranges that begin here and end earlier, or begin later */
    }
    for (uint64_t i = 0; s->home != PAT_NONE && i < HOME_PAGES_PIECES; i++)
        s->drawn[i / 64] |= (uint64_t)(homes[i] == s->home) << i % 64;
}

void pat_ext_home_pages_ask(struct pat_ext_home_pages *p, struct pat_ext_budget *b,
                            const struct smr_avl *live, const struct pat_tables *t, uint64_t addr)
{
    const uint32_t cap = p->log2_cap ? (uint32_t)1 << p->log2_cap : 0;
    struct pat_ext_home_page *s = cap ? pat_ext_home_pages_slot(p, addr) : NULL;
    if (!s || !s->page) {
        if (p->len >= cap / 2 && !home_pages_grow(p, b)) return;
        s = pat_ext_home_pages_slot(p, addr); /* the table may have moved */
        s->page = (addr >> 12) + 1;
        p->len++;
    }
    if (s->asked <= HOME_PAGES_ASKED && ++s->asked == HOME_PAGES_ASKED) home_pages_draw(s, live, t, addr);
}

void pat_ext_home_pages_change(struct pat_ext_home_pages *p, struct pat_ext_budget *b, uint64_t start,
                               uint64_t end)
{
    if (!p->len) return;
    const uint64_t first = start >> 12, last = (end - 1) >> 12;
    if (last - first > p->len) { /* drop all pages */
        pat_ext_home_pages_fini(p, b);
        return;
    }
    for (uint64_t page = first; page <= last; page++) {
        struct pat_ext_home_page *s = pat_ext_home_pages_slot(p, page << 12);
        if (s->page) *s = (struct pat_ext_home_page){.page = s->page};
    }
}

/* ---- ranges ---- */

enum { RANGES_BYTES_EACH = 96, RANGES_FREEZE_MIN = 64, RANGES_FREEZE_PART = 16, RANGES_SMALL_BYTES = 256 };

void pat_ext_ranges_init(struct pat_ext_ranges *r)
{
    *r = (struct pat_ext_ranges){0};
    smr_avl_init(&r->live);
}

void pat_ext_ranges_fini(struct pat_ext_ranges *r, struct pat_ext_budget *b)
{
    pat_ext_home_pages_fini(&r->pages, b);
    smr_avl_fini(&r->live);
    smr_index_free(r->frozen);
    *r = (struct pat_ext_ranges){0};
}

static void ranges_changed(struct pat_ext_ranges *r, struct pat_ext_budget *b, uint64_t stamp, uint64_t start,
                           uint64_t end)
{
    pat_ext_home_pages_change(&r->pages, b, start, end);
    r->changes[r->changes_len++ % PAT_EXT_CHANGES] = (struct pat_ext_change){stamp, start, end};
    smr_index_free(r->frozen);
    r->frozen = NULL;
    r->looked_up = 0;
}

static ls_err ranges_born(struct pat_ext_ranges *r, struct pat_ext_budget *b, struct smr_range range,
                          uint64_t stamp)
{
    struct smr_range other;
    ls_err err;
    while ((err = smr_avl_insert(&r->live, range, SMR_AVL_INNER, &other)) == LS_ERR_OVERLAP) {
        smr_avl_remove(&r->live, other.base, other.value, &other);
        pat_ext_give(b, RANGES_BYTES_EACH);
        ranges_changed(r, b, stamp, other.base, other.end);
    }
    LS_TRY(err);
    pat_ext_charge(b, RANGES_BYTES_EACH);
    ranges_changed(r, b, stamp, range.base, range.end);
    return LS_OK;
}

ls_err pat_ext_ranges_event(struct pat_ext_ranges *r, struct pat_ext_budget *b, const struct pat_tables *t,
                            const struct pat_event *event, uint64_t stamp)
{
    if (event->what >= t->ranges_len) return LS_OK;
    const struct pat_range *row = &t->ranges[event->what];
    if (row->start >= row->end) return LS_OK;
    const struct smr_range range = {row->start, row->end, event->what};
    if (event->kind == PAT_EVENT_RANGE_BORN) return ranges_born(r, b, range, stamp);
    if (!smr_avl_remove(&r->live, range.base, range.value, NULL)) return LS_OK;
    pat_ext_give(b, RANGES_BYTES_EACH);
    ranges_changed(r, b, stamp, range.base, range.end);
    return LS_OK;
}

static bool ranges_look_up(struct pat_ext_ranges *r, uint64_t addr, uint32_t *out)
{
    /* an index pays after enough look-ups between two changes */
    if (!r->frozen && ++r->looked_up > RANGES_FREEZE_MIN + r->live.len / RANGES_FREEZE_PART)
        if (smr_index_new(&r->live, &r->frozen) != LS_OK) r->looked_up = 0;
    if (r->frozen) return smr_index_find(r->frozen, addr, out);
    struct smr_range found;
    if (!smr_avl_last(&r->live, addr, addr, &found)) return false;
    *out = found.value;
    return true;
}

/* Return the last end at or before addr of the ranges that begin in [start, addr]. */
static uint64_t ranges_end_before(const struct pat_ext_ranges *r, uint64_t start, uint64_t addr)
{
    struct smr_range before, outer;
    if (!smr_avl_last(&r->live, addr, 0, &before) || before.end > addr) return start;
    uint64_t end = before.end;
    while (smr_avl_last(&r->live, before.base, end, &outer) && outer.end <= addr)
        end = outer.end;
    return end > start ? end : start;
}

struct pat_ext_spot pat_ext_ranges_around(const struct pat_ext_ranges *r, const struct pat_tables *t,
                                          uint64_t addr, uint32_t range)
{
    struct pat_ext_spot spot = {0, UINT64_MAX, range};
    if (range != PAT_NONE) {
        spot.lo = t->ranges[range].start;
        spot.hi = t->ranges[range].end;
        /* accesses to small ranges move from one to another: do not look up the surroundings */
        if (r->frozen && spot.hi - spot.lo <= RANGES_SMALL_BYTES) {
            spot.lo = addr;
            spot.hi = addr + 1;
            return spot;
        }
    }
    struct smr_range next;
    if (addr < UINT64_MAX && smr_avl_first_from(&r->live, addr + 1, UINT64_MAX, &next) && next.base < spot.hi)
        spot.hi = next.base;
    spot.lo = ranges_end_before(r, spot.lo, addr);
    return spot;
}

struct pat_ext_spot pat_ext_ranges_find(struct pat_ext_ranges *r, const struct pat_tables *t, uint64_t addr)
{
    uint32_t range;
    if (!ranges_look_up(r, addr, &range)) range = PAT_NONE;
    return pat_ext_ranges_around(r, t, addr, range);
}

bool pat_ext_ranges_bulk(const struct pat_ext_ranges *r, const uint64_t *addrs, size_t len, uint32_t *out)
{
    if (!r->frozen) return false;
    smr_index_find_bulk(r->frozen, addrs, len, out);
    return true;
}

bool pat_ext_ranges_same(const struct pat_ext_ranges *r, uint64_t stamp, uint64_t lo, uint64_t hi)
{
    for (uint64_t i = r->changes_len; i-- > 0;) {
        if (r->changes_len - i > PAT_EXT_CHANGES) return false; /* the change is too old to be recorded */
        const struct pat_ext_change *c = &r->changes[i % PAT_EXT_CHANGES];
        if (c->stamp <= stamp) return true;
        if (c->start < hi && c->end > lo) return false;
    }
    return true;
}
