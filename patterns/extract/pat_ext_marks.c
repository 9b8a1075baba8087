/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_engine.h"
#include "common/ls_compat.h"
#include "smrtree/smr_array.h"

#include <stdlib.h>

/* ---- cost ---- */

enum {
    COST_BUCKETS_MIN = 1 << 10,
    COST_BUCKETS_MAX = 1 << 16,
    COST_BUDGET_SHARE = 256,
    COST_WAYS = 4, /* entries of a bucket */
    COST_TIME_BITS = 40
};
#define COST_TAG (UINT64_MAX << COST_TIME_BITS)

enum cost_level { COST_L1, COST_L2, COST_L3, COST_MEMORY, COST_LEVELS };

ls_err pat_ext_cost_init(struct pat_ext_cost *c, struct pat_ext_budget *b)
{
    const size_t bucket_bytes = COST_WAYS * sizeof(uint64_t);
    uint64_t buckets = COST_BUCKETS_MIN;
    while (buckets < COST_BUCKETS_MAX && 2 * buckets * bucket_bytes <= b->limit_bytes / COST_BUDGET_SHARE)
        buckets *= 2;
    c->entries = smr_array_alloc(buckets * bucket_bytes);
    if (!c->entries) return ls_nomem("the cost of accesses");
    for (uint64_t i = 0; i < buckets * COST_WAYS; i++)
        c->entries[i] = 0;
    c->mask = buckets - 1;
    pat_ext_charge(b, buckets * bucket_bytes);
    return LS_OK;
}

void pat_ext_cost_fini(struct pat_ext_cost *c)
{
    free(c->entries);
    *c = (struct pat_ext_cost){0};
}

/* The bucket of the hash table in which a line is looked up, and the tag that identifies the line in it. */
struct cost_bucket {
    uint64_t *entries;
    uint64_t tag;
};

/* Return the bucket of a line (its number, with its thread's salt). Consecutive lines have consecutive
 * buckets, in groups; a hash determines the position of a group and the bucket at which it begins. */
static inline struct cost_bucket cost_at(const struct pat_ext_cost *c, uint64_t line)
{
    const uint64_t group = pat_ext_hash(line / PAT_EXT_COST_GROUP);
    const uint64_t member = (line + (group >> 32)) % PAT_EXT_COST_GROUP;
    const uint64_t bucket = ((group * PAT_EXT_COST_GROUP + member) & c->mask) * COST_WAYS;
    /* the bucket uses the other end of the hash; no tag is 0, because free entries have tag 0 */
    const uint64_t tag = (group & COST_TAG) | UINT64_C(1) << COST_TIME_BITS;
    return (struct cost_bucket){&c->entries[bucket], tag};
}

/* Capacity of each level in lines, and waiting time for one of its lines, in cycles beyond a hit in the first
 * level: round figures of today's server processors, 32 KiB, 1 MiB and 32 MiB of lines of 64 bytes. */
static const struct {
    uint64_t lines;
    uint32_t wait_cycles;
} cost_levels[COST_LEVELS] = {{512, 0}, {16384, 10}, {524288, 40}, {UINT64_MAX, 250}};

/* A prefetched line costs only bandwidth. A store retires before its line arrives: it costs only pressure on
 * the store buffer. */
enum { COST_AHEAD_LOG2 = 3, COST_STORE_LOG2 = 2 };

static inline enum cost_level cost_level(uint64_t lines_since)
{
    return (enum cost_level)((lines_since > cost_levels[COST_L1].lines) +
                             (lines_since > cost_levels[COST_L2].lines) +
                             (lines_since > cost_levels[COST_L3].lines));
}

/* Return the level that holds a bucket's line when it is its thread's now-th line (1 at least), and record
 * that use. There are no branches: the matching entry, or the least recently used one that is replaced, is
 * unpredictable. */
static inline enum cost_level cost_turn(struct cost_bucket bucket, uint64_t now)
{
    uint64_t *b = bucket.entries;
    const uint64_t time = ~COST_TAG;
    unsigned same = 0;
    for (unsigned i = 0; i < COST_WAYS; i++)
        same |= (unsigned)((b[i] & COST_TAG) == bucket.tag) << i;
    const unsigned low = (b[1] & time) < (b[0] & time), high = 2 + ((b[3] & time) < (b[2] & time));
    unsigned at = (b[high] & time) < (b[low] & time) ? high : low;
    __asm__("" : "+r"(at)); /* otherwise GCC may branch on the code below */
    at = same ? (unsigned)__builtin_ctz(same) : at;
    const uint64_t before = b[at] & time;
    b[at] = bucket.tag | (now & time);
    return same ? cost_level((now - before) & time) : COST_MEMORY;
}

