/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_pending.h"
#include "common/ls_prefetch.h"
#include "patterns/extract/pat_ext_follow.h"
#include "patterns/extract/pat_ext_lines.h"

/* ---- taking apart ---- */

static struct pat_ext_part *pending_filling(struct pat_ext *e)
{
    return &e->pending.parts[e->pending.filling];
}

enum { PENDING_AHEAD = 16 }; /* accesses for which pages of a pool are fetched */

/* Does the row go on at addr, in one line of it? */
static inline bool pending_stays(const struct pat_ext *e, const struct pat_ext_row *r, uint64_t addr,
                                 bool in_pool)
{
    const bool stays =
        addr - r->lo < r->hi - r->lo ||
        (in_pool && pat_ext_in_area(r, addr) && pat_ext_home_pages_know(&e->ranges.pages, addr, r->home));
    return stays && !pat_ext_is_wide(r, addr);
}

/* Of the accesses as many as there is room for. */
static inline size_t pending_apart(struct pat_ext *e, struct pat_ext_row *r,
                                   const struct pat_ext_places *places, bool in_pool)
{
    struct pat_ext_part *p = pending_filling(e);
    const size_t room = PAT_EXT_PART - p->len, most = places->len < room ? places->len : room;
    const uint64_t *addrs = e->round.addrs;
    struct pat_ext_run run = {r->distance, r->run};
    uint64_t before = r->addr, line = r->line;
    uint32_t runs_len = p->runs_len, turned_len = p->turned_len;
    size_t n = 0;
    for (; n < most; n++) {
        const uint32_t at = places->data[n];
        const uint64_t addr = addrs[at];
        ls_prefetch(&addrs[places->data[n + PAT_EXT_ROUND_AHEAD]]); /* the next lane's, too */
        if (in_pool && n + PENDING_AHEAD < places->len)
            pat_ext_home_pages_prefetch(&e->ranges.pages, addrs[places->data[n + PENDING_AHEAD]]);
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

/* ---- counting ---- */

/* What counting the part will need. */
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

/* The row's turns, where its distance changed: they add to the marks of their accesses. */
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
            const bool is_empty = p->runs[run].len == 0; /* a jump was before */
            const struct pat_ext_runs all = {&p->runs[run], s->runs_end - run, s->weight};
            pat_ext_count_runs(e, r, pat_ext_runs_from(all, is_empty));
        }
        uint64_t before = s->line;
        for (; turned < s->turned_end; turned++) {
            const uint64_t line = p->lines[turned];
            const uint32_t at = p->line_at[turned];
            e->round.marks[at] = pat_ext_turn_mark(r, line ^ s->salt, (int64_t)(line - before));
            e->round.whose[at] = r->id;
            pat_ext_pages_touch(&r->pages, &e->counts, line);
            before = line;
        }
        pending_turns(e, r, &p->run_at[run], s->runs_end - run);
        run = s->runs_end;
    }
    p->len = p->stretches_len = p->runs_len = p->turned_len = 0;
}

/* One part is full: it is fetched, the other one is counted and then filled. */
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
    if (!w->lane) return;
    pending_fetch(&w->parts[w->filling]);
    pending_count(e, &w->parts[w->filling ^ 1]);
    pending_count(e, &w->parts[w->filling]);
    w->lane = NULL;
}

size_t pat_ext_pending_take(struct pat_ext *e, struct pat_ext_lane *lane, const struct pat_ext_places *places)
{
    struct pat_ext_part *p = pending_filling(e);
    struct pat_ext_row *r = lane->row;
    struct pat_ext_stretch s = {.row = r, .line = r->line, .salt = e->threads[lane->thread].salt};
    const size_t n = r->is_pool ? pending_apart(e, r, places, true) : pending_apart(e, r, places, false);
    if (!n) return 0;
    s.runs_end = p->runs_len;
    s.turned_end = p->turned_len;
    p->stretches[p->stretches_len++] = s;
    p->len += (uint32_t)n;
    e->pending.lane = lane;
    if (p->len == PAT_EXT_PART) pending_swap(e);
    return n;
}
