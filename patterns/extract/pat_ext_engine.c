/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_engine.h"
#include "common/ls_compat.h"
#include "patterns/extract/pat_ext_ranges.h"

#include <stdlib.h>
#include <string.h>

/* Shares of the memory limit for rows and their sequences, and for counts of distances and pages; the rest is
 * for the sequences that are returned. */
enum { EXT_SHARE = 3, EXT_COUNTS_SHARE = 2, EXT_SHARES = 8 };
enum { EXT_FOUND_FIRST_LOG2 = 10 };
/* How many strands each prefetch step runs ahead; the number of accesses that counts as few; look-ups in one
 * bulk call, and the part of accesses (one in BULK_PART) that must need a look-up. */
enum { EXT_STRANDS_AHEAD = 2, EXT_FEW = 2, EXT_BULK = 256, EXT_BULK_PART = 4 };

ls_err pat_ext_init(struct pat_ext *e, const struct pat_extract_options *options)
{
    *e = (struct pat_ext){.options = options, .weight = 1, .usual = 1};
    pat_ext_arena_init(&e->arena, options->memory_bytes);
    e->budget.arena = e->counts.arena = &e->arena;
    e->budget.limit_bytes = options->memory_bytes / EXT_SHARES * EXT_SHARE;
    e->counts.limit_bytes = options->memory_bytes / EXT_SHARES * EXT_COUNTS_SHARE;
    e->kept_max =
        (options->memory_bytes - e->budget.limit_bytes - e->counts.limit_bytes) / sizeof(int64_t) / 2;
    pat_ext_ranges_init(&e->ranges);
    e->found_log2 = EXT_FOUND_FIRST_LOG2;
    e->found = calloc((size_t)1 << e->found_log2, sizeof(struct pat_ext_row *));
    if (!e->found) return ls_nomem("extracting patterns");
    pat_ext_charge(&e->budget, sizeof(struct pat_ext_row *) << e->found_log2);
    LS_TRY(pat_ext_buffer_init(&e->buffer, &e->budget));
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
    free(e->appearances.sites);
    free(e->found);
    pat_ext_buffer_fini(&e->buffer);
    pat_ext_ranges_fini(&e->ranges, &e->budget);
    pat_ext_cost_fini(&e->cost);
    pat_ext_arena_fini(&e->arena);
    *e = (struct pat_ext){0};
}

/* ---- the row to which an access belongs ---- */

/* Some accesses of a strand (their numbers in the buffer), and the results of bulk look-ups. */
struct ext_chunk {
    struct pat_ext_strand *strand;
    uint64_t need; /* a row's span is valid if its stamp is at least this */
    const uint32_t *numbers;
    const uint32_t *ranges; /* by access, NULL: no bulk look-up was made */
};

static struct pat_ext_spot ext_spot(struct pat_ext *e, const struct ext_chunk *chunk, size_t i)
{
    const uint64_t addr = e->buffer.addrs[chunk->numbers[i]];
    if (pat_ext_is_published(e)) return (struct pat_ext_spot){0, UINT64_MAX, PAT_NONE};
    chunk->strand->looked_up++;
    if (chunk->ranges) return pat_ext_ranges_around(&e->ranges, e->tables, addr, chunk->ranges[i]);
    return pat_ext_ranges_find(&e->ranges, e->tables, addr);
}

static uint32_t ext_home(const struct pat_ext *e, uint32_t range)
{
    if (range == PAT_NONE) return PAT_NONE;
    const uint32_t home = e->tables->ranges[range].home;
    return home < e->tables->homes_len ? home : PAT_NONE;
}

/* Return whether addr is within the span known around r's last access; renew that span's stamp. */
static inline bool ext_renew_span(const struct pat_ext *e, const struct ext_chunk *chunk,
                                  struct pat_ext_row *r, uint64_t addr)
{
    if (addr - r->lo >= r->hi - r->lo) return false;
    if (r->stamp >= chunk->need) return true;
    if (r->stamp < e->threads[chunk->strand->thread].broken ||
        !pat_ext_ranges_same(&e->ranges, r->stamp, r->lo, r->hi))
        return false;
    r->stamp = e->now;
    return true;
}

