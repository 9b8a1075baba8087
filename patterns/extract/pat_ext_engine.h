/* SPDX-License-Identifier: BSD-3-Clause */
/* The one pass of extraction: turn batches of accesses into rows (pat_ext_row.h) within a budget. Its parts:
 *
 * pat_ext_buffer.c      collect accesses, and sort them by strand when the buffer is full
 * pat_ext_engine.c      find the row of each access
 * pat_ext_rows.c        create rows within the budget
 * pat_ext_follow.c      turn a row's accesses into runs, jumps and lines
 * pat_ext_repetition.c  only verify a row that repeats itself
 * pat_ext_marks.c       handle everything that depends on the order of all rows: the cost of lines, and turns
 * pat_ext_finish.c      turn rows into sequences */
#ifndef PAT_EXT_ENGINE_H
#define PAT_EXT_ENGINE_H

#include "patterns/extract/pat_ext_filter.h"
#include "patterns/extract/pat_ext_ranges.h"
#include "patterns/extract/pat_ext_row.h"

struct pat_ext;

/* ---- cost ---- */

/* The estimated waiting time of an access: a model of cache lines and their reuse, to rank sequences
 * (doc/patterns.md describes it). Each thread counts the lines that it accesses; the count since the last
 * access to the same line determines the cache level that still holds it. A table of fixed size remembers the
 * last access to each line; lines evicted from the table count as memory accesses. */
enum {
    PAT_EXT_COST_GROUP = 16, /* consecutive lines whose buckets are adjacent */
    PAT_EXT_COST_PARTS = 32, /* waiting time is added up in 1/32 cycles */
    PAT_EXT_AHEAD_LINES = 32 /* the prefetcher covers steps of up to this many lines: 2 KiB */
};

enum {
    PAT_EXT_COST_SAMPLE = 8,        /* one group of lines in this many is sampled ... */
    PAT_EXT_COST_SAMPLE_SHIFT = 36, /* ... selected by hash bits that neither the tag nor the bucket uses */
    PAT_EXT_COST_EXACT_PAGES = 32   /* rows with at most this many pages are never sampled */
};

/* Zeroed is empty. */
struct pat_ext_cost {
    uint64_t *entries; /* high bits: tag, low bits: the thread's line count */
    uint64_t mask;     /* for bucket numbers */
};

/* Allocate a table of about 1/128 of the budget.
 * Owns:   the caller ends c with pat_ext_cost_fini.  Errors: LS_ERR_NOMEM. */
ls_err pat_ext_cost_init(struct pat_ext_cost *c, struct pat_ext_budget *b);
void pat_ext_cost_fini(struct pat_ext_cost *c);

/* Return whether the line is in the sample. For rows that touch many pages, one group of lines in eight
 * represents all (like the spatial sampling of Waldspurger et al., "Efficient MRC Construction with SHARDS",
 * FAST 2015). */
static inline bool pat_ext_cost_samples(uint64_t line)
{
    return (pat_ext_hash(line / PAT_EXT_COST_GROUP) >> PAT_EXT_COST_SAMPLE_SHIFT) % PAT_EXT_COST_SAMPLE == 0;
}

/* ---- marks ---- */

/* Properties of an access that depend on other rows' earlier accesses: how long ago its line was used, and
 * which row took the last turn. Rows are followed one after the other and leave marks at the accesses of the
 * buffer; when all rows have been followed, the marks are replayed in the order of the accesses. A mark is a
 * set of flags; 0: none. */
enum pat_ext_mark {
    PAT_EXT_MARK_TURNED = 1,      /* the row moves to another line */
    PAT_EXT_MARK_WIDE = 2,        /* the access spans several lines */
    PAT_EXT_MARK_SKIPS = 4,       /* wide: its first line is the row's previous line */
    PAT_EXT_MARK_JUDGED = 8,      /* not wide: count the cost of the line */
    PAT_EXT_MARK_AHEAD = 16,      /* the first new line is prefetched by the processor */
    PAT_EXT_MARK_AHEAD_NEXT = 32, /* wide: so is the second one; all further lines are prefetched */
    PAT_EXT_MARK_TURN = 64,       /* the distance changed, in a row whose turns must be replayed */
    PAT_EXT_MARK_EXACT = 128,     /* the new lines count once; without this flag they represent a sample */
    PAT_EXT_MARK_WHOSE =
        PAT_EXT_MARK_WIDE | PAT_EXT_MARK_JUDGED | PAT_EXT_MARK_TURN /* the row must be known */
};

