/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines that a row turns to: its pages, and the marks by which they are judged later. */
#ifndef PAT_EXT_LINES_H
#define PAT_EXT_LINES_H

#include "patterns/extract/pat_ext_engine.h"

/* An access of several lines: those that are not the row's last one are turned to. */
void pat_ext_turn_wide(struct pat_ext *e, struct pat_ext_row *r, uint32_t at);

/* Does an access at addr have a second line? */
static inline bool pat_ext_is_wide(const struct pat_ext_row *r, uint64_t addr)
{
    return addr % 64 + r->len_less >= 64 && addr / 64 != pat_ext_last_byte(r, addr) / 64;
}

/* r turned by step lines to one that is fetched ahead, when it was by so many the time before, too. */
static inline bool pat_ext_steps_on(struct pat_ext_row *r, int64_t step)
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
                     pat_ext_steps_on(r, step) * PAT_EXT_MARK_AHEAD);
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

#endif
