/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_ranges.h"

#include <stdlib.h>

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

static bool ranges_innermost(struct pat_ext_ranges *r, uint64_t addr, uint32_t *out)
{
    /* an index pays once it is asked often enough between two changes */
    if (!r->frozen && ++r->looked_up > RANGES_FREEZE_MIN + r->live.len / RANGES_FREEZE_PART)
        if (smr_index_new(&r->live, &r->frozen) != LS_OK) r->looked_up = 0;
    if (r->frozen) return smr_index_find(r->frozen, addr, out);
    struct smr_range found;
    if (!smr_avl_last(&r->live, addr, addr, &found)) return false;
    *out = found.value;
    return true;
}

/* The last end at or before addr of the ranges that begin in [start, addr]. */
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
        /* small ones are turned to one after the other: what is around is not asked for */
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
    if (!ranges_innermost(r, addr, &range)) range = PAT_NONE;
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
        if (r->changes_len - i > PAT_EXT_CHANGES) return false; /* no longer told */
        const struct pat_ext_change *c = &r->changes[i % PAT_EXT_CHANGES];
        if (c->stamp <= stamp) return true;
        if (c->start < hi && c->end > lo) return false;
    }
    return true;
}
