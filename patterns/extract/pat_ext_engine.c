/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_engine.h"
#include "patterns/extract/pat_ext_rows.h"

#include <stdlib.h>

/* Of the memory allowed, for rows and their sequences, and for counts of distances and pages; the rest is for
 * the sequences that are handed over. */
enum { EXT_SHARE = 3, EXT_COUNTS_SHARE = 2, EXT_SHARES = 8 };
enum { EXT_FOUND_FIRST_LOG2 = 10 };
/* How many accesses ahead memory is fetched; rows so few that they are near anyhow; lines of a row that are
 * in use; look-ups in one go, and the part of accesses that must need one. */
enum { EXT_AHEAD = 8, EXT_ROWS_NEAR = 128, EXT_ROW_LINES = 5, EXT_BULK = 256, EXT_BULK_PART = 4 };

ls_err pat_ext_init(struct pat_ext *e, const struct pat_extract_options *options)
{
    *e = (struct pat_ext){.options = options};
    e->budget.limit_bytes = options->memory_bytes / EXT_SHARES * EXT_SHARE;
    e->counts.limit_bytes = options->memory_bytes / EXT_SHARES * EXT_COUNTS_SHARE;
    e->kept_max =
        (options->memory_bytes - e->budget.limit_bytes - e->counts.limit_bytes) / sizeof(int64_t) / 2;
    pat_ext_ranges_init(&e->ranges);
    e->found_log2 = EXT_FOUND_FIRST_LOG2;
    e->found = calloc((size_t)1 << e->found_log2, sizeof(struct pat_ext_row *));
    if (!e->found) return ls_fail(LS_ERR_NOMEM, "no memory to extract patterns");
    pat_ext_charge(&e->budget, sizeof(struct pat_ext_row *) << e->found_log2);
    return pat_ext_cost_init(&e->cost, &e->budget);
}

static void ext_thread_fini(struct pat_ext_thread *t)
{
    for (size_t i = 0; i < t->leaves_len; i++)
        free(t->leaves[i]);
    free(t->leaves);
    pat_ext_windows_free(t->windows);
}

void pat_ext_fini(struct pat_ext *e)
{
    for (struct pat_ext_slab *s = e->slabs, *next; s; s = next) {
        for (size_t i = 0; i < s->len; i++)
            pat_ext_row_drop(e, &s->rows[i]);
        next = s->next;
        free(s);
    }
    for (size_t i = 0; i < e->threads_len; i++)
        ext_thread_fini(&e->threads[i]);
    free(e->threads);
    free(e->appearances.counts);
    free(e->found);
    free(e->batch_ranges);
    pat_ext_ranges_fini(&e->ranges);
    pat_ext_cost_fini(&e->cost);
    *e = (struct pat_ext){0};
}

/* ---- the order of a row's accesses ---- */

/* The sequence goes on by t; what no longer fits is not kept. */
static void ext_keep(struct pat_ext *e, struct pat_ext_row *r, struct pat_ext_token t)
{
    if (r->is_cut) return;
    const uint64_t left = e->kept_max - r->kept;
    r->is_cut = t.count > left;
    if (left == 0) return;
    if (t.count > left) t.count = left;
    if (!pat_ext_stream_put(&r->stream, &e->budget, &t)) {
        const bool is_cut = r->is_cut;
        r->is_cut = false;
        const bool helped = pat_ext_reclaim(e);
        if (r->is_cut) return; /* it gave up itself */
        r->is_cut = is_cut;
        if (!helped || !pat_ext_stream_put(&r->stream, &e->budget, &t)) {
            r->is_cut = true;
            return;
        }
    }
    r->kept += t.count;
    r->jumps += t.kind == PAT_EXT_JUMP;
}

static uint64_t ext_magnitude(int64_t distance)
{
    return distance < 0 ? -(uint64_t)distance : (uint64_t)distance;
}

/* The run is over: it is counted and kept. */
static void ext_flush(struct pat_ext *e, struct pat_ext_row *r)
{
    if (!r->run) return;
    const uint64_t magnitude = ext_magnitude(r->distance);
    if (!pat_ext_tally_add(&r->tally, &e->counts, r->distance, r->run)) {
        r->has_tally_gap = true;
        r->tally.gcd = pat_ext_gcd(magnitude, r->tally.gcd);
    }
    if (magnitude >= r->far_bytes) r->far += r->run;
    if (r->run == 1 && magnitude < UINT64_C(1) << 61 && !r->is_cut && r->kept < e->kept_max &&
        pat_ext_stream_put_distance(&r->stream, &e->budget, r->distance))
        r->kept++;
    else
        ext_keep(e, r, (struct pat_ext_token){.kind = PAT_EXT_RUN, .distance = r->distance, .count = r->run});
    r->before_run += r->run;
    r->run = 0;
}

