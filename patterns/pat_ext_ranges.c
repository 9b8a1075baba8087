/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/pat_ext_ranges.h"

#include <stdlib.h>
#include <string.h>

enum { RANGES_BYTES_EACH = 96, RANGES_FREEZE_MIN = 1024 };

void pat_ext_ranges_init(struct pat_ext_ranges *r)
{
    *r = (struct pat_ext_ranges){0};
    smr_avl_init(&r->live);
}

void pat_ext_ranges_fini(struct pat_ext_ranges *r)
{
    smr_avl_fini(&r->live);
    smr_index_free(r->frozen);
    free(r->has_inner);
    *r = (struct pat_ext_ranges){0};
}

static void ranges_changed(struct pat_ext_ranges *r, uint64_t stamp, uint64_t start, uint64_t end)
{
    r->changes[r->changes_len++ % PAT_EXT_CHANGES] = (struct pat_ext_change){stamp, start, end};
    smr_index_free(r->frozen);
    r->frozen = NULL;
    r->looked_up = 0;
}

static ls_err ranges_reserve(struct pat_ext_ranges *r, size_t row)
{
    if (row < r->has_inner_cap) return LS_OK;
    const size_t cap = row < 1024 ? 2048 : 2 * row;
    uint8_t *wider = realloc(r->has_inner, cap);
    if (!wider) return ls_fail(LS_ERR_NOMEM, "no memory for %zu address ranges", cap);
    memset(wider + r->has_inner_cap, 0, cap - r->has_inner_cap);
    r->has_inner = wider;
    r->has_inner_cap = cap;
    return LS_OK;
}

static ls_err ranges_born(struct pat_ext_ranges *r, struct pat_ext_budget *b, struct smr_range range,
                          uint64_t stamp)
{
    struct smr_range other;
    while (smr_avl_conflict(&r->live, range.base, range.end, &other)) {
        smr_avl_remove(&r->live, other.base, other.value, &other);
        pat_ext_give(b, RANGES_BYTES_EACH);
        ranges_changed(r, stamp, other.base, other.end);
    }
    LS_TRY(ranges_reserve(r, range.value));
    if (smr_avl_last(&r->live, range.base, range.end - 1, &other)) r->has_inner[other.value] = 1;
    r->has_inner[range.value] =
        smr_avl_first_from(&r->live, range.base, range.end, &other) && other.base < range.end;
    LS_TRY(smr_avl_insert(&r->live, range, SMR_AVL_INNER, &other));
    pat_ext_charge(b, RANGES_BYTES_EACH);
    ranges_changed(r, stamp, range.base, range.end);
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
    ranges_changed(r, stamp, range.base, range.end);
    return LS_OK;
}

static bool ranges_innermost(struct pat_ext_ranges *r, uint64_t addr, uint32_t *out)
{
    /* an index pays once it is asked often enough between two changes */
    if (!r->frozen && ++r->looked_up > RANGES_FREEZE_MIN + r->live.len)
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

struct pat_ext_spot pat_ext_ranges_find(struct pat_ext_ranges *r, const struct pat_tables *t, uint64_t addr)
{
    struct pat_ext_spot spot = {0, UINT64_MAX, PAT_NONE};
    if (ranges_innermost(r, addr, &spot.range)) {
        spot.lo = t->ranges[spot.range].start;
        spot.hi = t->ranges[spot.range].end;
        if (!r->has_inner[spot.range]) return spot;
    }
    struct smr_range next;
    if (addr < UINT64_MAX && smr_avl_first_from(&r->live, addr + 1, UINT64_MAX, &next) && next.base < spot.hi)
        spot.hi = next.base;
    spot.lo = ranges_end_before(r, spot.lo, addr);
    return spot;
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
