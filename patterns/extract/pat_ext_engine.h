/* SPDX-License-Identifier: BSD-3-Clause */
/* The one pass of extraction: batches of accesses become rows (pat_ext_row.h) within a budget. Its parts:
 *
 * pat_ext_round.c   accesses wait until there is a round of them, and are handed out by lane
 * pat_ext_engine.c  each access finds its row
 * pat_ext_rows.c    rows are made within the budget
 * pat_ext_follow.c  a row's accesses become runs, jumps and lines
 * pat_ext_echo.c    a row that repeats itself is only checked
 * pat_ext_marks.c   what depends on the order of all rows: the cost of lines, and turns
 * pat_ext_finish.c  rows become sequences */
#ifndef PAT_EXT_ENGINE_H
#define PAT_EXT_ENGINE_H

#include "patterns/extract/pat_ext_filter.h"
#include "patterns/extract/pat_ext_ranges.h"
#include "patterns/extract/pat_ext_row.h"

struct pat_ext;

/* ---- cost ---- */

/* What an access is taken to wait for: a model of lines and their reuse, to rank sequences by
 * (doc/patterns.md describes it). Every thread counts the lines that it turns to; how many it turned to since
 * it last had this one tells the level that still holds it. Which lines were turned to when is remembered in
 * a table of fixed size, so what was long ago may be forgotten and then counts as memory. */
enum {
    PAT_EXT_COST_GROUP = 16, /* buckets of lines that follow each other */
    PAT_EXT_COST_PARTS = 32, /* parts of a cycle in which waiting is added up */
    PAT_EXT_AHEAD_LINES = 32 /* steps up to so many lines are fetched ahead: 2 KiB */
};

enum {
    PAT_EXT_COST_SAMPLE = 8,        /* groups of lines of which one is looked at ... */
    PAT_EXT_COST_SAMPLE_SHIFT = 36, /* ... by bits of the hash that neither the tag nor the bucket uses */
    PAT_EXT_COST_EXACT_PAGES = 32   /* rows that touched no more pages are looked at always */
};

/* Zeroed is empty. */
struct pat_ext_cost {
    uint64_t *entries; /* tag above, count of the thread's lines below */
    uint64_t mask;     /* of the number of a bucket */
};

/* A table that takes about 1/128 of the budget.
 * Owns:   the caller ends c with pat_ext_cost_fini.  Errors: LS_ERR_NOMEM. */
ls_err pat_ext_cost_init(struct pat_ext_cost *c, struct pat_ext_budget *b);
void pat_ext_cost_fini(struct pat_ext_cost *c);

/* Of rows that touch much, lines of one group in eight stand for all (as the spatial sampling of Waldspurger
 * et al., "Efficient MRC Construction with SHARDS", FAST 2015). */
static inline bool pat_ext_cost_samples(uint64_t line)
{
    return (pat_ext_hash(line / PAT_EXT_COST_GROUP) >> PAT_EXT_COST_SAMPLE_SHIFT) % PAT_EXT_COST_SAMPLE == 0;
}

/* ---- marks ---- */

/* What of an access depends on those of other rows before it: how long ago a line was used, and whose turn it
 * was. Rows are followed one after the other; here they leave marks by the accesses of a round, and once all
 * rows were followed the marks are read in the order of the accesses. A mark is flags, 0: nothing. */
enum pat_ext_mark {
    PAT_EXT_MARK_TURNED = 1,      /* to another line */
    PAT_EXT_MARK_WIDE = 2,        /* the access has several lines */
    PAT_EXT_MARK_SKIPS = 4,       /* wide: the first one is the line before */
    PAT_EXT_MARK_JUDGED = 8,      /* not wide: the line's level counts */
    PAT_EXT_MARK_AHEAD = 16,      /* the first line turned to is fetched ahead */
    PAT_EXT_MARK_AHEAD_NEXT = 32, /* wide: the second one, too; of more lines all are */
    PAT_EXT_MARK_TURN = 64,       /* the distance changed, in a row that others look at */
    PAT_EXT_MARK_EXACT = 128,     /* the lines turned to count once; else they stand for a sample */
    PAT_EXT_MARK_WHOSE =
        PAT_EXT_MARK_WIDE | PAT_EXT_MARK_JUDGED | PAT_EXT_MARK_TURN /* the row must be known */
};

/* The marks of e's round, which is then over. */
void pat_ext_marks_replay(struct pat_ext *e);

/* ---- rounds ---- */

/* Accesses wait until there is a round of them, and are then handed out by lane: what one site did in one
 * thread, in order. Whatever belongs to a lane is then fetched once a round, not once an access. */