/* The one ahead, if it is of the same home and distance and both have begun to alternate. */
static void ext_get_in_line(struct pat_ext *e, struct pat_ext_row *r)
{
    const uint64_t key =
        pat_ext_hash((uint64_t)r->distance ^ pat_ext_hash((uint64_t)r->thread << 32 | r->home));
    struct pat_ext_row **slot = &e->last_turns.rows[key % PAT_EXT_TURN_SLOTS];
    const struct pat_ext_row *a = *slot;
    *slot = r;
    if (!a || a->home != r->home || a->thread != r->thread || a->distance != r->distance ||
        a->turns.len != 2 || a->turns.begin[0] >= r->turns.begin[0] || r->turns.begin[0] >= a->turns.begin[1])
        return;
    r->turns.ahead = a;
    r->turns.first = a->turns.ahead ? a->turns.first : a;
}

static void ext_take_turn(struct pat_ext *e, struct pat_ext_row *r)
{
    struct pat_ext_turns *t = &r->turns;
    const uint64_t now = e->turns++;
    if (t->len < 2) t->begin[t->len] = now;
    if (++t->len == 2) ext_get_in_line(e, r);
    if (t->ahead && (t->len != t->ahead->turns.len || t->len != t->first->turns.len)) t->ahead = NULL;
}

static void ext_jump(struct pat_ext *e, struct pat_ext_row *r, const struct pat_ext_token *t)
{
    ext_flush(e, r);
    ext_keep(e, r, *t);
    r->before_run++;
    r->addr = t->addr;
    r->distance = INT64_MIN; /* none yet; should it come first, it is counted all the same */
    ext_take_turn(e, r);
}

static inline void ext_follow(struct pat_ext *e, struct pat_ext_row *r, uint64_t addr)
{
    const int64_t distance = (int64_t)(addr - r->addr);
    r->addr = addr;
    if (distance != r->distance) {
        ext_flush(e, r);
        r->distance = distance;
        ext_take_turn(e, r);
    }
    r->run++;
}

static uint64_t ext_apart(uint64_t a, uint64_t b)
{
    return a < b ? b - a : a - b;
}

/* Are all accesses that were kept near its last one? */
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

/* After the last of the first changes of the range: one pool, or single ranges? */
static void ext_settle_pool(struct pat_ext *e, struct pat_ext_row *r)
{
    const uint64_t anchor = r->anchor;
    r->anchor = r->addr;
    r->is_pool = pat_ext_row_accesses(r) < PAT_EXT_POOL_SWITCHES * PAT_EXT_POOL_VISIT && ext_is_near(r);
    if (!r->is_pool) r->anchor = anchor;
    for (uint32_t i = 0; r->is_pool && i < r->switches; i++) {
        if (!pat_ext_tally_add(&r->tally, &e->counts, r->crossings[i], 1)) r->has_tally_gap = true;
        r->far += ext_magnitude(r->crossings[i]) >= r->far_bytes;
    }
    free(r->crossings);
    r->crossings = NULL;
}

/* The next access is in another range of the home. */
static void ext_switch(struct pat_ext *e, struct pat_ext_row *r, const struct pat_ext_token *t)
{
    const int64_t distance = (int64_t)(t->addr - r->addr);
    if (r->switches == 0) r->crossings = malloc(PAT_EXT_POOL_SWITCHES * sizeof(*r->crossings));
    if (r->crossings) r->crossings[r->switches] = distance;
    r->cross_gcd = pat_ext_gcd(ext_apart(t->addr, r->addr), r->cross_gcd);
    ext_jump(e, r, t);
    if (!r->crossings) return;
    if (++r->switches == PAT_EXT_POOL_SWITCHES) ext_settle_pool(e, r);
}