/* Return the waiting time beyond a hit in the first level, in parts of a cycle. is_ahead: the processor
 * prefetches the line. */
static inline uint32_t cost_parts(enum cost_level level, bool is_ahead, bool is_store)
{
    return cost_levels[level].wait_cycles * PAT_EXT_COST_PARTS >>
           (is_ahead * COST_AHEAD_LOG2 + is_store * COST_STORE_LOG2);
}

/* ---- turns ---- */

/* Link r to the row ahead, if that has the same home and distance and both have begun to alternate. */
static void turns_get_in_line(struct pat_ext_last_turns *last, struct pat_ext_row *r)
{
    struct pat_ext_turns *t = &r->turns;
    const uint64_t key =
        pat_ext_hash((uint64_t)t->distance ^ pat_ext_hash((uint64_t)r->thread << 32 | r->home));
    struct pat_ext_row **slot = &last->rows[key % PAT_EXT_TURN_SLOTS];
    struct pat_ext_row *a = *slot;
    *slot = r;
    if (!a || a->home != r->home || a->thread != r->thread || a->turns.distance != t->distance ||
        a->turns.len != 2 || a->turns.begin[0] >= t->begin[0] || t->begin[0] >= a->turns.begin[1])
        return;
    t->ahead = a;
    t->first = a->turns.ahead ? a->turns.first : a;
    t->ahead->turns.watchers++;
    t->first->turns.watchers++;
}

static void turns_leave_line(struct pat_ext_turns *t)
{
    t->ahead->turns.watchers--;
    t->first->turns.watchers--;
    t->ahead = NULL;
}

/* Replay the next turn of r, a linked row. */
static void turns_replay(struct pat_ext_last_turns *last, struct pat_ext_row *r)
{
    struct pat_ext_turns *t = &r->turns;
    if (++t->len == 2) turns_get_in_line(last, r);
    if (t->ahead && (t->len != t->ahead->turns.len || t->len != t->first->turns.len)) turns_leave_line(t);
}

/* ---- marks ---- */

void pat_ext_turn_wide(struct pat_ext *e, struct pat_ext_row *r, uint32_t at)
{
    static const uint8_t ahead[] = {PAT_EXT_MARK_AHEAD, PAT_EXT_MARK_AHEAD_NEXT};
    const uint64_t addr = e->buffer.addrs[at], last = pat_ext_last_byte(r, addr) / 64;
    uint64_t line = addr / 64;
    uint8_t mark = PAT_EXT_MARK_TURNED | PAT_EXT_MARK_WIDE;
    if (pat_ext_is_exact(r)) mark |= PAT_EXT_MARK_EXACT;
    if (line == r->line) {
        mark |= PAT_EXT_MARK_SKIPS;
        line++;
    }
    for (int i = 0; line <= last; i++, line++) {
        if (pat_ext_note_step(r, (int64_t)(line - r->line)) && i < 2) mark |= ahead[i];
        r->line = line;
        if (!pat_ext_repetition_knows(r->repetition, r->distance, r->run))
            pat_ext_pages_touch(&r->pages, &e->counts, line);
    }
    e->buffer.marks[at] |= mark;
    e->buffer.whose[at] = r->id;
}

enum { MARKS_AHEAD = 16, MARKS_BLOCK = 1024 };

/* All accesses of the buffer have this weight. */
static void marks_judge(struct pat_ext_row *r, struct cost_bucket bucket, bool is_ahead, bool is_exact,
                        uint64_t now, uint64_t weight)
{
    const enum cost_level level = cost_turn(bucket, now);
    r->cost_parts += cost_parts(level, is_ahead, r->is_store) * weight * (is_exact ? 1 : PAT_EXT_COST_SAMPLE);
}

