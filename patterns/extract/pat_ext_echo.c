/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_engine.h"
#include "patterns/extract/pat_ext_row.h"

#include <stdlib.h>

/* Repetitions of fewer runs (ECHO_WORTH) are kept run by run. At the last distance the limit of the anchor
 * starts over. */
enum { ECHO_LIMIT_FIRST = 64, ECHO_LIMIT_LAST = 1 << 23, ECHO_WORTH = 64 };

void pat_ext_echo_free(struct pat_ext *e, struct pat_ext_echo *echo)
{
    if (!echo) return;
    pat_ext_give(&e->budget, sizeof(*echo));
    free(echo);
}

/* Spreads the bits of a run upwards (the multiplier of Steele and Vigna for 64 bits, "Computationally easy,
 * spectrally good multipliers", Software: Practice and Experience 52, 2022). */
#define ECHO_ODD UINT64_C(0xd1342543de82ef95)

/* Read the next predicted run. */
static void echo_read(struct pat_ext_echo *echo)
{
    if (echo->at == echo->period) {
        echo->reader = pat_ext_stream_read_from(echo->reader.stream, echo->from);
        echo->at = 0;
    }
    pat_ext_stream_next(&echo->reader, &echo->next);
}

bool pat_ext_echo_takes(struct pat_ext_echo *echo, int64_t distance, uint64_t run)
{
    if (distance != echo->next.distance || run != echo->next.count) return false;
    echo->tokens++;
    echo->accesses += run;
    echo->at++;
    echo_read(echo);
    return true;
}

/* ---- detecting the end of a round ---- */

static void echo_anchor(const struct pat_ext_row *r, struct pat_ext_echo *echo, uint64_t limit)
{
    echo->anchor = echo->print;
    echo->from = pat_ext_stream_end(&r->stream);
    echo->since = echo->moved = 0;
    echo->limit = limit > ECHO_LIMIT_LAST ? ECHO_LIMIT_FIRST : limit;
}

static void echo_follow(struct pat_ext_row *r, struct pat_ext_echo *echo)
{
    echo->period = echo->since;
    echo->is_closed = echo->moved == 0;
    r->goes_on = !echo->is_closed; /* predicted accesses need not be pending */
    echo->tokens = echo->accesses = echo->at = 0;
    echo->reader = pat_ext_stream_read_from(&r->stream, echo->from);
    echo_read(echo);
}

static void echo_new(struct pat_ext *e, struct pat_ext_row *r)
{
    r->echo = calloc(1, sizeof(*r->echo));
    if (!r->echo) return;
    pat_ext_charge(&e->budget, sizeof(*r->echo));
    r->echo->begun = r->kept;
    echo_anchor(r, r->echo, ECHO_LIMIT_FIRST);
}

static bool echo_must_look(const struct pat_ext_echo *echo)
{
    return (echo->print == echo->anchor) | (echo->since >= echo->limit);
}

size_t pat_ext_echo_note(struct pat_ext_echo *echo, struct pat_ext_runs runs)
{
    struct pat_ext_echo now = {.print = echo->print,
                               .anchor = echo->anchor,
                               .since = echo->since,
                               .limit = echo->limit,
                               .moved = echo->moved};
    size_t n = 0;
    while (n < runs.len) {
        const struct pat_ext_run run = runs.data[n];
        /* each run shifts the print two bits to the left: a run has no effect after 32 more runs */
        const uint64_t mixed = ((uint64_t)run.distance ^ run.len << 48) * ECHO_ODD;
        now.print = (now.print << 2) + (mixed ^ mixed >> 32);
        now.moved += (uint64_t)run.distance * run.len;
        now.since++;
        n++;
        if (echo_must_look(&now)) break;
    }
    echo->print = now.print;
    echo->moved = now.moved;
    echo->since = now.since;
    return n;
}