/* Return whether addr is certainly in another node of r's pool; r's span is then that address. */
static bool ext_enter_node(const struct pat_ext *e, const struct ext_chunk *chunk, struct pat_ext_row *r,
                           uint64_t addr)
{
    if (!r->is_pool || r->stamp < e->threads[chunk->strand->thread].broken || !pat_ext_in_area(r, addr) ||
        !pat_ext_home_pages_know(&e->ranges.pages, addr, r->home))
        return false;
    r->stamp = e->now;
    r->lo = addr; /* the ranges around it are unknown */
    r->hi = addr + 1;
    return true;
}

/* Continue the strand with its row, or with its previous one, if addr is known to belong there. Return that
 * row, else NULL. */
static inline struct pat_ext_row *ext_continue(const struct pat_ext *e, const struct ext_chunk *chunk,
                                               uint64_t addr)
{
    struct pat_ext_row *r = chunk->strand->row;
    if (!r || ext_renew_span(e, chunk, r, addr) || ext_enter_node(e, chunk, r, addr)) return r;
    struct pat_ext_row *back = r->other;
    if (!back || !(ext_renew_span(e, chunk, back, addr) || ext_enter_node(e, chunk, back, addr))) return NULL;
    back->other = r;
    return chunk->strand->row = back;
}

/* Return the row of access i of the chunk by a full look-up; NULL: no memory for it. */
static struct pat_ext_row *ext_assign(struct pat_ext *e, struct ext_chunk *chunk, size_t i)
{
    const uint32_t at = chunk->numbers[i];
    const uint64_t addr = e->buffer.addrs[at];
    struct pat_ext_row *r = chunk->strand->row;
    const struct pat_ext_spot spot = ext_spot(e, chunk, i);
    const uint32_t home = ext_home(e, spot.range);
    const bool stays = r && r->home == home && (!pat_ext_has_area(e, r) || pat_ext_in_area(r, addr));
    struct pat_ext_row *to = stays ? r : pat_ext_row_at(e, chunk->strand, at, home);
    if (!to) {
        e->unplaced++;
        return NULL;
    }
    if (to->is_pool && home != PAT_NONE)
        pat_ext_home_pages_ask(&e->ranges.pages, &e->budget, &e->ranges.live, e->tables, addr);
    if (to != r) to->other = r;
    pat_ext_arrive(e, to, &spot, at);
    return chunk->strand->row = to;
}

/* ---- batches ---- */

static ls_err ext_threads_grow(struct pat_ext *e)
{
    const size_t len = e->tables->threads_len;
    if (len <= e->threads_len) return LS_OK;
    struct pat_ext_thread *wider = realloc(e->threads, len * sizeof(*wider));
    if (!wider) return ls_nomem("%zu threads", len);
    e->threads = wider;
    for (size_t i = e->threads_len; i < len; i++)
        e->threads[i] = (struct pat_ext_thread){.salt = i ? pat_ext_hash(i) << 8 : 0};
    pat_ext_charge(&e->budget, (len - e->threads_len) * sizeof(*wider));
    e->threads_len = len;
    return LS_OK;
}

static ls_err ext_process_buffer(struct pat_ext *e);

/* A source gives either none of its breaks a weight, or all of them and one before the first access. */
static void ext_weigh(struct pat_ext *e, uint32_t weight)
{
    if (weight && !e->accesses) e->usual = PAT_WEIGHT_USUAL;
    e->weight = weight && e->usual > 1 ? weight : e->usual;
}

static ls_err ext_event(struct pat_ext *e, const struct pat_event *event)
{
    switch (event->kind) {
    case PAT_EVENT_RANGE_BORN:
    case PAT_EVENT_RANGE_DIED:
        if (pat_ext_is_published(e)) return LS_OK;
        LS_TRY(ext_process_buffer(e)); /* the change must not affect earlier accesses */
        e->now++;
        e->ranges_stamp = e->now;
        return pat_ext_ranges_event(&e->ranges, &e->budget, e->tables, event, e->now);
    case PAT_EVENT_BREAK:
        LS_TRY(ext_process_buffer(e));
        e->now++;
        ext_weigh(e, event->what);
        for (size_t i = 0; i < e->threads_len; i++)
            if (event->thread == PAT_NONE || event->thread == i) e->threads[i].broken = e->now;
        return LS_OK;
    default: /* phases do not affect the order */
        return LS_OK;
    }
}

