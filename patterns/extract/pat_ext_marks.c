/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_marks.h"
#include "common/ls_prefetch.h"
#include "patterns/extract/pat_ext_engine.h"
#include "patterns/extract/pat_ext_rows.h"

enum { MARKS_AHEAD = 16, MARKS_BLOCK = 1024 };

static void marks_judge(struct pat_ext_row *r, struct pat_ext_cost_place place, bool is_ahead, bool is_exact,
                        uint64_t now)
{
    const enum pat_ext_level level = pat_ext_cost_turn(place, now);
    r->cost_parts += pat_ext_cost_parts(level, is_ahead, r->is_store) * (is_exact ? 1 : PAT_EXT_COST_SAMPLE);
}

static void marks_wide(struct pat_ext *e, size_t at)
{
    const uint64_t addr = e->round.addrs[at];
    const uint8_t mark = e->round.marks[at];
    struct pat_ext_row *r = pat_ext_row(e, e->round.whose[at]);
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
            marks_judge(r, pat_ext_cost_at(&e->cost, salted), is_ahead, is_exact, t->lines);
    }
}

/* Lines that are to be judged: with their threads' salts, when these turned to them, and the accesses. */
struct marks_judged {
    uint64_t lines[MARKS_BLOCK], now[MARKS_BLOCK];
    uint32_t at[MARKS_BLOCK];
    size_t len;
};

static void marks_judge_all(struct pat_ext *e, struct marks_judged *judged)
{
    struct {
        struct pat_ext_cost_place place;
        struct pat_ext_row *row;
    } ahead[MARKS_AHEAD]; /* fetched */
    for (size_t i = 0; i < judged->len + MARKS_AHEAD; i++) {
        if (i >= MARKS_AHEAD) {
            const uint8_t mark = e->round.marks[judged->at[i - MARKS_AHEAD]];
            marks_judge(ahead[i % MARKS_AHEAD].row, ahead[i % MARKS_AHEAD].place, mark & PAT_EXT_MARK_AHEAD,
                        mark & PAT_EXT_MARK_EXACT, judged->now[i - MARKS_AHEAD]);
        }
        if (i >= judged->len) continue;
        ahead[i % MARKS_AHEAD].place = pat_ext_cost_at(&e->cost, judged->lines[i]);
        ahead[i % MARKS_AHEAD].row = pat_ext_row(e, e->round.whose[judged->at[i]]);
        ls_prefetch(ahead[i % MARKS_AHEAD].place.bucket);
        ls_prefetch(&ahead[i % MARKS_AHEAD].row->cost_parts);
    }
    judged->len = 0;
}

/* What is rare. */
static void marks_seldom(struct pat_ext *e, size_t at, struct marks_judged *judged)
{
    const uint8_t mark = e->round.marks[at];
    if (mark & PAT_EXT_MARK_TURN) pat_ext_turns_replay(&e->last_turns, pat_ext_row(e, e->round.whose[at]));
    if (!(mark & PAT_EXT_MARK_WIDE)) return;
    marks_judge_all(e, judged); /* those before come first */
    marks_wide(e, at);
}

/* Which lines are judged, one in eight of many rows, nothing foresees: they are told from the others without
 * branches. */
void pat_ext_marks_replay(struct pat_ext *e)
{
    struct marks_judged judged;
    const uint8_t *marks = e->round.marks;
    judged.len = 0;
    for (size_t i = 0; i < e->round.len; i++) {
        const uint8_t mark = marks[i];
        if (!mark) continue;
        if (mark & (PAT_EXT_MARK_TURN | PAT_EXT_MARK_WIDE)) marks_seldom(e, i, &judged);
        if (mark & PAT_EXT_MARK_WIDE) continue;
        struct pat_ext_thread *t = &e->threads[e->round.lanes[e->round.lane_of[i]].thread];
        t->lines += mark & PAT_EXT_MARK_TURNED;
        judged.lines[judged.len] = e->round.addrs[i] >> 6 ^ t->salt;
        judged.now[judged.len] = t->lines;
        judged.at[judged.len] = (uint32_t)i;
        judged.len += mark / PAT_EXT_MARK_JUDGED & 1;
        if (judged.len == MARKS_BLOCK) marks_judge_all(e, &judged);
    }
    marks_judge_all(e, &judged);
}
