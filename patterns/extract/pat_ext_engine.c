/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_engine.h"
#include "patterns/extract/pat_ext_follow.h"
#include "patterns/extract/pat_ext_rows.h"

#include <stdlib.h>

/* Of the memory allowed, for rows and their sequences, and for counts of distances and pages; the rest is for
 * the sequences that are handed over. */
enum { EXT_SHARE = 3, EXT_COUNTS_SHARE = 2, EXT_SHARES = 8 };
enum { EXT_FOUND_FIRST_LOG2 = 10 };
/* How many accesses ahead memory is fetched, and at which steps of lanes ahead what leads to their rows;
 * look-ups in one go, and the part of accesses that must need one. */
enum { EXT_AHEAD = 16, EXT_LANES_AHEAD = 2, EXT_BULK = 256, EXT_BULK_PART = 4 };

ls_err pat_ext_init(struct pat_ext *e, const struct pat_extract_options *options)
{
    *e = (struct pat_ext){.options = options};
    pat_ext_arena_init(&e->arena, options->memory_bytes);
    e->budget.arena = e->counts.arena = &e->arena;
    e->budget.limit_bytes = options->memory_bytes / EXT_SHARES * EXT_SHARE;
    e->counts.limit_bytes = options->memory_bytes / EXT_SHARES * EXT_COUNTS_SHARE;
    e->kept_max =
        (options->memory_bytes - e->budget.limit_bytes - e->counts.limit_bytes) / sizeof(int64_t) / 2;
    pat_ext_ranges_init(&e->ranges);
    e->found_log2 = EXT_FOUND_FIRST_LOG2;
    e->found = calloc((size_t)1 << e->found_log2, sizeof(struct pat_ext_row *));
    if (!e->found) return ls_fail(LS_ERR_NOMEM, "no memory to extract patterns");
    pat_ext_charge(&e->budget, sizeof(struct pat_ext_row *) << e->found_log2);
    LS_TRY(pat_ext_round_init(&e->round, &e->budget));
    return pat_ext_cost_init(&e->cost, &e->budget);
}

void pat_ext_fini(struct pat_ext *e)
{
    for (size_t i = 0; i < e->rows_len; i++)
        pat_ext_row_drop(e, pat_ext_row(e, (uint32_t)i));
    for (size_t i = 0; i < e->slabs_len; i++)
        pat_ext_arena_give(&e->arena, e->slabs[i], PAT_EXT_SLAB_LOG2);
    free(e->slabs);
    for (size_t i = 0; i < e->threads_len; i++)
        pat_ext_windows_free(e->threads[i].windows);
    free(e->threads);
    free(e->appearances.counts);
    free(e->found);
    pat_ext_round_fini(&e->round);
    pat_ext_ranges_fini(&e->ranges, &e->budget);
    pat_ext_cost_fini(&e->cost);
    pat_ext_arena_fini(&e->arena);
    *e = (struct pat_ext){0};
}

/* ---- where an access belongs ---- */

static bool ext_holds(const struct pat_ext_row *r, uint64_t addr, uint64_t need)
{
    return addr - r->lo < r->hi - r->lo && r->stamp >= need;
}

/* What was looked up for some accesses of a lane at once; none: NULL. */
struct ext_part {
    struct pat_ext_lane *lane;
    uint64_t need;          /* rows that were valid at this stamp are so now */
    const uint32_t *ranges; /* by access */
    const struct pat_ext_step *steps;
};

static struct pat_ext_spot ext_spot(struct pat_ext *e, const struct ext_part *part,
                                    const struct pat_ext_step *step)
{
    if (pat_ext_is_published(e)) return (struct pat_ext_spot){0, UINT64_MAX, PAT_NONE};
    part->lane->looked_up++;
    if (part->ranges)
        return pat_ext_ranges_around(&e->ranges, e->tables, step->addr, part->ranges[step - part->steps]);
    return pat_ext_ranges_find(&e->ranges, e->tables, step->addr);
}