/* Published modes: add the access to the thread's windows. */
static ls_err ext_see(struct pat_ext *e, const struct pat_ext_strand *strand, uint64_t addr)
{
    struct pat_ext_appearances *seen = &e->appearances;
    struct pat_ext_thread *t = &e->threads[strand->thread];
    if (strand->site >= seen->len) {
        const size_t len = e->tables->sites_len;
        struct pat_ext_seen *wider = realloc(seen->sites, len * sizeof(*wider));
        if (!wider) return ls_nomem("%zu sites", len);
        memset(wider + seen->len, 0, (len - seen->len) * sizeof(*wider));
        seen->sites = wider;
        seen->len = len;
    }
    if (!t->windows) {
        t->windows = pat_ext_windows_new(e->options);
        if (!t->windows) return ls_nomem("the windows of a thread");
        pat_ext_charge(&e->budget, pat_ext_windows_bytes(e->options));
    }
    pat_ext_windows_see(t->windows, seen, strand->site, &e->tables->sites[strand->site], addr);
    return LS_OK;
}

/* ---- the buffer ---- */

static void ext_prefetch_row(const struct pat_ext_row *r, int from, int to)
{
    for (int line = from; line < to; line++)
        ls_prefetch((const char *)r + (ptrdiff_t)line * PAT_EXT_ROW_LINE_BYTES);
}

/* Prefetch in steps: some strands ahead, first the cache lines that every access needs; they show whether more
 * are needed. */
static void ext_prefetch_strand(const struct pat_ext_strand *strands, const uint32_t *strand,
                                const uint32_t *end)
{
    if (end - strand > 4 * EXT_STRANDS_AHEAD) ls_prefetch(&strands[strand[4 * EXT_STRANDS_AHEAD]]);
    const struct pat_ext_row *far =
        end - strand > 2 * EXT_STRANDS_AHEAD ? strands[strand[2 * EXT_STRANDS_AHEAD]].row : NULL;
    if (far) ext_prefetch_row(far, 0, PAT_EXT_ROW_LINES_TURN);
    const struct pat_ext_row *near =
        end - strand > EXT_STRANDS_AHEAD ? strands[strand[EXT_STRANDS_AHEAD]].row : NULL;
    if (!near) return;
    ls_prefetch(near->pages.last);
    if (near->run <= 1) ext_prefetch_row(near, PAT_EXT_ROW_LINES_TURN, PAT_EXT_ROW_LINES_JUMP);
}

/* Process access i of the chunk by itself; r is its row, NULL: not known. */
static void ext_step(struct pat_ext *e, struct ext_chunk *chunk, size_t i, struct pat_ext_row *r)
{
    const uint32_t at = chunk->numbers[i];
    if (e->pending.strand == chunk->strand) pat_ext_pending_count(e);
    if (r)
        pat_ext_follow(e, r, at);
    else
        r = ext_assign(e, chunk, i);
    if (r) pat_ext_turn(e, r, at, e->threads[chunk->strand->thread].salt);
}

/* Process the accesses of a chunk. Few accesses, or one that returns to the previous row, are counted at once
 * if the row is in a run and nothing of the strand is pending: they probably extend the run, and that is less
 * work. */
static void ext_steps(struct pat_ext *e, struct ext_chunk *chunk, size_t len)
{
    for (size_t i = 0, taken; i < len; i += taken) {
        const struct pat_ext_row *before = chunk->strand->row;
        struct pat_ext_row *r = ext_continue(e, chunk, e->buffer.addrs[chunk->numbers[i]]);
        const bool is_quick = len - i <= EXT_FEW || r != before;
        const bool waits =
            r && r->goes_on && (!is_quick || r->run <= 1 || e->pending.strand == chunk->strand);
        const struct pat_ext_numbers left = {&chunk->numbers[i], len - i};
        taken = waits ? pat_ext_pending_take(e, chunk->strand, &left) : 0;
        if (taken) continue;
        ext_step(e, chunk, i, r);
        taken = 1;
    }
}