/* The row is where spot says; before it was somewhere else, or this is its first access. */
static void ext_arrive(struct pat_ext *e, struct pat_ext_row *r, const struct pat_ext_spot *spot,
                       uint64_t addr)
{
    const struct pat_ext_token t = {.kind = PAT_EXT_JUMP,
                                    .count = 1,
                                    .addr = addr,
                                    .range = spot->range,
                                    .is_break = r->is_begun && r->stamp < e->threads[r->thread].broken};
    if (spot->range != PAT_NONE) {
        const struct pat_range *range = &e->tables->ranges[spot->range];
        if (range->end - range->start > r->range_bytes) r->range_bytes = range->end - range->start;
        if (spot->range != r->range || t.is_break || !r->is_begun)
            r->offset_gcd = pat_ext_gcd(addr - range->start, r->offset_gcd);
    }
    if (t.is_break) r->cross_gcd = pat_ext_gcd(ext_apart(addr, r->addr), r->cross_gcd);
    if (!r->is_begun || t.is_break)
        ext_jump(e, r, &t);
    else if (spot->range == r->range || r->is_pool)
        ext_follow(e, r, addr);
    else
        ext_switch(e, r, &t);
    r->is_begun = true;
    r->range = spot->range;
    r->lo = spot->lo;
    r->hi = spot->hi;
    if (pat_ext_has_area(e, r)) { /* [anchor - area, anchor + area), where that does not wrap */
        const uint64_t first = r->anchor < PAT_EXT_AREA_BYTES ? 0 : r->anchor - PAT_EXT_AREA_BYTES;
        const uint64_t last =
            r->anchor > UINT64_MAX - PAT_EXT_AREA_BYTES ? UINT64_MAX : r->anchor + PAT_EXT_AREA_BYTES;
        if (r->lo < first) r->lo = first;
        if (r->hi > last) r->hi = last;
    }
    r->stamp = e->now;
}

/* ---- where an access belongs ---- */

static bool ext_holds(const struct pat_ext_row *r, uint64_t addr, uint64_t need)
{
    return addr - r->lo < r->hi - r->lo && r->stamp >= need;
}

static struct pat_ext_row **ext_leaf_slot(struct pat_ext *e, struct pat_ext_thread *t, uint32_t site)
{
    const size_t leaf = site / PAT_EXT_LEAF_SITES;
    if (leaf >= t->leaves_len) {
        const size_t len = (e->tables->sites_len + PAT_EXT_LEAF_SITES - 1) / PAT_EXT_LEAF_SITES;
        struct pat_ext_leaf **wider = realloc(t->leaves, len * sizeof(*wider));
        if (!wider) return NULL;
        for (size_t i = t->leaves_len; i < len; i++)
            wider[i] = NULL;
        pat_ext_charge(&e->budget, (len - t->leaves_len) * sizeof(*wider));
        t->leaves = wider;
        t->leaves_len = len;
    }
    if (!t->leaves[leaf]) {
        t->leaves[leaf] = calloc(1, sizeof(*t->leaves[leaf]));
        pat_ext_charge(&e->budget, sizeof(*t->leaves[leaf]));
    }
    return t->leaves[leaf] ? &t->leaves[leaf]->rows[site % PAT_EXT_LEAF_SITES] : NULL;
}

static struct pat_ext_spot ext_spot(struct pat_ext *e, const struct pat_access *a)
{
    if (pat_ext_is_published(e)) return (struct pat_ext_spot){0, UINT64_MAX, PAT_NONE};
    e->looked_up++;
    if (e->has_batch_ranges)
        return pat_ext_ranges_around(&e->ranges, e->tables, a->addr, e->batch_ranges[a - e->batch]);
    return pat_ext_ranges_find(&e->ranges, e->tables, a->addr);
}

static uint32_t ext_home(const struct pat_ext *e, uint32_t range)
{
    if (range == PAT_NONE) return PAT_NONE;
    const uint32_t home = e->tables->ranges[range].home;
    return home < e->tables->homes_len ? home : PAT_NONE;
}

/* The row of an access that is not simply the next one of its site's last row; NULL: none, e->err may tell.
 */
