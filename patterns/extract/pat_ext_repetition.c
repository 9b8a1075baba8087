/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_engine.h"
#include "patterns/extract/pat_ext_row.h"

#include <stdlib.h>

/* Repetitions of fewer runs (REPETITION_WORTH) are kept run by run. At the last distance the limit of the anchor
 * starts over. */
enum { REPETITION_LIMIT_FIRST = 64, REPETITION_LIMIT_LAST = 1 << 23, REPETITION_WORTH = 64 };

void pat_ext_repetition_free(struct pat_ext *e, struct pat_ext_repetition *repetition)
{
    if (!repetition) return;
    pat_ext_give(&e->budget, sizeof(*repetition));
    free(repetition);
}

/* Spreads the bits of a run upwards (the multiplier of Steele and Vigna for 64 bits, "Computationally easy,
 * spectrally good multipliers", Software: Practice and Experience 52, 2022). */
#define REPETITION_ODD UINT64_C(0xd1342543de82ef95)

/* Read the next predicted run. */
static void repetition_read(struct pat_ext_repetition *repetition)
{
    if (repetition->at == repetition->period) {
        repetition->reader = pat_ext_stream_read_from(repetition->reader.stream, repetition->from);
        repetition->at = 0;
    }
    pat_ext_stream_next(&repetition->reader, &repetition->next);
}

bool pat_ext_repetition_takes(struct pat_ext_repetition *repetition, int64_t distance, uint64_t run)
{
    if (distance != repetition->next.distance || run != repetition->next.count) return false;
    repetition->tokens++;
    repetition->accesses += run;
    repetition->at++;
    repetition_read(repetition);
    return true;
}

/* ---- detecting the end of a round ---- */

static void repetition_anchor(const struct pat_ext_row *r, struct pat_ext_repetition *repetition,
                              uint64_t limit)
{
    repetition->anchor = repetition->print;
    repetition->from = pat_ext_stream_end(&r->stream);
    repetition->since = repetition->moved = 0;
    repetition->limit = limit > REPETITION_LIMIT_LAST ? REPETITION_LIMIT_FIRST : limit;
}

static void repetition_follow(struct pat_ext_row *r, struct pat_ext_repetition *repetition)
{
    repetition->period = repetition->since;
    repetition->is_closed = repetition->moved == 0;
    r->goes_on = !repetition->is_closed; /* predicted accesses need not be pending */
    repetition->tokens = repetition->accesses = repetition->at = 0;
    repetition->reader = pat_ext_stream_read_from(&r->stream, repetition->from);
    repetition_read(repetition);
}

static void repetition_new(struct pat_ext *e, struct pat_ext_row *r)
{
    r->repetition = calloc(1, sizeof(*r->repetition));
    if (!r->repetition) return;
    pat_ext_charge(&e->budget, sizeof(*r->repetition));
    r->repetition->begun = r->kept;
    repetition_anchor(r, r->repetition, REPETITION_LIMIT_FIRST);
}

static bool repetition_must_look(const struct pat_ext_repetition *repetition)
{
    return (repetition->print == repetition->anchor) | (repetition->since >= repetition->limit);
}

size_t pat_ext_repetition_note(struct pat_ext_repetition *repetition, struct pat_ext_runs runs)
{
    struct pat_ext_repetition now = {.print = repetition->print,
                                     .anchor = repetition->anchor,
                                     .since = repetition->since,
                                     .limit = repetition->limit,
                                     .moved = repetition->moved};
    size_t n = 0;
    while (n < runs.len) {
        const struct pat_ext_run run = runs.data[n];
        /* each run shifts the print two bits to the left: a run has no effect after 32 more runs */
        const uint64_t mixed = ((uint64_t)run.distance ^ run.len << 48) * REPETITION_ODD;
        now.print = (now.print << 2) + (mixed ^ mixed >> 32);
        now.moved += (uint64_t)run.distance * run.len;
        now.since++;
        n++;
        if (repetition_must_look(&now)) break;
    }
    repetition->print = now.print;
    repetition->moved = now.moved;
    repetition->since = now.since;
    return n;
}