/* Look up all ranges at once if many of the previous accesses needed a look-up. */
static const uint32_t *ext_look_up(const struct pat_ext *e, const struct pat_ext_strand *strand,
                                   const uint32_t *numbers, size_t len, uint32_t *ranges)
{
    uint64_t addrs[EXT_BULK];
    if (strand->looked_up < EXT_BULK / EXT_BULK_PART || pat_ext_is_published(e)) return NULL;
    for (size_t i = 0; i < len; i++)
        addrs[i] = e->buffer.addrs[numbers[i]];
    if (!pat_ext_ranges_bulk(&e->ranges, addrs, len, ranges)) return NULL;
    for (size_t i = 0; i < len; i++)
        if (ranges[i] != PAT_NONE) ls_prefetch(&e->tables->ranges[ranges[i]]);
    return ranges;
}

static void ext_strand(struct pat_ext *e, struct pat_ext_strand *strand)
{
    uint32_t ranges[EXT_BULK];
    const uint64_t broken = e->threads[strand->thread].broken;
    struct ext_chunk chunk = {.strand = strand, .need = broken > e->ranges_stamp ? broken : e->ranges_stamp};
    for (size_t from = strand->end - strand->len; from < strand->end; from += EXT_BULK) {
        const size_t len = strand->end - from < EXT_BULK ? strand->end - from : EXT_BULK;
        chunk.numbers = &e->buffer.sorted[from];
        chunk.ranges = ext_look_up(e, strand, chunk.numbers, len, ranges);
        strand->looked_up = 0;
        ext_steps(e, &chunk, len);
        strand->looked_up = (uint32_t)(strand->looked_up * EXT_BULK / len);
    }
}

/* Published modes: add the accesses to the windows in their order. */
static void ext_see_buffer(struct pat_ext *e)
{
    for (size_t i = 0; i < e->buffer.len && e->err == LS_OK; i++) {
        const struct pat_ext_strand *strand = &e->buffer.strands[e->buffer.strand_of[i]];
        e->err = ext_see(e, strand, e->buffer.addrs[i]);
    }
}

/* Process all accesses of the buffer, and empty it. */
static ls_err ext_process_buffer(struct pat_ext *e)
{
    struct pat_ext_buffer *r = &e->buffer;
    if (r->len == 0) return e->err;
    pat_ext_buffer_sort(r);
    for (size_t i = 0; i < r->touched_len; i++) {
        ext_prefetch_strand(r->strands, &r->touched[i], &r->touched[r->touched_len]);
        ext_strand(e, &r->strands[r->touched[i]]);
    }
    pat_ext_pending_count(e);
    pat_ext_marks_replay(e);
    if (pat_ext_is_published(e)) ext_see_buffer(e);
    e->accesses += r->len;
    pat_ext_buffer_next(r, &e->budget);
    return e->err;
}

ls_err pat_ext_batch(struct pat_ext *e, const struct pat_tables *t, const struct pat_batch *b)
{
    e->tables = t;
    LS_TRY(ext_threads_grow(e));
    for (size_t i = 0; i < b->events_len; i++)
        LS_TRY(ext_event(e, &b->events[i]));
    for (size_t i = 0, taken; i < b->accesses_len; i += taken) {
        if (e->buffer.len == e->buffer.cap) LS_TRY(ext_process_buffer(e));
        LS_TRY(pat_ext_buffer_add(&e->buffer, &e->budget, t, &b->accesses[i], b->accesses_len - i, &taken));
    }
    return e->err;
}

ls_err pat_ext_end(struct pat_ext *e)
{
    LS_TRY(ext_process_buffer(e));
    struct pat_ext_row **rows = pat_ext_rows(e);
    if (!rows) return ls_nomem("%zu sequences", e->rows_len);
    for (size_t i = 0; i < e->rows_len; i++) {
        pat_ext_flush(e, rows[i]);
        pat_ext_repetition_leave(e, rows[i]);
        rows[i]->number = (uint32_t)i;
    }
    free(rows);
    return e->err;
}