static uint32_t ext_home(const struct pat_ext *e, uint32_t range)
{
    if (range == PAT_NONE) return PAT_NONE;
    const uint32_t home = e->tables->ranges[range].home;
    return home < e->tables->homes_len ? home : PAT_NONE;
}

/* The lane goes on with r. */
static struct pat_ext_row *ext_go_on(struct pat_ext *e, struct ext_part *part, struct pat_ext_row *r,
                                     const struct pat_ext_step *step, uint8_t *mark)
{
    part->lane->row = r;
    pat_ext_follow(e, r, step, mark);
    return r;
}

/* Is addr in another node of r's pool, for certain? */
static bool ext_is_of_pool(const struct pat_ext *e, const struct ext_part *part, const struct pat_ext_row *r,
                           uint64_t addr)
{
    return r->is_pool && r->stamp >= e->threads[part->lane->thread].broken && pat_ext_in_area(r, addr) &&
           pat_ext_home_pages_know(&e->ranges.pages, addr, r->home);
}

/* The row of an access that is not simply the next one of its lane's last row; NULL: no memory for it. */
static struct pat_ext_row *ext_place(struct pat_ext *e, struct ext_part *part,
                                     const struct pat_ext_step *step, uint8_t *mark)
{
    struct pat_ext_row *r = part->lane->row;
    if (r && r->other && ext_holds(r->other, step->addr, part->need)) {
        r->other->other = r;
        return ext_go_on(e, part, r->other, step, mark);
    }
    if (r && step->addr - r->lo < r->hi - r->lo && r->stamp >= e->threads[part->lane->thread].broken &&
        pat_ext_ranges_same(&e->ranges, r->stamp, r->lo, r->hi)) {
        r->stamp = e->now;
        return ext_go_on(e, part, r, step, mark);
    }
    if (r && ext_is_of_pool(e, part, r, step->addr)) {
        r->stamp = e->now;
        r->lo = step->addr; /* around it is not known */
        r->hi = step->addr + 1;
        return ext_go_on(e, part, r, step, mark);
    }
    const struct pat_ext_spot spot = ext_spot(e, part, step);
    const uint32_t home = ext_home(e, spot.range);
    const bool stays = r && r->home == home && (!pat_ext_has_area(e, r) || pat_ext_in_area(r, step->addr));
    struct pat_ext_row *to = stays ? r : pat_ext_row_at(e, part->lane, step, home);
    if (!to) {
        e->unplaced++;
        return NULL;
    }
    if (to->is_pool && home != PAT_NONE)
        pat_ext_home_pages_ask(&e->ranges.pages, &e->budget, &e->ranges.live, e->tables, step->addr);
    if (to != r) to->other = r;
    pat_ext_arrive(e, to, &spot, step, mark);
    return part->lane->row = to;
}

/* ---- lines ---- */

/* The row's next line. True: it is fetched ahead. */
static bool ext_turn_to_line(struct pat_ext *e, struct pat_ext_row *r, uint64_t line)
{
    const int64_t step = (int64_t)(line - r->line);
    const bool is_ahead = step == r->line_step && step >= -PAT_EXT_AHEAD_LINES && step <= PAT_EXT_AHEAD_LINES;
    r->line_step = step;
    r->line = line;
    if (!pat_ext_echo_knows(r->echo, r->distance, r->run)) pat_ext_pages_touch(&r->pages, &e->counts, line);
    return is_ahead;
}

static bool ext_is_exact(const struct pat_ext_row *r)
{
    return r->pages.len <= PAT_EXT_COST_EXACT_PAGES;
}

/* An access of several lines: those that are not the one before are turned to. */
static void ext_turn_wide(struct pat_ext *e, struct pat_ext_row *r, const struct pat_ext_step *step,
                          uint64_t last, uint8_t *mark)
{
    static const uint8_t ahead[] = {PAT_EXT_MARK_AHEAD, PAT_EXT_MARK_AHEAD_NEXT};
    uint64_t line = step->addr >> 6;
    *mark |= PAT_EXT_MARK_TURNED | PAT_EXT_MARK_WIDE | (ext_is_exact(r) ? PAT_EXT_MARK_EXACT : 0);
    if (line == r->line) {
        *mark |= PAT_EXT_MARK_SKIPS;
        line++;
    }
    for (int i = 0; line <= last; i++, line++) {
        if (ext_turn_to_line(e, r, line) && i < 2) *mark |= ahead[i];
    }
}