/* Replay the marks of e's buffer, the last step before it is emptied. */
void pat_ext_marks_replay(struct pat_ext *e);

/* ---- the buffer ---- */

/* Accesses are collected and then sorted by strand: the accesses of one site in one thread, in
 * order. Data that belongs to a strand is then fetched once for each filling, not once an access. */
struct pat_ext_strand {
    struct pat_ext_row *row; /* the row of the strand's last access, NULL: none yet */
    uint32_t site, thread;
    uint32_t len;       /* accesses in the buffer */
    uint32_t end;       /* end of this strand's slice of `sorted`; valid after pat_ext_buffer_sort */
    uint32_t looked_up; /* number of look-ups among the accesses handled last */
};

/* The strands of one thread by site: strand number + 1, 0: none. */
struct pat_ext_by_site {
    uint32_t **leaves;
    size_t len;
};

enum { PAT_EXT_BUFFER_AHEAD = 32 };

/* Set up by pat_ext_buffer_init. */
struct pat_ext_buffer {
    /* by access, in the order of the source */
    uint64_t *addrs;
    uint32_t *strand_of;
    uint8_t *marks;  /* enum pat_ext_mark; zeroed by pat_ext_buffer_sort */
    uint32_t *whose; /* the row of each mark, for marks that need it */
    size_t len, cap;
    uint32_t *sorted; /* access numbers by strand, ascending within a strand; PAT_EXT_BUFFER_AHEAD more may be
                          read */
    uint32_t *touched; /* the strands that have accesses, in the order of their first ones */
    size_t touched_len;
    uint64_t before;   /* accesses before the first one in the buffer */
    uint64_t cap_most; /* the largest capacity that the memory allows */
    struct pat_ext_strand *strands;
    size_t strands_len, strands_cap;
    struct pat_ext_by_site *threads;
    size_t threads_len;
};

/* Initialise r; it takes at most a small part of the budget.
 * Owns:   the caller ends r with pat_ext_buffer_fini.  Errors: LS_ERR_NOMEM. */
ls_err pat_ext_buffer_init(struct pat_ext_buffer *r, struct pat_ext_budget *b);
void pat_ext_buffer_fini(struct pat_ext_buffer *r);

/* Add as many of the accesses as fit and store their number in *taken. The buffer is full if *taken < len.
 * Errors: LS_ERR_FORMAT if an access names a row that the tables do not have; LS_ERR_NOMEM. */
ls_err pat_ext_buffer_add(struct pat_ext_buffer *r, struct pat_ext_budget *b, const struct pat_tables *t,
                          const struct pat_access *a, size_t len, size_t *taken);

/* Sort the accesses by strand: sorted[l->end - l->len, l->end) then names the accesses of strand l. */
void pat_ext_buffer_sort(struct pat_ext_buffer *r);

/* Empty the buffer, and enlarge it if there are many strands; without memory it keeps its size. */
void pat_ext_buffer_next(struct pat_ext_buffer *r, struct pat_ext_budget *b);

/* ---- pending accesses ---- */

/* Two-stage pipeline for accesses that extend the current row: split them branch-free into runs and cache
 * lines, prefetch the data that counting them needs, and count one part while the next is being split. At
 * most two parts of a few accesses are pending. A row belongs to one strand, and strands are followed one after
 * the other: code that touches a row in another way must only count the pending accesses of its strand first.
 * (But pat_ext_reclaim may drop a row's sequence at any time: its pending accesses are then counted, not
 * kept.) */
enum { PAT_EXT_PART = 32 };

