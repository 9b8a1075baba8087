/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_fold.h"

#include <stdlib.h>

/* The period is looked for in so many accesses, then in eight times as many. */
enum { FOLD_FIRST = 1 << 12, FOLD_GROWTH = 8, FOLD_LAST = 1 << 22, FOLD_ROUNDS = 4, FOLD_LEAST = 16 };

struct fold_search {
    const struct pat_ext_stream *stream;
    const struct pat_fold_unit *unit;
    size_t all; /* accesses of the sequence */
    int64_t *data;
    uint32_t *scratch; /* of the failure function, then what is left of a run */
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

/* The first indices, as many as there is room for. */
static void fold_expand(struct fold_search *s)
{
    const size_t most = s->room < s->all ? s->room : s->all;
    struct pat_ext_reader reader = pat_ext_stream_read(s->stream);
    struct pat_ext_token t;
    uint64_t addr = 0;
    s->len = 0;
    while (s->len < most && pat_ext_stream_next(&reader, &t)) {
        if (t.kind == PAT_EXT_JUMP) addr = t.addr - (uint64_t)t.distance;
        for (uint64_t i = 0; i < t.count && s->len < most; i++) {
            addr += (uint64_t)t.distance;
            s->data[s->len++] = (int64_t)((addr - s->unit->base) / s->unit->unit_bytes);
        }
    }
}

/* The least p with data[i] = data[i + p] for all i: by the failure function (Knuth, Morris, Pratt, SIAM J.
 * Comput. 6, 1977). */
static size_t fold_period(const struct fold_search *s)
{
    size_t matched = 0;
    s->scratch[0] = 0;
    for (size_t i = 1; i < s->len; i++) {
        while (matched && s->data[i] != s->data[matched])
            matched = s->scratch[matched - 1];
        if (s->data[i] == s->data[matched]) matched++;
        s->scratch[i] = (uint32_t)matched;
    }
    return s->len - matched;
}

/* From each place of the period on, how often the distance there comes in succession. */
static void fold_count_runs(const struct fold_search *s, size_t period)
{
    s->scratch[period - 1] = 1;
    for (size_t i = period - 1; i-- > 0;) {
        const bool goes_on =
            fold_minus(s->data[i + 1], s->data[i]) == fold_minus(s->data[i + 2], s->data[i + 1]);
        s->scratch[i] = goes_on ? s->scratch[i + 1] + 1 : 1;
    }
}

/* Is all of the sequence what the period says? Run by run. */
static bool fold_holds(const struct fold_search *s, size_t period)
{
    struct pat_ext_reader reader = pat_ext_stream_read(s->stream);
    struct pat_ext_token t;
    const int64_t unit = (int64_t)s->unit->unit_bytes;
    size_t done = 0, at = 0;
    fold_count_runs(s, period);
    while (done < s->all && pat_ext_stream_next(&reader, &t)) {
        if (t.kind == PAT_EXT_JUMP) {
            if (done++ > 0) return false;
            continue;
        }
        if (t.distance % unit) return false;
        for (uint64_t left = t.count < s->all - done ? t.count : s->all - done; left > 0;) {
            const size_t here = left < s->scratch[at] ? (size_t)left : s->scratch[at];
            if (fold_minus(s->data[at + 1], s->data[at]) != t.distance / unit) return false;
            at = at + here == period ? 0 : at + here;
            left -= here;
            done += here;
        }
    }
    return done == s->all;
}

/* The period of all; 0: there is none. */
static size_t fold_search(struct fold_search *s)
{
    for (size_t room = FOLD_FIRST;; room *= FOLD_GROWTH) {
        if (room > FOLD_LAST) room = FOLD_LAST;
        if (!fold_grow(s, room)) return 0;
        fold_expand(s);
        if (s->len < FOLD_ROUNDS) return 0;
        const size_t least = fold_period(s), period = (FOLD_LEAST + least - 1) / least * least;
        if (2 * period <= s->len && FOLD_ROUNDS * period <= s->all && fold_holds(s, period)) return period;
        if (s->len < room || room == FOLD_LAST) return 0;
    }
}

bool pat_fold_stream(const struct pat_ext_stream *s, const struct pat_fold_unit *unit, size_t len,
                     struct pat_indices *out, struct pat_fold *out_fold)
{
    struct fold_search search = {.stream = s, .unit = unit, .all = len};
    const size_t period = unit->unit_bytes && unit->unit_bytes <= INT64_MAX ? fold_search(&search) : 0;
    free(search.scratch);
    if (!period) {
        free(search.data);
        return false;
    }
    int64_t *data = realloc(search.data, 2 * period * sizeof(*data));
    *out = (struct pat_indices){data ? data : search.data, 2 * period};
    *out_fold = (struct pat_fold){.period = period, .len = len};
    return true;
}