/* The lines from that of the access's first byte to that of its last. */
static inline void ext_turn(struct pat_ext *e, struct pat_ext_row *r, const struct pat_ext_step *step,
                            uint64_t salt, uint8_t *mark)
{
    const uint64_t first = step->addr >> 6, last = pat_ext_last_byte(r, step->addr) >> 6;
    if (first == r->line && first == last) return;
    if (first != last) {
        ext_turn_wide(e, r, step, last, mark);
        return;
    }
    const bool is_exact = ext_is_exact(r), is_sampled = pat_ext_cost_samples(first ^ salt);
    *mark |= (uint8_t)(PAT_EXT_MARK_TURNED | is_exact * PAT_EXT_MARK_EXACT |
                       (is_exact | is_sampled) * PAT_EXT_MARK_JUDGED);
    if (ext_turn_to_line(e, r, first)) *mark |= PAT_EXT_MARK_AHEAD;
}

/* ---- batches ---- */

static ls_err ext_threads_grow(struct pat_ext *e)
{
    const size_t len = e->tables->threads_len;
    if (len <= e->threads_len) return LS_OK;
    struct pat_ext_thread *wider = realloc(e->threads, len * sizeof(*wider));
    if (!wider) return ls_fail(LS_ERR_NOMEM, "no memory for %zu threads", len);
    e->threads = wider;
    for (size_t i = e->threads_len; i < len; i++)
        e->threads[i] = (struct pat_ext_thread){.salt = i ? pat_ext_hash(i) << 8 : 0};
    pat_ext_charge(&e->budget, (len - e->threads_len) * sizeof(*wider));
    e->threads_len = len;
    return LS_OK;
}

static ls_err ext_round(struct pat_ext *e);

static ls_err ext_event(struct pat_ext *e, const struct pat_event *event)
{
    switch (event->kind) {
    case PAT_EVENT_RANGE_BORN:
    case PAT_EVENT_RANGE_DIED:
        if (pat_ext_is_published(e)) return LS_OK;
        LS_TRY(ext_round(e)); /* what came before does not know of it */
        e->now++;
        e->ranges_stamp = e->now;
        return pat_ext_ranges_event(&e->ranges, &e->budget, e->tables, event, e->now);
    case PAT_EVENT_BREAK:
        LS_TRY(ext_round(e));
        e->now++;
        for (size_t i = 0; i < e->threads_len; i++)
            if (event->thread == PAT_NONE || event->thread == i) e->threads[i].broken = e->now;
        return LS_OK;
    default: /* phases are no matter of order */
        return LS_OK;
    }
}

/* Published modes: the thread's windows see it too. */
static ls_err ext_see(struct pat_ext *e, struct pat_ext_thread *t, const struct pat_access *a)
{
    struct pat_ext_appearances *seen = &e->appearances;
    if (a->site >= seen->len) {
        const size_t len = e->tables->sites_len;
        uint64_t *wider = realloc(seen->counts, len * sizeof(*wider));
        if (!wider) return ls_fail(LS_ERR_NOMEM, "no memory for %zu sites", len);
        for (size_t i = seen->len; i < len; i++)
            wider[i] = 0;
        *seen = (struct pat_ext_appearances){wider, len};
    }
    if (!t->windows) {
        t->windows = pat_ext_windows_new(e->options);
        if (!t->windows) return ls_fail(LS_ERR_NOMEM, "no memory for the windows of a thread");
        pat_ext_charge(&e->budget, pat_ext_windows_bytes(e->options));
    }
    pat_ext_windows_see(t->windows, seen, a->site, &e->tables->sites[a->site], a->addr);
    return LS_OK;
}