/* Consecutive accesses of one row. */
struct pat_ext_stretch {
    struct pat_ext_row *row;
    uint64_t line; /* the row's line before the first access */
    uint64_t salt; /* the salt of the thread's lines */
    uint32_t runs_end, turned_end;
    uint32_t weight; /* weight of its runs, valid after prefetching */
};

struct pat_ext_part {
    uint32_t len, stretches_len; /* accesses, stretches */
    uint32_t runs_len, turned_len;
    struct pat_ext_stretch stretches[PAT_EXT_PART];
    struct pat_ext_run runs[PAT_EXT_PART]; /* completed runs; the first one of a stretch may be empty */
    uint32_t run_at[PAT_EXT_PART];         /* the access that ended it, by its number in the buffer */
    uint64_t lines[PAT_EXT_PART];          /* new lines, each different from the one before */
    uint32_t line_at[PAT_EXT_PART];
};

/* Zeroed is empty. */
struct pat_ext_pending {
    struct pat_ext_part parts[2];
    unsigned filling;                    /* the part being filled; the other one was prefetched */
    const struct pat_ext_strand *strand; /* strand of the last stretch, NULL: nothing is pending */
};

/* Accesses of one strand, by their numbers in the buffer. */
struct pat_ext_numbers {
    const uint32_t *data;
    size_t len;
};

/* Take the leading accesses that continue the strand's row, whose span must be valid now. Return how many were
 * taken; 0: the first access does not continue the row. */
size_t pat_ext_pending_take(struct pat_ext *e, struct pat_ext_strand *strand,
                            const struct pat_ext_numbers *numbers);

/* Count all pending accesses. Accesses for which memory is short are counted as not kept. */
void pat_ext_pending_count(struct pat_ext *e);

/* ---- the pass ---- */

enum { PAT_EXT_SLAB_LOG2 = 16, PAT_EXT_SLAB_ROWS = (1 << PAT_EXT_SLAB_LOG2) / sizeof(struct pat_ext_row) };

struct pat_ext_thread {
    uint64_t broken;                 /* stamp of its last break */
    uint64_t lines;                  /* lines accessed so far */
    uint64_t salt;                   /* distinguishes its lines in the cost model */
    struct pat_ext_windows *windows; /* published modes */
};

struct pat_ext_slab {
    struct pat_ext_row rows[PAT_EXT_SLAB_ROWS];
};

struct pat_ext {
    const struct pat_extract_options *options; /* with the defaults filled in */
    const struct pat_tables *tables;           /* tables of the source, as of this batch */
    struct pat_ext_arena arena;
    struct pat_ext_budget budget, counts; /* counts: for distances and pages, so that sequences keep their
                                             share */
    uint64_t held_bytes;                  /* in pat_ext_finish: memory of rows, and of the sequences made from
                                             them */
    struct pat_ext_cost cost;
    struct pat_ext_ranges ranges;
    struct pat_ext_thread *threads;
    size_t threads_len;
    struct pat_ext_slab **slabs;
    size_t slabs_len, slabs_cap, rows_len;
    struct pat_ext_row **found; /* open addressing, by site, home and thread */
    uint8_t found_log2;
    uint64_t now;           /* events so far */
    uint64_t ranges_stamp;  /* event number of the last birth or death */
    uint64_t kept_max;      /* the most accesses kept in one stream */
    uint32_t reclaim_pause; /* calls of pat_ext_reclaim to skip because it would free little */
    struct pat_ext_appearances appearances; /* published modes */
    struct pat_ext_last_turns last_turns;
    struct pat_ext_buffer buffer;
    struct pat_ext_pending pending;
    uint64_t accesses, unplaced; /* unplaced: no memory for a row */
    uint32_t weight, usual; /* the weight of the next accesses, and the mean; 1: the source has no weights */
    ls_err err;             /* first error of functions that cannot return one */
};

/* options, with all defaults filled in, must outlive e.
 * Owns:   the caller ends e with pat_ext_fini, also after a failure.  Errors: LS_ERR_NOMEM. */
