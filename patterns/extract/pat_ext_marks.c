/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_marks.h"
#include "patterns/extract/pat_ext_engine.h"
#include "patterns/extract/pat_ext_rows.h"

enum { MARKS_AHEAD = 16 };

static void marks_judge(struct pat_ext *e, struct pat_ext_row *r, uint64_t salted, bool is_ahead,
                        bool is_exact, uint64_t now)
{
    const enum pat_ext_level level = pat_ext_cost_turn(&e->cost, salted, now);
    r->cost_parts += pat_ext_cost_parts(level, is_ahead, r->is_store) * (is_exact ? 1 : PAT_EXT_COST_SAMPLE);
}

static void marks_wide(struct pat_ext *e, struct pat_ext_thread *t, const struct pat_ext_mark *m,
                       uint64_t addr)
{
    struct pat_ext_row *r = pat_ext_row(e, m->row);
    const uint64_t last = pat_ext_last_byte(r, addr) >> 6;
    uint64_t line = (addr >> 6) + (m->flags & PAT_EXT_MARK_SKIPS ? 1 : 0);
    for (uint64_t i = 0; line <= last; i++, line++) {
        const uint64_t salted = line ^ t->salt;
        const bool is_ahead = i == 0   ? m->flags & PAT_EXT_MARK_AHEAD
                              : i == 1 ? m->flags & PAT_EXT_MARK_AHEAD_NEXT
                                       : true;
        t->lines++;
        if (i < m->exact || pat_ext_cost_samples(salted))
            marks_judge(e, r, salted, is_ahead, i < m->exact, t->lines);
    }
}

static void marks_one(struct pat_ext *e, const struct pat_ext_mark *m, const struct pat_access *a)
{
    struct pat_ext_thread *t = &e->threads[a->thread];
    if (m->flags & PAT_EXT_MARK_TURN) pat_ext_turns_replay(&e->last_turns, pat_ext_row(e, m->row));
    if (!(m->flags & PAT_EXT_MARK_TURNED)) return;
    if (m->flags & PAT_EXT_MARK_WIDE) {
        marks_wide(e, t, m, a->addr);
        return;
    }
    t->lines++;
    if (m->flags & PAT_EXT_MARK_JUDGED)
        marks_judge(e, pat_ext_row(e, m->row), a->addr >> 6 ^ t->salt, m->flags & PAT_EXT_MARK_AHEAD,
                    m->exact, t->lines);
}

static inline void marks_prefetch(const struct pat_ext *e, const struct pat_ext_mark *m,
                                  const struct pat_access *a)
{
    if (!(m->flags & PAT_EXT_MARK_JUDGED)) return;
    pat_ext_cost_prefetch(&e->cost, a->addr >> 6 ^ e->threads[a->thread].salt);
    ls_prefetch(&pat_ext_row(e, m->row)->cost_parts);
}

void pat_ext_marks_replay(struct pat_ext *e)
{
    const struct pat_access *a = e->round.accesses;
    const size_t len = e->round.len;
    for (size_t i = 0; i < len; i++) {
        if (i + MARKS_AHEAD < len) marks_prefetch(e, &e->round.marks[i + MARKS_AHEAD], &a[i + MARKS_AHEAD]);
        if (e->round.marks[i].flags) marks_one(e, &e->round.marks[i], &a[i]);
    }
}
