/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_engine.h"
#include "common/ls_checked.h"
#include "common/ls_compat.h"

#include <stdlib.h>

/* A sequence is kept beyond kept_max accesses while its stream takes at most kept_max / 8 bytes: it may be
 * folded. */
enum { EXT_SPARSE_PART = 8 };

/* Return how many more accesses may be kept. */
static uint64_t ext_left(const struct pat_ext *e, const struct pat_ext_row *r)
{
    const uint64_t stored = r->repetition ? r->kept - r->repetition->spared : r->kept;
    if (r->stream.len_bytes <= e->kept_max / EXT_SPARSE_PART) return UINT64_MAX;
    return stored < e->kept_max ? e->kept_max - stored : 0;
}

/* Append t to the sequence; the part that does not fit is not kept. */
static void ext_keep(struct pat_ext *e, struct pat_ext_row *r, const struct pat_ext_token *t)
{
    if (r->is_cut) return;
    const uint64_t left = ext_left(e, r);
    if (t->count > left) {
        struct pat_ext_token fits = *t;
        fits.count = left;
        if (left) ext_keep(e, r, &fits);
        r->is_cut = true;
        return;
    }
    if (!pat_ext_stream_put(&r->stream, &e->budget, t)) {
        const bool helped = pat_ext_reclaim(e);
        if (r->is_cut) return; /* the row itself was reclaimed */
        if (!helped || !pat_ext_stream_put(&r->stream, &e->budget, t)) {
            r->is_cut = true;
            return;
        }
    }
    r->kept += t->count;
    r->jumps += t->kind == PAT_EXT_JUMP;
}

/* ---- runs ---- */

/* Keep runs that were not predicted and are already counted. Space is checked once for all of them: they are
 * few. */
static void ext_keep_runs(struct pat_ext *e, struct pat_ext_row *r, struct pat_ext_runs runs)
{
    size_t n = 0;
    uint64_t accesses = 0;
    for (size_t i = 0; i < runs.len; i++)
        accesses += runs.data[i].len;
    if (!r->is_cut && accesses <= ext_left(e, r)) n = pat_ext_stream_put_runs(&r->stream, &e->budget, runs);
    for (size_t i = 0; i < n; i++)
        r->kept += runs.data[i].len;
    for (; n < runs.len; n++)
        ext_keep(e, r,
                 &(struct pat_ext_token){
                     .kind = PAT_EXT_RUN, .distance = runs.data[n].distance, .count = runs.data[n].len});
}

/* Count runs of a row that repeats no round, up to one that may end a round. Return how many. */
static size_t ext_count_new(struct pat_ext *e, struct pat_ext_row *r, struct pat_ext_runs runs)
{
    if (r->repetition) runs.len = pat_ext_repetition_note(r->repetition, runs);
    if (!pat_ext_tally_add_runs(&r->tally, &e->counts, runs, pat_ext_weight(e, r))) r->has_tally_gap = true;
    ext_keep_runs(e, r, runs);
    if (r->is_cut)
        pat_ext_repetition_give_up(e, r);
    else if (r->repetition || r->kept >= PAT_EXT_REPETITION_ACCESSES)
        pat_ext_repetition_look(e, r);
    return runs.len;
}

static bool ext_follows_round(const struct pat_ext_row *r)
{
    return r->repetition && r->repetition->next.count;
}

void pat_ext_count_runs(struct pat_ext *e, struct pat_ext_row *r, struct pat_ext_runs runs)
{
    const uint32_t weight = pat_ext_weight(e, r);
    const uint64_t before = r->before_run;
    for (size_t i = 0; i < runs.len; i++) {
        r->far += pat_ext_magnitude(runs.data[i].distance) >= r->far_bytes ? runs.data[i].len * weight : 0;
        r->before_run += runs.data[i].len;
    }
    if (e->usual > 1) r->weighted += (r->before_run - before) * weight;
    for (size_t i = 0; i < runs.len;) {
        const struct pat_ext_run run = runs.data[i];
        const bool follows = ext_follows_round(r);
        if (follows && pat_ext_repetition_takes(r->repetition, run.distance, run.len)) {
            r->kept += run.len;
            i++;
            continue;
        }
        if (follows) pat_ext_repetition_leave(e, r);
        i += ext_count_new(e, r, pat_ext_runs_from(runs, i));
    }
}