ls_err pat_ext_init(struct pat_ext *e, const struct pat_extract_options *options);
void pat_ext_fini(struct pat_ext *e);

/* Process a batch.
 * Errors: LS_ERR_NOMEM; LS_ERR_FORMAT if the batch names rows that the tables do not have. */
ls_err pat_ext_batch(struct pat_ext *e, const struct pat_tables *t, const struct pat_batch *b);

/* End the pass after the last batch: process all pending accesses.  Errors: LS_ERR_NOMEM. */
ls_err pat_ext_end(struct pat_ext *e);

/* ---- rows: found by site, home and thread, made within the budget ---- */

static inline bool pat_ext_is_published(const struct pat_ext *e)
{
    return e->options->mode != PAT_MODE_COST;
}

/* Return whether the row covers a fixed area around its anchor: it has no range to be relative to, or it was
 * created for an address outside a pool's area. */
static inline bool pat_ext_has_area(const struct pat_ext *e, const struct pat_ext_row *r)
{
    return (r->home == PAT_NONE || r->is_pool || r->next) && !pat_ext_is_published(e);
}

static inline bool pat_ext_in_area(const struct pat_ext_row *r, uint64_t addr)
{
    return addr - (r->anchor - PAT_EXT_AREA_BYTES) < 2 * PAT_EXT_AREA_BYTES;
}

/* Return row number id of e. */
static inline struct pat_ext_row *pat_ext_row(const struct pat_ext *e, uint32_t id)
{
    return &e->slabs[id / PAT_EXT_SLAB_ROWS]->rows[id % PAT_EXT_SLAB_ROWS];
}

/* Return the row of a strand's access (its number in the buffer) with a known home, and create it if needed;
 * NULL without memory. */
struct pat_ext_row *pat_ext_row_at(struct pat_ext *e, const struct pat_ext_strand *strand, uint32_t at,
                                   uint32_t home);

/* List all rows in the order of their first accesses, e->rows_len of them.
 * Owns:   the caller frees the list, not the rows.  Errors: NULL without memory. */
struct pat_ext_row **pat_ext_rows(const struct pat_ext *e);

/* Drop the sequences of the least costly rows: a quarter of the memory of all sequences.
 * Errors: false if that would free little; nothing is dropped then. */
bool pat_ext_reclaim(struct pat_ext *e);

/* Release the row's memory; its counts stay. */
void pat_ext_row_drop(struct pat_ext *e, struct pat_ext_row *r);

/* ---- a row's accesses ---- */

/* The order of a row's accesses: distances, runs, jumps to other ranges, and the decision whether a home is a
 * pool. Work that must wait until the other rows have been followed is recorded in the access's mark. */

/* Process access `at` of the buffer, whose address is in spot: the row was elsewhere before, or this is its
 * first access. Accesses for which memory is short are counted as not kept. */
void pat_ext_arrive(struct pat_ext *e, struct pat_ext_row *r, const struct pat_ext_spot *spot, uint32_t at);

/* Count and keep completed runs of the row, none of them empty.  Errors: as pat_ext_arrive. */
void pat_ext_count_runs(struct pat_ext *e, struct pat_ext_row *r, struct pat_ext_runs runs);

/* Return the weight of each access of the row's current run. */
static inline uint32_t pat_ext_weight(const struct pat_ext *e, const struct pat_ext_row *r)
{
    return e->usual > 1 ? r->weight : 1;
}

/* End the row's current run.  Errors: as pat_ext_arrive. */
static inline void pat_ext_flush(struct pat_ext *e, struct pat_ext_row *r)
{
    const struct pat_ext_run run = {r->distance, r->run};
    if (run.len) pat_ext_count_runs(e, r, (struct pat_ext_runs){&run, 1, 1});
    r->run = 0;
}

/* Mark the turn at this access for replay. */
static inline void pat_ext_mark_turn(struct pat_ext *e, const struct pat_ext_row *r, uint32_t at)
{
    e->buffer.marks[at] |= PAT_EXT_MARK_TURN;
    e->buffer.whose[at] = r->id;
}