void pat_ext_repetition_look(struct pat_ext *e, struct pat_ext_row *r)
{
    if (!r->repetition)
        repetition_new(e, r);
    else if (r->repetition->print == r->repetition->anchor)
        repetition_follow(r, r->repetition);
    else if (r->repetition->since >= r->repetition->limit)
        repetition_anchor(r, r->repetition, 2 * r->repetition->limit);
}

/* ---- leaving a round ---- */

/* Return how often run `at` of the round occurred among the runs predicted correctly. */
static uint64_t repetition_times(const struct pat_ext_repetition *repetition, uint64_t at)
{
    return repetition->tokens / repetition->period + (at < repetition->tokens % repetition->period);
}

static void repetition_count(struct pat_ext *e, struct pat_ext_row *r)
{
    struct pat_ext_repetition *repetition = r->repetition;
    struct pat_ext_reader reader = pat_ext_stream_read_from(&r->stream, repetition->from);
    struct pat_ext_token t;
    uint64_t round = 0;
    if (!repetition->tokens) return;
    for (uint64_t at = 0; at < repetition->period; at++, round += t.count) {
        const uint64_t times = repetition_times(repetition, at);
        pat_ext_stream_next(&reader, &t);
        if (times &&
            !pat_ext_tally_add(&r->tally, &e->counts, t.distance, t.count * times * pat_ext_weight(e, r)))
            r->has_tally_gap = true;
    }
    /* less than a round is still useful: if there are four rounds in all, detection may succeed only near the
     * end */
    const bool is_full = repetition->tokens >= repetition->period;
    if (is_full < repetition->was_full ||
        (is_full == repetition->was_full && repetition->accesses <= repetition->most))
        return;
    repetition->was_full = is_full;
    repetition->most = repetition->accesses;
    repetition->round = round;
}

static bool repetition_keep_each(struct pat_ext *e, struct pat_ext_row *r)
{
    const struct pat_ext_repetition *repetition = r->repetition;
    const struct pat_ext_repeat all = {repetition->from, repetition->period, repetition->tokens};
    struct pat_ext_reader reader = {.stream = &r->stream, .repeat = all, .again = all.from};
    struct pat_ext_token t;
    while (reader.repeat.tokens && pat_ext_stream_next(&reader, &t))
        if (!pat_ext_stream_put(&r->stream, &e->budget, &t)) return false;
    return true;
}

static bool repetition_keep(struct pat_ext *e, struct pat_ext_row *r)
{
    struct pat_ext_repetition *repetition = r->repetition;
    const bool has_room = r->kept - repetition->spared <= e->kept_max; /* a run may have many accesses */
    if (repetition->tokens < REPETITION_WORTH && has_room) return repetition_keep_each(e, r);
    const struct pat_ext_repeat all = {repetition->from, repetition->period, repetition->tokens};
    if (!repetition->tokens) return true;
    if (!pat_ext_stream_put_repeat(&r->stream, &e->budget, &all)) return false;
    r->has_repeats = true;
    repetition->spared += repetition->accesses;
    return true;
}

/* Restart detection: compare the following runs with each other only. */
static void repetition_begin_anew(struct pat_ext_row *r)
{
    struct pat_ext_repetition *repetition = r->repetition;
    r->goes_on = true;
    repetition->next.count = 0;
    repetition->is_closed = false;
    repetition->period = 0;
    repetition_anchor(r, repetition, REPETITION_LIMIT_FIRST);
}

void pat_ext_repetition_leave(struct pat_ext *e, struct pat_ext_row *r)
{
    if (!r->repetition) return;
    if (r->repetition->next.count) {
        repetition_count(e, r);
        if (!repetition_keep(e, r)) {
            r->kept -= r->repetition->accesses;
            r->is_cut = true;
        }
    }
    repetition_begin_anew(r);
}

void pat_ext_repetition_jumped(struct pat_ext_row *r)
{
    if (r->repetition) repetition_begin_anew(r);
}

void pat_ext_repetition_give_up(struct pat_ext *e, struct pat_ext_row *r)
{
    if (!r->repetition) return;
    if (r->repetition->next.count) repetition_count(e, r);
    pat_ext_repetition_free(e, r->repetition);
    r->repetition = NULL;
    r->goes_on = true;
}