/* ---- rounds ---- */

/* Where memory is fetched from that lanes will need: some accesses ahead of the one that is followed. */
struct ext_cursor {
    const uint32_t *lane, *lanes_end;
    size_t at, lane_end;
    const struct pat_ext_row *row; /* of the lane, NULL: not known */
    uint64_t addr;                 /* before */
};

static void ext_prefetch_row(const struct pat_ext_row *r, int from, int to)
{
    for (int line = from; line < to; line++)
        ls_prefetch((const char *)r + (ptrdiff_t)line * PAT_EXT_ROW_LINE_BYTES);
}

/* Some lanes before its turn, first what every row needs; then it tells whether it needs more. */
static void ext_prefetch_lane(const struct pat_ext_lane *lanes, const uint32_t *lane, const uint32_t *end)
{
    if (end - lane > 4 * EXT_LANES_AHEAD) ls_prefetch(&lanes[lane[4 * EXT_LANES_AHEAD]]);
    const struct pat_ext_row *far =
        end - lane > 2 * EXT_LANES_AHEAD ? lanes[lane[2 * EXT_LANES_AHEAD]].row : NULL;
    if (far) ext_prefetch_row(far, 0, PAT_EXT_ROW_LINES_TURN);
    const struct pat_ext_row *near = end - lane > EXT_LANES_AHEAD ? lanes[lane[EXT_LANES_AHEAD]].row : NULL;
    if (!near) return;
    ls_prefetch(near->pages.last);
    if (near->run <= 1) ext_prefetch_row(near, PAT_EXT_ROW_LINES_TURN, PAT_EXT_ROW_LINES_JUMP);
}

static void ext_cursor_enter(const struct pat_ext *e, struct ext_cursor *c)
{
    const struct pat_ext_lane *lane = &e->round.lanes[*c->lane];
    ext_prefetch_lane(e->round.lanes, c->lane, c->lanes_end);
    c->lane_end = lane->end;
    c->row = lane->row;
    c->addr = c->row ? c->row->addr : 0;
    if (c->row && c->row->run <= 1) ls_prefetch(c->row->stream.at);
    c->lane++;
}

/* What an access will need that is not like the one before is fetched while others are at work. */
static inline void ext_prefetch(const struct pat_ext *e, const struct pat_ext_row *r, uint64_t before,
                                uint64_t addr)
{
    if (addr >> 6 == before >> 6 || (r->echo && r->echo->is_closed)) return;
    if (r->is_pool) pat_ext_home_pages_prefetch(&e->ranges.pages, addr);
    if (addr >> 12 != before >> 12) pat_ext_pages_prefetch(&r->pages, addr >> 6);
    if ((int64_t)(addr - before) != r->distance) pat_ext_tally_prefetch(&r->tally, (int64_t)(addr - before));
}

static inline void ext_cursor_step(const struct pat_ext *e, struct ext_cursor *c)
{
    if (c->at == e->round.len) return;
    if (c->at == c->lane_end) ext_cursor_enter(e, c);
    const uint64_t addr = e->round.sorted[c->at++].addr;
    if (c->row) ext_prefetch(e, c->row, c->addr, addr);
    c->addr = addr;
}

/* Some accesses of a lane. */
static void ext_steps(struct pat_ext *e, struct ext_part *part, size_t len, struct ext_cursor *c)
{
    const uint64_t salt = e->threads[part->lane->thread].salt;
    for (size_t i = 0; i < len; i++) {
        const struct pat_ext_step *step = &part->steps[i];
        struct pat_ext_row *r = part->lane->row;
        uint8_t mark = 0;
        ext_cursor_step(e, c);
        if (r && ext_holds(r, step->addr, part->need))
            pat_ext_follow(e, r, step, &mark);
        else
            r = ext_place(e, part, step, &mark);
        if (!r) continue;
        ext_turn(e, r, step, salt, &mark);
        if (mark) e->round.marks[step->at] = mark; /* written, not read: it may be far */
        if (mark & PAT_EXT_MARK_WHOSE) e->round.whose[step->at] = r->id;
    }
}