void pat_ext_echo_look(struct pat_ext *e, struct pat_ext_row *r)
{
    if (!r->echo)
        echo_new(e, r);
    else if (r->echo->print == r->echo->anchor)
        echo_follow(r, r->echo);
    else if (r->echo->since >= r->echo->limit)
        echo_anchor(r, r->echo, 2 * r->echo->limit);
}

/* ---- leaving a round ---- */

/* Return how often run `at` of the round occurred among the runs predicted correctly. */
static uint64_t echo_times(const struct pat_ext_echo *echo, uint64_t at)
{
    return echo->tokens / echo->period + (at < echo->tokens % echo->period);
}

static void echo_count(struct pat_ext *e, struct pat_ext_row *r)
{
    struct pat_ext_echo *echo = r->echo;
    struct pat_ext_reader reader = pat_ext_stream_read_from(&r->stream, echo->from);
    struct pat_ext_token t;
    uint64_t round = 0;
    if (!echo->tokens) return;
    for (uint64_t at = 0; at < echo->period; at++, round += t.count) {
        const uint64_t times = echo_times(echo, at);
        pat_ext_stream_next(&reader, &t);
        if (times && !pat_ext_tally_add(&r->tally, &e->counts, t.distance, t.count * times))
            r->has_tally_gap = true;
    }
    /* less than a round is still useful: if there are four rounds in all, detection may succeed only near the
     * end */
    const bool is_full = echo->tokens >= echo->period;
    if (is_full < echo->was_full || (is_full == echo->was_full && echo->accesses <= echo->most)) return;
    echo->was_full = is_full;
    echo->most = echo->accesses;
    echo->round = round;
}

static bool echo_keep_each(struct pat_ext *e, struct pat_ext_row *r)
{
    const struct pat_ext_echo *echo = r->echo;
    const struct pat_ext_repeat all = {echo->from, echo->period, echo->tokens};
    struct pat_ext_reader reader = {.stream = &r->stream, .repeat = all, .again = all.from};
    struct pat_ext_token t;
    while (reader.repeat.tokens && pat_ext_stream_next(&reader, &t))
        if (!pat_ext_stream_put(&r->stream, &e->budget, &t)) return false;
    return true;
}

static bool echo_keep(struct pat_ext *e, struct pat_ext_row *r)
{
    struct pat_ext_echo *echo = r->echo;
    const bool has_room = r->kept - echo->spared <= e->kept_max; /* a run may have many accesses */
    if (echo->tokens < ECHO_WORTH && has_room) return echo_keep_each(e, r);
    const struct pat_ext_repeat all = {echo->from, echo->period, echo->tokens};
    if (!echo->tokens) return true;
    if (!pat_ext_stream_put_repeat(&r->stream, &e->budget, &all)) return false;
    r->has_repeats = true;
    echo->spared += echo->accesses;
    return true;
}

/* Restart detection: compare the following runs with each other only. */
static void echo_begin_anew(struct pat_ext_row *r)
{
    struct pat_ext_echo *echo = r->echo;
    r->goes_on = true;
    echo->next.count = 0;
    echo->is_closed = false;
    echo->period = 0;
    echo_anchor(r, echo, ECHO_LIMIT_FIRST);
}

void pat_ext_echo_leave(struct pat_ext *e, struct pat_ext_row *r)
{
    if (!r->echo) return;
    if (r->echo->next.count) {
        echo_count(e, r);
        if (!echo_keep(e, r)) {
            r->kept -= r->echo->accesses;
            r->is_cut = true;
        }
    }
    echo_begin_anew(r);
}

void pat_ext_echo_jumped(struct pat_ext_row *r)
{
    if (r->echo) echo_begin_anew(r);
}

void pat_ext_echo_give_up(struct pat_ext *e, struct pat_ext_row *r)
{
    if (!r->echo) return;
    if (r->echo->next.count) echo_count(e, r);
    pat_ext_echo_free(e, r->echo);
    r->echo = NULL;
    r->goes_on = true;
}