struct pat_ext_lane {
    struct pat_ext_row *row; /* that its last access was of, NULL: none yet */
    uint32_t site, thread;
    uint32_t len;       /* accesses in this round */
    uint32_t end;       /* once they are sorted: of its part of sorted */
    uint32_t looked_up; /* of the accesses last handed out, how many needed a look-up */
};

/* The lanes of one thread by site: a number more than theirs, 0: none. */
struct pat_ext_by_site {
    uint32_t **leaves;
    size_t len;
};

enum { PAT_EXT_ROUND_AHEAD = 32 };

/* Set up by pat_ext_round_init. */
struct pat_ext_round {
    /* by access, in the order of the source */
    uint64_t *addrs;
    uint32_t *lane_of;
    uint8_t *marks;  /* enum pat_ext_mark; zeroed when it is sorted */
    uint32_t *whose; /* the row of its mark, where that must be known */
    size_t len, cap;
    uint32_t *sorted;  /* the accesses' numbers by lane, ascending within one; PAT_EXT_ROUND_AHEAD more may be
                          read */
    uint32_t *touched; /* the lanes that have accesses, by the first of them */
    size_t touched_len;
    uint64_t before;   /* accesses of the rounds before */
    uint64_t cap_most; /* what the memory allows */
    struct pat_ext_lane *lanes;
    size_t lanes_len, lanes_cap;
    struct pat_ext_by_site *threads;
    size_t threads_len;
};

/* Rounds take at most a small part of the budget.
 * Owns:   the caller ends r with pat_ext_round_fini.  Errors: LS_ERR_NOMEM. */
ls_err pat_ext_round_init(struct pat_ext_round *r, struct pat_ext_budget *b);
void pat_ext_round_fini(struct pat_ext_round *r);

/* Take as many of the accesses as fit; *taken: how many. It is full when that is not all of them.
 * Errors: LS_ERR_FORMAT when one names what the tables do not have; LS_ERR_NOMEM. */
ls_err pat_ext_round_add(struct pat_ext_round *r, struct pat_ext_budget *b, const struct pat_tables *t,
                         const struct pat_access *a, size_t len, size_t *taken);

/* The accesses of lane l are then those that sorted[l->end - l->len, l->end) names. */
void pat_ext_round_sort(struct pat_ext_round *r);

/* It is empty again; the next one may be larger, if there are many lanes.  It stays as it is. */
void pat_ext_round_next(struct pat_ext_round *r, struct pat_ext_budget *b);

/* ---- accesses that wait ---- */

/* Accesses by which a row simply goes on: they are taken apart into runs and lines, without branches that
 * nothing could foresee, what counting them needs is fetched, and they are counted while the next ones are
 * taken apart. What waits is at most two parts of a few accesses. A row is of one lane, and lanes are
 * followed one after the other: whoever touches a row in another way must only have what waits of its lane
 * counted before. (But a row's sequence may be given up for want of memory at any time, pat_ext_reclaim: what
 * waits of it is then counted, not kept.) */
enum { PAT_EXT_PART = 32 };

/* Accesses of one row, in succession. */
struct pat_ext_stretch {
    struct pat_ext_row *row;
    uint64_t line; /* that the row was at before */
    uint64_t salt; /* of the thread's lines */
    uint32_t runs_end, turned_end;
    uint32_t weight; /* of its runs, once what they need was fetched */
};

struct pat_ext_part {
    uint32_t len, stretches_len; /* accesses, stretches */
    uint32_t runs_len, turned_len;
    struct pat_ext_stretch stretches[PAT_EXT_PART];
    struct pat_ext_run runs[PAT_EXT_PART]; /* that are over; the first of a stretch may be of no accesses */
    uint32_t run_at[PAT_EXT_PART];         /* the access at which it was, by its number in the round */
    uint64_t lines[PAT_EXT_PART];          /* that were turned to, none of them the one before */
    uint32_t line_at[PAT_EXT_PART];
};

/* Zeroed is empty. */
struct pat_ext_pending {
    struct pat_ext_part parts[2];
    unsigned filling;                /* the part that is being filled; the other one was fetched */
    const struct pat_ext_lane *lane; /* of the last stretch, NULL: none waits */
};

/* Accesses of one lane, by their numbers in the round. */
struct pat_ext_places {
    const uint32_t *data;
    size_t len;
};

/* Which of the accesses does the lane's row go on with? What is known around its last access holds now.
 * Returns how many of the first ones do and were taken; 0: the first one does not. */
size_t pat_ext_pending_take(struct pat_ext *e, struct pat_ext_lane *lane,
                            const struct pat_ext_places *places);

/* Nothing waits any more.  What there is no memory for is counted as not kept. */
void pat_ext_pending_count(struct pat_ext *e);

/* ---- the pass ---- */

enum { PAT_EXT_SLAB_LOG2 = 16, PAT_EXT_SLAB_ROWS = (1 << PAT_EXT_SLAB_LOG2) / sizeof(struct pat_ext_row) };

