/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_fold.h"

#include <stdlib.h>

/* The period is searched for in the first FOLD_FIRST accesses, then in eight times as many, and so on. */
enum { FOLD_FIRST = 1 << 12, FOLD_GROWTH = 8, FOLD_LAST = 1 << 22, FOLD_ROUNDS = 4, FOLD_LEAST = 16 };

struct fold_search {
    const struct pat_ext_stream *stream;
    const struct pat_fold_ask *ask;
    int64_t *data;
    uint32_t *scratch; /* the failure function, later the remaining length of each run */
    size_t room, len;
};

static int64_t fold_minus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static bool fold_grow(struct fold_search *s, size_t room)
{
    int64_t *data = realloc(s->data, room * sizeof(*data));
    if (data) s->data = data;
    uint32_t *scratch = realloc(s->scratch, room * sizeof(*scratch));
    if (scratch) s->scratch = scratch;
    s->room = room;
    return data && scratch;
}

/* Expand the first indices, as many as there is room for. */
static void fold_expand(struct fold_search *s)
{
    const size_t most = s->room < s->ask->len ? s->room : s->ask->len;
    struct pat_ext_reader reader = pat_ext_stream_read(s->stream);
    struct pat_ext_token t;
    uint64_t addr = 0;
    s->len = 0;
    while (s->len < most && pat_ext_stream_next(&reader, &t)) {
        if (t.kind == PAT_EXT_JUMP) addr = t.addr - (uint64_t)t.distance;
        for (uint64_t i = 0; i < t.count && s->len < most; i++) {
            addr += (uint64_t)t.distance;
            s->data[s->len++] = (int64_t)((addr - s->ask->base) / s->ask->unit_bytes);
        }
    }
}

static int64_t fold_step(const struct fold_search *s, size_t i)
{
    return fold_minus(s->data[i + 1], s->data[i]);
}

/* Return the least period of the distances, by the failure function (Knuth, Morris, Pratt, SIAM J. Comput. 6,
 * 1977). */
static size_t fold_period(const struct fold_search *s)
{
    const size_t steps = s->len - 1;
    size_t matched = 0;
    s->scratch[0] = 0;
    for (size_t i = 1; i < steps; i++) {
        const int64_t step = fold_step(s, i);
        while (matched && step != fold_step(s, matched))
            matched = s->scratch[matched - 1];
        if (step == fold_step(s, matched)) matched++;
        s->scratch[i] = (uint32_t)matched;
    }
    return steps - matched;
}

/* Count for each position of the period how often its distance occurs in succession from there. */
static void fold_count_runs(const struct fold_search *s, size_t period)
{
    s->scratch[period - 1] = 1;
    for (size_t i = period - 1; i-- > 0;) {
        s->scratch[i] = fold_step(s, i) == fold_step(s, i + 1) ? s->scratch[i + 1] + 1 : 1;
    }
}

/* Return whether the whole sequence has the period; verified run by run. */
static bool fold_holds(const struct fold_search *s, size_t period)
{
    struct pat_ext_reader reader = pat_ext_stream_read(s->stream);
    struct pat_ext_token t;
    const int64_t unit = (int64_t)s->ask->unit_bytes;
    size_t done = 0, at = 0;
    fold_count_runs(s, period);
    while ((done += pat_ext_stream_pass(&reader, at, done, s->ask->len)) < s->ask->len &&
           pat_ext_stream_next(&reader, &t)) {
        if (t.kind == PAT_EXT_JUMP) {
            if (done++ > 0) return false;
            continue;
        }
        if (t.distance % unit) return false;
        for (uint64_t left = t.count < s->ask->len - done ? t.count : s->ask->len - done; left > 0;) {
            const size_t here = left < s->scratch[at] ? (size_t)left : s->scratch[at];
            if (fold_step(s, at) != t.distance / unit) return false;
            at = at + here == period ? 0 : at + here;
            left -= here;
            done += here;
        }
    }
    return done == s->ask->len;
}

/* Return the least multiple of `least` that is long enough. */
static size_t fold_long_enough(size_t least)
{
    return (FOLD_LEAST + least - 1) / least * least;
}

static bool fold_is(struct fold_search *s, size_t period)
{
    return 2 * period <= s->len && FOLD_ROUNDS * period <= s->ask->len && fold_holds(s, period);
}

static bool fold_rounds_are_alike(const struct fold_search *s, size_t period)
{
    const int64_t shift = fold_minus(s->data[period], s->data[0]);
    for (size_t i = 1; i < period; i++)
        if (fold_minus(s->data[period + i], s->data[i]) != shift) return false;
    return true;
}

/* Return the requested period if it holds, or 0. */
static size_t fold_check(struct fold_search *s)
{
    const size_t period = fold_long_enough(s->ask->round);
    if (period > s->ask->len / FOLD_ROUNDS || period > s->ask->room / 2 || !fold_grow(s, 2 * period))
        return 0;
    fold_expand(s);
    return s->len == 2 * period && fold_rounds_are_alike(s, period) && fold_is(s, period) ? period : 0;
}

/* Search for a period of the whole sequence; 0: there is none. */
static size_t fold_search(struct fold_search *s)
{
    const size_t last = s->ask->room < FOLD_LAST ? s->ask->room : FOLD_LAST;
    for (size_t room = FOLD_FIRST;; room *= FOLD_GROWTH) {
        if (room > last) room = last;
        if (!room || !fold_grow(s, room)) return 0;
        fold_expand(s);
        if (s->len < FOLD_ROUNDS) return 0;
        const size_t period = fold_long_enough(fold_period(s));
        if (fold_is(s, period)) return period;
        if (s->len < room || room == last) return 0;
    }
}

bool pat_fold_stream(const struct pat_ext_stream *s, const struct pat_fold_ask *ask, struct pat_indices *out,
                     struct pat_fold *out_fold)
{
    struct fold_search search = {.stream = s, .ask = ask};
    const bool is_known = ask->unit_bytes && ask->unit_bytes <= INT64_MAX;
    const size_t period = !is_known ? 0 : ask->round ? fold_check(&search) : fold_search(&search);
    free(search.scratch);
    if (!period) {
        free(search.data);
        return false;
    }
    *out_fold = (struct pat_fold){period, ask->len, fold_minus(search.data[period], search.data[0])};
    int64_t *data = realloc(search.data, 2 * period * sizeof(*data));
    *out = (struct pat_indices){data ? data : search.data, 2 * period};
    return true;
}