/* ---- jumps ---- */

static void ext_jump(struct pat_ext *e, struct pat_ext_row *r, const struct pat_ext_token *t, uint32_t at)
{
    pat_ext_flush(e, r);
    pat_ext_repetition_leave(e, r);
    ext_keep(e, r, t);
    pat_ext_repetition_jumped(r);
    r->before_run++;
    if (e->usual > 1) {
        r->weight = e->weight;
        r->weighted += r->weight;
    }
    r->addr = t->addr;
    r->distance =
        INT64_MIN; /* no distance so far; if this distance occurs first, it is counted nevertheless */
    pat_ext_take_turn(e, r, at);
}

static uint64_t ext_apart(uint64_t a, uint64_t b)
{
    return a < b ? b - a : a - b;
}

/* Return whether all kept accesses are near the row's last one. */
static bool ext_is_near(const struct pat_ext_row *r)
{
    struct pat_ext_reader reader = pat_ext_stream_read(&r->stream);
    struct pat_ext_token t;
    uint64_t addr = 0;
    while (pat_ext_stream_next(&reader, &t)) {
        addr = t.kind == PAT_EXT_JUMP ? t.addr : addr + (uint64_t)t.distance * t.count;
        if (!pat_ext_in_area(r, addr)) return false;
    }
    return !r->is_cut;
}

/* Decide after the last of the first changes of the range whether the home is one pool or single ranges. */
static void ext_settle_pool(struct pat_ext *e, struct pat_ext_row *r)
{
    const uint64_t anchor = r->anchor;
    r->anchor = r->addr;
    r->is_pool = pat_ext_row_accesses(r) < PAT_EXT_POOL_SWITCHES * PAT_EXT_POOL_VISIT && ext_is_near(r);
    if (!r->is_pool) r->anchor = anchor;
    for (uint32_t i = 0; r->is_pool && i < r->switches; i++) {
        const struct pat_ext_crossing *c = &r->crossings[i];
        if (!pat_ext_tally_add(&r->tally, &e->counts, c->distance, c->weight)) r->has_tally_gap = true;
        r->far += pat_ext_magnitude(c->distance) >= r->far_bytes ? c->weight : 0;
    }
    free(r->crossings);
    r->crossings = NULL;
}

/* Process an access in another range of the home. */
static void ext_switch(struct pat_ext *e, struct pat_ext_row *r, const struct pat_ext_token *t, uint32_t at)
{
    const int64_t distance = (int64_t)(t->addr - r->addr);
    if (r->switches == 0) r->crossings = malloc(PAT_EXT_POOL_SWITCHES * sizeof(*r->crossings));
    if (r->crossings) r->crossings[r->switches] = (struct pat_ext_crossing){distance, e->weight};
    r->cross_gcd = ls_gcd_u64(ext_apart(t->addr, r->addr), r->cross_gcd);
    ext_jump(e, r, t, at);
    if (!r->crossings) return;
    if (++r->switches == PAT_EXT_POOL_SWITCHES) ext_settle_pool(e, r);
}