struct pat_ext_thread {
    uint64_t broken;                 /* stamp of its last break */
    uint64_t lines;                  /* that it turned to */
    uint64_t salt;                   /* its lines in the model of costs */
    struct pat_ext_windows *windows; /* published modes */
};

struct pat_ext_slab {
    struct pat_ext_row rows[PAT_EXT_SLAB_ROWS];
};

struct pat_ext {
    const struct pat_extract_options *options; /* with the defaults filled in */
    const struct pat_tables *tables;           /* of the source, at this batch */
    struct pat_ext_arena arena;
    struct pat_ext_budget budget, counts; /* counts: of distances and pages, so that sequences keep room */
    uint64_t held_bytes;                  /* at the end: by rows, and by the sequences made of them */
    struct pat_ext_cost cost;
    struct pat_ext_ranges ranges;
    struct pat_ext_thread *threads;
    size_t threads_len;
    struct pat_ext_slab **slabs;
    size_t slabs_len, slabs_cap, rows_len;
    struct pat_ext_row **found; /* open addressing, by site, home and thread */
    uint8_t found_log2;
    uint64_t now;           /* events so far */
    uint64_t ranges_stamp;  /* of the last birth or death */
    uint64_t kept_max;      /* accesses in one stream */
    uint32_t reclaim_pause; /* calls of pat_ext_reclaim for which it is known to help little */
    struct pat_ext_appearances appearances; /* published modes */
    struct pat_ext_last_turns last_turns;
    struct pat_ext_round round;
    struct pat_ext_pending pending;
    uint64_t accesses, unplaced; /* unplaced: no memory for a row of their own */
    ls_err err;                  /* of what cannot return one */
};

/* options, with all defaults filled in, must outlive e.
 * Owns:   the caller ends e with pat_ext_fini, also after a failure.  Errors: LS_ERR_NOMEM. */
ls_err pat_ext_init(struct pat_ext *e, const struct pat_extract_options *options);
void pat_ext_fini(struct pat_ext *e);

/* Errors: LS_ERR_NOMEM; LS_ERR_FORMAT when the batch names rows that the tables do not have. */
ls_err pat_ext_batch(struct pat_ext *e, const struct pat_tables *t, const struct pat_batch *b);

/* The source has ended: what is pending gets its place.  Errors: LS_ERR_NOMEM. */
ls_err pat_ext_end(struct pat_ext *e);

/* ---- rows: found by site, home and thread, made within the budget ---- */

static inline bool pat_ext_is_published(const struct pat_ext *e)
{
    return e->options->mode != PAT_MODE_COST;
}

/* Is the row about an area: since it has no range to be relative to, or because it was made for what was not
 * in that of a pool? */
static inline bool pat_ext_has_area(const struct pat_ext *e, const struct pat_ext_row *r)
{
    return (r->home == PAT_NONE || r->is_pool || r->next) && !pat_ext_is_published(e);
}

static inline bool pat_ext_in_area(const struct pat_ext_row *r, uint64_t addr)
{
    return addr - (r->anchor - PAT_EXT_AREA_BYTES) < 2 * PAT_EXT_AREA_BYTES;
}

/* Row number id of e. */
static inline struct pat_ext_row *pat_ext_row(const struct pat_ext *e, uint32_t id)
{
    return &e->slabs[id / PAT_EXT_SLAB_ROWS]->rows[id % PAT_EXT_SLAB_ROWS];
}

/* The row of a lane's access (its number in the round) whose home is known, a new one if need be; NULL without
 * memory for one. */
struct pat_ext_row *pat_ext_row_at(struct pat_ext *e, const struct pat_ext_lane *lane, uint32_t at,
                                   uint32_t home);

/* All rows in the order of their first accesses, e->rows_len of them.
 * Owns:   the caller frees the list, not the rows.  Errors: NULL without memory. */
struct pat_ext_row **pat_ext_rows(const struct pat_ext *e);

/* The least costly rows give up their sequences: a quarter of what all of them take.
 * Errors: false when that would help little; nothing is done then. */
bool pat_ext_reclaim(struct pat_ext *e);

/* Release what the row holds; its counts stay. */
void pat_ext_row_drop(struct pat_ext *e, struct pat_ext_row *r);

/* ---- a row's accesses ---- */

/* The order of a row's accesses: distances, runs of them, jumps to other ranges, and what makes a pool of a
 * home. What must be put off until the other rows were followed, too, is noted in the access's mark. */

/* Access number `at` of the round: the row is where spot says; before it was somewhere else, or this is its
 * first access.
 * What there is no memory for is counted as not kept. */
void pat_ext_arrive(struct pat_ext *e, struct pat_ext_row *r, const struct pat_ext_spot *spot, uint32_t at);