/* When much was looked up for the accesses before, these are looked up at once. */
static const uint32_t *ext_look_up(const struct pat_ext *e, const struct pat_ext_lane *lane,
                                   const struct pat_ext_step *steps, size_t len, uint32_t *ranges)
{
    uint64_t addrs[EXT_BULK];
    if (lane->looked_up < EXT_BULK / EXT_BULK_PART || pat_ext_is_published(e)) return NULL;
    for (size_t i = 0; i < len; i++)
        addrs[i] = steps[i].addr;
    if (!pat_ext_ranges_bulk(&e->ranges, addrs, len, ranges)) return NULL;
    for (size_t i = 0; i < len; i++)
        if (ranges[i] != PAT_NONE) ls_prefetch(&e->tables->ranges[ranges[i]]);
    return ranges;
}

static void ext_lane(struct pat_ext *e, struct pat_ext_lane *lane, struct ext_cursor *c)
{
    uint32_t ranges[EXT_BULK];
    const uint64_t broken = e->threads[lane->thread].broken;
    struct ext_part part = {.lane = lane, .need = broken > e->ranges_stamp ? broken : e->ranges_stamp};
    for (size_t from = lane->end - lane->len; from < lane->end; from += EXT_BULK) {
        const size_t len = lane->end - from < EXT_BULK ? lane->end - from : EXT_BULK;
        part.steps = &e->round.sorted[from];
        part.ranges = ext_look_up(e, lane, part.steps, len, ranges);
        lane->looked_up = 0;
        ext_steps(e, &part, len, c);
        lane->looked_up = (uint32_t)(lane->looked_up * EXT_BULK / len);
    }
}

/* Published modes: the windows see the accesses in their order. */
static void ext_see_round(struct pat_ext *e)
{
    for (size_t i = 0; i < e->round.len && e->err == LS_OK; i++) {
        const struct pat_access *a = &e->round.accesses[i];
        e->err = ext_see(e, &e->threads[a->thread], a);
    }
}

/* All accesses that wait. */
static ls_err ext_round(struct pat_ext *e)
{
    struct pat_ext_round *r = &e->round;
    if (r->len == 0) return e->err;
    pat_ext_round_sort(r);
    struct ext_cursor c = {.lane = r->touched, .lanes_end = r->touched + r->touched_len};
    for (int i = 0; i < EXT_AHEAD; i++)
        ext_cursor_step(e, &c);
    for (size_t i = 0; i < r->touched_len; i++)
        ext_lane(e, &r->lanes[r->touched[i]], &c);
    pat_ext_marks_replay(e);
    if (pat_ext_is_published(e)) ext_see_round(e);
    e->accesses += r->len;
    pat_ext_round_next(r, &e->budget);
    return e->err;
}

ls_err pat_ext_batch(struct pat_ext *e, const struct pat_tables *t, const struct pat_batch *b)
{
    e->tables = t;
    LS_TRY(ext_threads_grow(e));
    for (size_t i = 0; i < b->events_len; i++)
        LS_TRY(ext_event(e, &b->events[i]));
    for (size_t i = 0, taken; i < b->accesses_len; i += taken) {
        if (e->round.len == e->round.cap) LS_TRY(ext_round(e));
        LS_TRY(pat_ext_round_add(&e->round, &e->budget, t, &b->accesses[i], b->accesses_len - i, &taken));
    }
    return e->err;
}

ls_err pat_ext_end(struct pat_ext *e)
{
    LS_TRY(ext_round(e));
    struct pat_ext_row **rows = pat_ext_rows(e);
    if (!rows) return ls_fail(LS_ERR_NOMEM, "no memory for %zu sequences", e->rows_len);
    for (size_t i = 0; i < e->rows_len; i++) {
        pat_ext_flush(e, rows[i]);
        pat_ext_echo_leave(e, rows[i]);
        rows[i]->number = (uint32_t)i;
    }
    free(rows);
    return e->err;
}