/* Note that the row's distance has changed. */
static inline void pat_ext_take_turn(struct pat_ext *e, struct pat_ext_row *r, uint32_t at)
{
    if (pat_ext_turns_take(&r->turns, e->buffer.before + at, r->distance)) pat_ext_mark_turn(e, r, at);
    r->goes_on |= r->turns.begun == 2 && !r->repetition;
}

/* Process the row's next access; none may be pending.  Errors: as pat_ext_arrive. */
static inline void pat_ext_follow(struct pat_ext *e, struct pat_ext_row *r, uint32_t at)
{
    const uint64_t addr = e->buffer.addrs[at];
    const int64_t distance = (int64_t)(addr - r->addr);
    r->addr = addr;
    if (distance != r->distance) {
        pat_ext_flush(e, r);
        r->distance = distance;
        pat_ext_take_turn(e, r, at);
    }
    r->run++;
}

/* ---- the lines of a row: its pages, and the marks that determine their cost ---- */

/* Note an access that spans several lines: it moves to each that is not the row's last line. */
void pat_ext_turn_wide(struct pat_ext *e, struct pat_ext_row *r, uint32_t at);

/* Return whether an access at addr spans a second line. */
static inline bool pat_ext_is_wide(const struct pat_ext_row *r, uint64_t addr)
{
    return addr % 64 + r->len_less >= 64 && addr / 64 != pat_ext_last_byte(r, addr) / 64;
}

/* Note that r moved by step lines. Return whether the processor prefetches the line: the previous step was
 * the same, and it is short. */
static inline bool pat_ext_note_step(struct pat_ext_row *r, int64_t step)
{
    const bool is_near = (uint64_t)step + PAT_EXT_AHEAD_LINES <= 2 * PAT_EXT_AHEAD_LINES;
    const bool is_ahead = (step == r->line_step) & is_near;
    r->line_step = step;
    return is_ahead;
}

/* Return whether all new lines of the row are judged, not a sample. */
static inline bool pat_ext_is_exact(const struct pat_ext_row *r)
{
    return r->pages.len <= PAT_EXT_COST_EXACT_PAGES;
}

/* Return the mark of an access to one new line, `step` lines from the row's last one. There are no branches,
 * because they would be mispredicted where addresses are random. */
static inline uint8_t pat_ext_turn_mark(struct pat_ext_row *r, uint64_t salted, int64_t step)
{
    const bool is_exact = pat_ext_is_exact(r), is_sampled = pat_ext_cost_samples(salted);
    return (uint8_t)(PAT_EXT_MARK_TURNED | is_exact * PAT_EXT_MARK_EXACT |
                     (is_exact | is_sampled) * PAT_EXT_MARK_JUDGED |
                     pat_ext_note_step(r, step) * PAT_EXT_MARK_AHEAD);
}

/* Note the lines from the access's first byte to its last one. */
static inline void pat_ext_turn(struct pat_ext *e, struct pat_ext_row *r, uint32_t at, uint64_t salt)
{
    const uint64_t addr = e->buffer.addrs[at], line = addr / 64;
    if (pat_ext_is_wide(r, addr)) {
        pat_ext_turn_wide(e, r, at);
        return;
    }
    if (line == r->line) return;
    e->buffer.marks[at] |= pat_ext_turn_mark(r, line ^ salt, (int64_t)(line - r->line));
    e->buffer.whose[at] = r->id;
    r->line = line;
    if (!pat_ext_repetition_knows(r->repetition, r->distance, r->run))
        pat_ext_pages_touch(&r->pages, &e->counts, line);
}

/* ---- from rows to sequences: units, filters, ranks, and the indices of the chosen rows ---- */

/* Turn the rows into sequences after pat_ext_end; t: the tables of the source. The rows release their memory.
 * Owns:   the caller ends out with pat_sequences_fini, also after a failure.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_ext_finish(struct pat_ext *e, struct pat_sequences *out);

#endif