/* Runs of the row that are over are counted and kept, none of them of no accesses.  Errors: as
 * pat_ext_arrive. */
void pat_ext_count_runs(struct pat_ext *e, struct pat_ext_row *r, struct pat_ext_runs runs);

/* The row's run is over.  Errors: as pat_ext_arrive. */
static inline void pat_ext_flush(struct pat_ext *e, struct pat_ext_row *r)
{
    const struct pat_ext_run run = {r->distance, r->run};
    if (run.len) pat_ext_count_runs(e, r, (struct pat_ext_runs){&run, 1, 1});
    r->run = 0;
}

/* The turn at this access must be replayed. */
static inline void pat_ext_mark_turn(struct pat_ext *e, const struct pat_ext_row *r, uint32_t at)
{
    e->round.marks[at] |= PAT_EXT_MARK_TURN;
    e->round.whose[at] = r->id;
}

/* The row's distance has changed. */
static inline void pat_ext_take_turn(struct pat_ext *e, struct pat_ext_row *r, uint32_t at)
{
    if (pat_ext_turns_take(&r->turns, e->round.before + at, r->distance)) pat_ext_mark_turn(e, r, at);
    r->goes_on |= r->turns.begun == 2 && !r->echo;
}

/* The next access of the row, of which none waits.  Errors: as pat_ext_arrive. */
static inline void pat_ext_follow(struct pat_ext *e, struct pat_ext_row *r, uint32_t at)
{
    const uint64_t addr = e->round.addrs[at];
    const int64_t distance = (int64_t)(addr - r->addr);
    r->addr = addr;
    if (distance != r->distance) {
        pat_ext_flush(e, r);
        r->distance = distance;
        pat_ext_take_turn(e, r, at);
    }
    r->run++;
}

/* ---- the lines that a row turns to: its pages, and the marks by which they are judged later ---- */

/* An access of several lines: those that are not the row's last one are turned to. */
void pat_ext_turn_wide(struct pat_ext *e, struct pat_ext_row *r, uint32_t at);

/* Does an access at addr have a second line? */
static inline bool pat_ext_is_wide(const struct pat_ext_row *r, uint64_t addr)
{
    return addr % 64 + r->len_less >= 64 && addr / 64 != pat_ext_last_byte(r, addr) / 64;
}

/* Note that r turned by step lines. Return whether the processor fetches the line ahead: it was the same step
 * the time before, and a near one. */
static inline bool pat_ext_note_step(struct pat_ext_row *r, int64_t step)
{
    const bool is_near = (uint64_t)step + PAT_EXT_AHEAD_LINES <= 2 * PAT_EXT_AHEAD_LINES;
    const bool is_ahead = (step == r->line_step) & is_near;
    r->line_step = step;
    return is_ahead;
}

/* Is each line that it turns to judged, not a sample? */
static inline bool pat_ext_is_exact(const struct pat_ext_row *r)
{
    return r->pages.len <= PAT_EXT_COST_EXACT_PAGES;
}

/* The mark of an access that turns to one line, so many from the row's last one. Worked out without branches,
 * which nothing could foresee where places are random. */
static inline uint8_t pat_ext_turn_mark(struct pat_ext_row *r, uint64_t salted, int64_t step)
{
    const bool is_exact = pat_ext_is_exact(r), is_sampled = pat_ext_cost_samples(salted);
    return (uint8_t)(PAT_EXT_MARK_TURNED | is_exact * PAT_EXT_MARK_EXACT |
                     (is_exact | is_sampled) * PAT_EXT_MARK_JUDGED |
                     pat_ext_note_step(r, step) * PAT_EXT_MARK_AHEAD);
}

/* The lines from that of the access's first byte to that of its last. */
static inline void pat_ext_turn(struct pat_ext *e, struct pat_ext_row *r, uint32_t at, uint64_t salt)
{
    const uint64_t addr = e->round.addrs[at], line = addr / 64;
    if (pat_ext_is_wide(r, addr)) {
        pat_ext_turn_wide(e, r, at);
        return;
    }
    if (line == r->line) return;
    e->round.marks[at] |= pat_ext_turn_mark(r, line ^ salt, (int64_t)(line - r->line));
    e->round.whose[at] = r->id;
    r->line = line;
    if (!pat_ext_echo_knows(r->echo, r->distance, r->run)) pat_ext_pages_touch(&r->pages, &e->counts, line);
}

/* ---- from rows to sequences: units, filters, ranks, and the indices of those that stay ---- */

/* e has seen everything (pat_ext_end); t: the tables of the source. The rows give up what they hold.
 * Owns:   the caller ends out with pat_sequences_fini, also after a failure.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_ext_finish(struct pat_ext *e, struct pat_sequences *out);

#endif