void pat_ext_arrive(struct pat_ext *e, struct pat_ext_row *r, const struct pat_ext_spot *spot, uint32_t at)
{
    const uint64_t addr = e->buffer.addrs[at];
    const struct pat_ext_token t = {.kind = PAT_EXT_JUMP,
                                    .count = 1,
                                    .addr = addr,
                                    .range = spot->range,
                                    .is_break = r->is_begun && r->stamp < e->threads[r->thread].broken};
    if (spot->range != PAT_NONE) {
        const struct pat_range *range = &e->tables->ranges[spot->range];
        if (range->end - range->start > r->range_bytes) r->range_bytes = range->end - range->start;
        if (spot->range != r->range || t.is_break || !r->is_begun)
            r->offset_gcd = ls_gcd_u64(addr - range->start, r->offset_gcd);
    }
    if (t.is_break) r->cross_gcd = ls_gcd_u64(ext_apart(addr, r->addr), r->cross_gcd);
    if (!r->is_begun || t.is_break)
        ext_jump(e, r, &t, at);
    else if (spot->range == r->range || r->is_pool)
        pat_ext_follow(e, r, at);
    else
        ext_switch(e, r, &t, at);
    r->is_begun = true;
    r->range = spot->range;
    r->lo = spot->lo;
    r->hi = spot->hi;
    if (pat_ext_has_area(e, r)) { /* clip to [anchor - area, anchor + area), without wrapping */
        const uint64_t first = r->anchor < PAT_EXT_AREA_BYTES ? 0 : r->anchor - PAT_EXT_AREA_BYTES;
        const uint64_t last =
            r->anchor > UINT64_MAX - PAT_EXT_AREA_BYTES ? UINT64_MAX : r->anchor + PAT_EXT_AREA_BYTES;
        if (r->lo < first) r->lo = first;
        if (r->hi > last) r->hi = last;
    }
    r->stamp = e->now;
}

/* ---- pending accesses: splitting ---- */

static struct pat_ext_part *pending_filling(struct pat_ext *e)
{
    return &e->pending.parts[e->pending.filling];
}

enum { PENDING_AHEAD = 16 }; /* distance in accesses at which pages of a pool are prefetched */

/* Return whether the row continues at addr, within one line. */
static inline bool pending_stays(const struct pat_ext *e, const struct pat_ext_row *r, uint64_t addr,
                                 bool in_pool)
{
    const bool stays =
        addr - r->lo < r->hi - r->lo ||
        (in_pool && pat_ext_in_area(r, addr) && pat_ext_home_pages_know(&e->ranges.pages, addr, r->home));
    return stays && !pat_ext_is_wide(r, addr);
}

/* Split as many of the accesses as fit into the part. Return how many. */
static inline size_t pending_apart(struct pat_ext *e, struct pat_ext_row *r,
                                   const struct pat_ext_numbers *numbers, bool in_pool)
{
    struct pat_ext_part *p = pending_filling(e);
    const size_t room = PAT_EXT_PART - p->len, most = numbers->len < room ? numbers->len : room;
    const uint64_t *addrs = e->buffer.addrs;
    struct pat_ext_run run = {r->distance, r->run};
    uint64_t before = r->addr, line = r->line;
    uint32_t runs_len = p->runs_len, turned_len = p->turned_len;
    size_t n = 0;
    for (; n < most; n++) {
        const uint32_t at = numbers->data[n];
        const uint64_t addr = addrs[at];
        ls_prefetch(&addrs[numbers->data[n + PAT_EXT_BUFFER_AHEAD]]); /* may belong to the next strand */
        if (in_pool && n + PENDING_AHEAD < numbers->len)
            pat_ext_home_pages_prefetch(&e->ranges.pages, addrs[numbers->data[n + PENDING_AHEAD]]);
        if (!pending_stays(e, r, addr, in_pool)) break;
        const int64_t distance = (int64_t)(addr - before);
        const bool is_same = distance == run.distance, is_turned = addr / 64 != line;
        p->runs[runs_len] = run;
        p->run_at[runs_len] = at;
        runs_len += !is_same;
        run = (struct pat_ext_run){distance, (is_same ? run.len : 0) + 1};
        p->lines[turned_len] = addr / 64;
        p->line_at[turned_len] = at;
        turned_len += is_turned;
        before = addr;
        line = addr / 64;
    }
    p->runs_len = runs_len;
    p->turned_len = turned_len;
    r->distance = run.distance;
    r->run = run.len;
    r->addr = before;
    r->line = line;
    return n;
}

/* ---- pending accesses: counting ---- */