static void marks_wide(struct pat_ext *e, size_t at)
{
    const uint64_t addr = e->buffer.addrs[at];
    const uint8_t mark = e->buffer.marks[at];
    struct pat_ext_row *r = pat_ext_row(e, e->buffer.whose[at]);
    struct pat_ext_thread *t = &e->threads[r->thread];
    const bool is_exact = mark & PAT_EXT_MARK_EXACT;
    const uint64_t last = pat_ext_last_byte(r, addr) >> 6;
    uint64_t line = (addr >> 6) + (mark & PAT_EXT_MARK_SKIPS ? 1 : 0);
    for (uint64_t i = 0; line <= last; i++, line++) {
        const uint64_t salted = line ^ t->salt;
        const bool is_ahead = i == 0   ? mark & PAT_EXT_MARK_AHEAD
                              : i == 1 ? mark & PAT_EXT_MARK_AHEAD_NEXT
                                       : true;
        t->lines++;
        if (is_exact || pat_ext_cost_samples(salted))
            marks_judge(r, cost_at(&e->cost, salted), is_ahead, is_exact, t->lines, e->weight);
    }
}

/* Lines whose cost is to be computed: with their threads' salts, the line counts of their threads, and the
 * accesses. */
struct marks_judged {
    uint64_t lines[MARKS_BLOCK], now[MARKS_BLOCK];
    uint32_t at[MARKS_BLOCK];
    size_t len;
};

static void marks_judge_all(struct pat_ext *e, struct marks_judged *judged)
{
    struct {
        struct cost_bucket bucket;
        struct pat_ext_row *row;
    } ahead[MARKS_AHEAD]; /* prefetched */
    for (size_t i = 0; i < judged->len + MARKS_AHEAD; i++) {
        if (i >= MARKS_AHEAD) {
            const uint8_t mark = e->buffer.marks[judged->at[i - MARKS_AHEAD]];
            marks_judge(ahead[i % MARKS_AHEAD].row, ahead[i % MARKS_AHEAD].bucket, mark & PAT_EXT_MARK_AHEAD,
                        mark & PAT_EXT_MARK_EXACT, judged->now[i - MARKS_AHEAD], e->weight);
        }
        if (i >= judged->len) continue;
        ahead[i % MARKS_AHEAD].bucket = cost_at(&e->cost, judged->lines[i]);
        ahead[i % MARKS_AHEAD].row = pat_ext_row(e, e->buffer.whose[judged->at[i]]);
        ls_prefetch(ahead[i % MARKS_AHEAD].bucket.entries);
        ls_prefetch(&ahead[i % MARKS_AHEAD].row->cost_parts);
    }
    judged->len = 0;
}

/* Handle the rare marks. */
static void marks_seldom(struct pat_ext *e, size_t at, struct marks_judged *judged)
{
    const uint8_t mark = e->buffer.marks[at];
    if (mark & PAT_EXT_MARK_TURN) turns_replay(&e->last_turns, pat_ext_row(e, e->buffer.whose[at]));
    if (!(mark & PAT_EXT_MARK_WIDE)) return;
    marks_judge_all(e, judged); /* earlier accesses must be judged first */
    marks_wide(e, at);
}

/* Judged lines (one in eight of many rows) are unpredictable: they are selected without branches. */
void pat_ext_marks_replay(struct pat_ext *e)
{
    struct marks_judged judged;
    const uint8_t *marks = e->buffer.marks;
    judged.len = 0;
    for (size_t i = 0; i < e->buffer.len; i++) {
        const uint8_t mark = marks[i];
        if (!mark) continue;
        if (mark & (PAT_EXT_MARK_TURN | PAT_EXT_MARK_WIDE)) marks_seldom(e, i, &judged);
        if (mark & PAT_EXT_MARK_WIDE) continue;
        struct pat_ext_thread *t = &e->threads[e->buffer.strands[e->buffer.strand_of[i]].thread];
        t->lines += mark & PAT_EXT_MARK_TURNED;
        judged.lines[judged.len] = e->buffer.addrs[i] >> 6 ^ t->salt;
        judged.now[judged.len] = t->lines;
        judged.at[judged.len] = (uint32_t)i;
        judged.len += mark / PAT_EXT_MARK_JUDGED & 1;
        if (judged.len == MARKS_BLOCK) marks_judge_all(e, &judged);
    }
    marks_judge_all(e, &judged);
}