static struct pat_ext_row *ext_place(struct pat_ext *e, struct pat_ext_thread *t, const struct pat_access *a)
{
    if (a->site >= e->tables->sites_len) {
        e->err = ls_fail(LS_ERR_FORMAT, "the source names site %u of %zu", a->site, e->tables->sites_len);
        return NULL;
    }
    struct pat_ext_row **slot = ext_leaf_slot(e, t, a->site);
    if (!slot) {
        e->err = ls_fail(LS_ERR_NOMEM, "no memory for the sites of a thread");
        return NULL;
    }
    struct pat_ext_row *r = *slot;
    if (r && r->other && ext_holds(r->other, a->addr, t->need)) {
        struct pat_ext_row *other = r->other;
        other->other = r;
        ext_follow(e, other, a->addr);
        return *slot = other;
    }
    if (r && a->addr - r->lo < r->hi - r->lo && r->stamp >= t->broken &&
        pat_ext_ranges_same(&e->ranges, r->stamp, r->lo, r->hi)) {
        r->stamp = e->now;
        ext_follow(e, r, a->addr);
        return r;
    }
    const struct pat_ext_spot spot = ext_spot(e, a);
    const uint32_t home = ext_home(e, spot.range);
    const bool stays = r && r->home == home && (!pat_ext_has_area(e, r) || pat_ext_in_area(r, a->addr));
    struct pat_ext_row *to = stays ? r : pat_ext_row_at(e, a, home);
    if (!to) {
        e->unplaced++;
        return NULL;
    }
    if (to != r) to->other = r;
    ext_arrive(e, to, &spot, a->addr);
    return *slot = to;
}

/* ---- lines ---- */

static void ext_turn_to_line(struct pat_ext *e, struct pat_ext_thread *t, struct pat_ext_row *r,
                             uint64_t line)
{
    const int64_t step = (int64_t)(line - r->line);
    const bool is_ahead = step == r->line_step && step >= -PAT_EXT_AHEAD_LINES && step <= PAT_EXT_AHEAD_LINES;
    const uint64_t salted = line ^ t->salt;
    const bool is_exact = r->pages.len <= PAT_EXT_COST_EXACT_PAGES;
    t->lines++;
    if (is_exact || pat_ext_cost_samples(salted)) {
        const enum pat_ext_level level = pat_ext_cost_turn(&e->cost, salted, t->lines);
        r->cost_parts +=
            pat_ext_cost_parts(level, is_ahead, r->is_store) * (is_exact ? 1 : PAT_EXT_COST_SAMPLE);
    }
    r->line_step = step;
    r->line = line;
    pat_ext_pages_touch(&r->pages, &e->counts, line);
}