/* Prefetch the data that counting the part needs. */
static void pending_fetch(struct pat_ext_part *p)
{
    uint32_t run = 0, turned = 0;
    for (uint32_t i = 0; i < p->stretches_len; i++) {
        struct pat_ext_stretch *s = &p->stretches[i];
        const struct pat_ext_row *r = s->row;
        uint64_t page = r->pages.page;
        for (; turned < s->turned_end; turned++) {
            if (p->lines[turned] / PAT_EXT_PAGE_LINES != page)
                pat_ext_pages_prefetch(&r->pages, p->lines[turned]);
            page = p->lines[turned] / PAT_EXT_PAGE_LINES;
        }
        if (run == s->runs_end) continue;
        ls_prefetch(s->row->stream.at);
        s->weight = pat_ext_tally_weigh(&s->row->tally);
        for (; s->weight && run < s->runs_end; run++)
            pat_ext_tally_prefetch(&r->tally, p->runs[run].distance);
        run = s->runs_end;
    }
}

/* Note the row's turns where its distance changed: they add to the marks of their accesses. */
static void pending_turns(struct pat_ext *e, struct pat_ext_row *r, const uint32_t *at, size_t len)
{
    if (!len) return;
    if (!pat_ext_turns_seen(&r->turns)) {
        r->turns.len += len;
        return;
    }
    for (size_t i = 0; i < len; i++)
        pat_ext_mark_turn(e, r, at[i]);
}

static void pending_count(struct pat_ext *e, struct pat_ext_part *p)
{
    uint32_t run = 0, turned = 0;
    for (uint32_t i = 0; i < p->stretches_len; i++) {
        const struct pat_ext_stretch *s = &p->stretches[i];
        struct pat_ext_row *r = s->row;
        if (run < s->runs_end) {
            const bool is_empty = p->runs[run].len == 0; /* after a jump */
            const struct pat_ext_runs all = {&p->runs[run], s->runs_end - run, s->weight};
            pat_ext_count_runs(e, r, pat_ext_runs_from(all, is_empty));
        }
        uint64_t before = s->line;
        for (; turned < s->turned_end; turned++) {
            const uint64_t line = p->lines[turned];
            const uint32_t at = p->line_at[turned];
            e->buffer.marks[at] = pat_ext_turn_mark(r, line ^ s->salt, (int64_t)(line - before));
            e->buffer.whose[at] = r->id;
            pat_ext_pages_touch(&r->pages, &e->counts, line);
            before = line;
        }
        pending_turns(e, r, &p->run_at[run], s->runs_end - run);
        run = s->runs_end;
    }
    p->len = p->stretches_len = p->runs_len = p->turned_len = 0;
}

/* Prefetch the full part; count the other one, which is filled next. */
static void pending_swap(struct pat_ext *e)
{
    struct pat_ext_pending *w = &e->pending;
    pending_fetch(&w->parts[w->filling]);
    w->filling ^= 1;
    pending_count(e, &w->parts[w->filling]);
}

void pat_ext_pending_count(struct pat_ext *e)
{
    struct pat_ext_pending *w = &e->pending;
    if (!w->strand) return;
    pending_fetch(&w->parts[w->filling]);
    pending_count(e, &w->parts[w->filling ^ 1]);
    pending_count(e, &w->parts[w->filling]);
    w->strand = NULL;
}

size_t pat_ext_pending_take(struct pat_ext *e, struct pat_ext_strand *strand,
                            const struct pat_ext_numbers *numbers)
{
    struct pat_ext_part *p = pending_filling(e);
    struct pat_ext_row *r = strand->row;
    struct pat_ext_stretch s = {.row = r, .line = r->line, .salt = e->threads[strand->thread].salt};
    const size_t n = r->is_pool ? pending_apart(e, r, numbers, true) : pending_apart(e, r, numbers, false);
    if (!n) return 0;
    s.runs_end = p->runs_len;
    s.turned_end = p->turned_len;
    p->stretches[p->stretches_len++] = s;
    p->len += (uint32_t)n;
    e->pending.strand = strand;
    if (p->len == PAT_EXT_PART) pending_swap(e);
    return n;
}