/* All lines from addr's to that of its last byte. */
static inline void ext_turn(struct pat_ext *e, struct pat_ext_thread *t, struct pat_ext_row *r, uint64_t addr)
{
    uint64_t end = addr + r->len_less;
    if (end < addr) end = addr;
    const uint64_t first = addr >> 6, last = end >> 6;
    if (first == r->line && first == last) return;
    for (uint64_t line = first; line <= last; line++)
        if (line != r->line) ext_turn_to_line(e, t, r, line);
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

static ls_err ext_event(struct pat_ext *e, const struct pat_event *event)
{
    e->now++;
    switch (event->kind) {
    case PAT_EVENT_RANGE_BORN:
    case PAT_EVENT_RANGE_DIED:
        if (pat_ext_is_published(e)) return LS_OK;
        e->ranges_stamp = e->now;
        return pat_ext_ranges_event(&e->ranges, &e->budget, e->tables, event, e->now);
    case PAT_EVENT_BREAK:
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

static ls_err ext_enter_thread(struct pat_ext *e, uint32_t thread, struct pat_ext_thread **out)
{
    if (thread >= e->threads_len)
        return ls_fail(LS_ERR_FORMAT, "the source names thread %u of %zu", thread, e->threads_len);
    *out = &e->threads[thread];
    (*out)->need = (*out)->broken > e->ranges_stamp ? (*out)->broken : e->ranges_stamp;
    return LS_OK;
}

static inline struct pat_ext_row *ext_current(const struct pat_ext_thread *t, uint32_t site)
{
    const size_t leaf = site / PAT_EXT_LEAF_SITES;
    if (leaf >= t->leaves_len || !t->leaves[leaf]) return NULL;
    return t->leaves[leaf]->rows[site % PAT_EXT_LEAF_SITES];
}

/* What an access will need that is not like the ones before is fetched while others are at work. */
static inline void ext_prefetch(const struct pat_ext *e, const struct pat_ext_thread *t,
                                const struct pat_access *a)
{
    const struct pat_ext_row *r = ext_current(t, a->site);
    if (!r || a->addr >> 6 == r->line) return;
    const uint64_t salted = a->addr >> 6 ^ t->salt;
    if (pat_ext_cost_samples(salted)) pat_ext_cost_prefetch(&e->cost, salted);
    if (a->addr >> 12 != r->pages.page) pat_ext_pages_prefetch(&r->pages, a->addr >> 6);
    if ((int64_t)(a->addr - r->addr) != r->distance)
        pat_ext_tally_prefetch(&r->tally, (int64_t)(a->addr - r->addr));
    if (e->has_batch_ranges && e->batch_ranges[a - e->batch] != PAT_NONE)
        __builtin_prefetch(&e->tables->ranges[e->batch_ranges[a - e->batch]]);
}

static inline void ext_prefetch_row(const struct pat_ext_thread *t, uint32_t site)
{
    const char *r = (const char *)ext_current(t, site);
    for (int line = 0; r && line < EXT_ROW_LINES; line++)
        __builtin_prefetch(r + (ptrdiff_t)line * 64, 1);
}

/* The accesses of one thread that follow each other. */
static size_t ext_accesses(struct pat_ext *e, struct pat_ext_thread *t, const struct pat_access *a,
                           size_t len)
{
    const uint32_t thread = a->thread;
    const bool is_published = pat_ext_is_published(e);
    const bool are_many = e->rows_len > EXT_ROWS_NEAR;
    size_t i = 0;
    for (; i < len && a[i].thread == thread; i++) {
        if (i + 2 * EXT_AHEAD < len) {
            if (are_many) ext_prefetch_row(t, a[i + 2 * EXT_AHEAD].site);
            ext_prefetch(e, t, &a[i + EXT_AHEAD]);
        }
        struct pat_ext_row *r = ext_current(t, a[i].site);
        if (r && ext_holds(r, a[i].addr, t->need)) {
            ext_follow(e, r, a[i].addr);
        } else {
            r = ext_place(e, t, &a[i]);
            if (e->err != LS_OK) return len;
            if (!r) continue;
        }
        ext_turn(e, t, r, a[i].addr);
        if (is_published && e->err == LS_OK) e->err = ext_see(e, t, &a[i]);
    }
    return i;
}

/* When much was looked up in the batch before, all of this one is looked up at once. */
static void ext_look_up_batch(struct pat_ext *e, const struct pat_batch *b, size_t len_before)
{
    uint64_t addrs[EXT_BULK];
    const bool pays = e->looked_up * EXT_BULK_PART > len_before;
    e->looked_up = 0;
    e->has_batch_ranges = false;
    e->batch = b->accesses;
    if (!pays || pat_ext_is_published(e)) return;
    if (b->accesses_len > e->batch_ranges_cap) {
        free(e->batch_ranges);
        e->batch_ranges = malloc(b->accesses_len * sizeof(*e->batch_ranges));
        e->batch_ranges_cap = e->batch_ranges ? b->accesses_len : 0;
        if (!e->batch_ranges) return;
    }
    e->has_batch_ranges = true;
    for (size_t from = 0; from < b->accesses_len && e->has_batch_ranges; from += EXT_BULK) {
        const size_t len = b->accesses_len - from < EXT_BULK ? b->accesses_len - from : EXT_BULK;
        for (size_t i = 0; i < len; i++)
            addrs[i] = b->accesses[from + i].addr;
        e->has_batch_ranges = pat_ext_ranges_bulk(&e->ranges, addrs, len, &e->batch_ranges[from]);
    }
}

ls_err pat_ext_batch(struct pat_ext *e, const struct pat_tables *t, const struct pat_batch *b)
{
    e->tables = t;
    LS_TRY(ext_threads_grow(e));
    for (size_t i = 0; i < b->events_len; i++)
        LS_TRY(ext_event(e, &b->events[i]));
    ext_look_up_batch(e, b, e->batch_len);
    e->batch_len = b->accesses_len;
    for (size_t i = 0; i < b->accesses_len && e->err == LS_OK;) {
        struct pat_ext_thread *thread = NULL;
        LS_TRY(ext_enter_thread(e, b->accesses[i].thread, &thread));
        i += ext_accesses(e, thread, &b->accesses[i], b->accesses_len - i);
    }
    e->accesses += b->accesses_len;
    return e->err;
}

ls_err pat_ext_end(struct pat_ext *e)
{
    for (struct pat_ext_slab *s = e->slabs; s; s = s->next)
        for (size_t i = 0; i < s->len; i++)
            ext_flush(e, &s->rows[i]);
    return e->err;
}
