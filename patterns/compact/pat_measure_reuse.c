/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_measure.h"
#include "patterns/compact/pat_measure_fenwick.h"
#include "patterns/compact/pat_measure_map.h"

#include <stdlib.h>

/* Time of the last touch of each unit: a table where the units are close together, else a map. */
struct last {
    uint64_t *table; /* times for units [first, first + len); NULL: the map is used */
    uint64_t first;
    size_t len;
    struct pat_map map;
};

/* Find the value of a unit in the range, 0 when it is new; *out is valid until the next call. */
static inline ls_err last_at(struct last *l, uint64_t unit, uint64_t **out)
{
    if (!l->table) return pat_map_at(&l->map, unit, out);
    *out = &l->table[unit - l->first];
    return LS_OK;
}

/* Prefetch the row of a unit that is needed soon. */
static inline void last_prefetch(const struct last *l, uint64_t unit)
{
    if (!l->table)
        pat_map_prefetch(&l->map, unit);
    else
        ls_prefetch(&l->table[unit - l->first]);
}

/* A row of the map takes four words at least. */
enum { LAST_SPARSE = 8, LAST_LEAST = 4096, LAST_MOST = 1 << 24 };

/* Prepare for units in [low, high]; at most `touches` of them will be touched. The map is used if there is no
 * memory for a table. */
static void last_init(struct last *l, uint64_t low, uint64_t high, size_t touches)
{
    *l = (struct last){.first = low};
    if (high < low || high - low >= LAST_MOST) return;
    if (high - low >= LAST_LEAST && (high - low) / LAST_SPARSE >= touches) return;
    l->len = (size_t)(high - low + 1);
    l->table = calloc(l->len, sizeof(*l->table));
}

static void last_fini(struct last *l)
{
    free(l->table);
    pat_map_fini(&l->map);
    *l = (struct last){0};
}

enum {
    PAT_SHARDS_SEED = 0x51a2d5,
    PAT_REUSE_AHEAD = 8,  /* accesses whose last touches are fetched */
    PAT_SHARDS_FOLDED = 8 /* two rounds need only a part of the limit */
};

static unsigned pat_reuse_bin(uint64_t distance)
{
    const unsigned bin = distance ? 64 - (unsigned)__builtin_clzll(distance) : 0;
    return bin < PAT_REUSE_BINS ? bin : PAT_REUSE_BINS - 1;
}

struct pat_reuse_run {
    const struct pat_stream *stream;
    struct pat_reuse *out;
    struct pat_fenwick touched;
    struct last last;   /* unit to position + 1 */
    uint64_t low, high; /* range of all units */
    uint64_t before;    /* the unit at now - 1 */
    uint64_t *chosen;   /* a bit for each evaluated access */
    unsigned unit_shift;
    size_t now, piece_began; /* positions */
};

static uint64_t pat_unit(const struct pat_reuse_run *r, size_t i)
{
    return pat_stream_byte(r->stream, i) >> r->unit_shift;
}

/* Choose the accesses to a share of the units; their number is the length of the tree. */
static void pat_reuse_choose(struct pat_reuse_run *r)
{
    const size_t len = r->stream->pieces.sequence->len;
    const uint64_t others = (UINT64_C(1) << r->out->rate_shift) - 1;
    for (size_t from = 0; from < len; from += 64) {
        const size_t until = len - from < 64 ? len : from + 64;
        uint64_t bits = 0;
        for (size_t i = from; i < until; i++) {
            const uint64_t unit = pat_unit(r, i);
            if (unit < r->low) r->low = unit;
            if (unit > r->high) r->high = unit;
            bits |= (uint64_t)((ls_random_mix(unit ^ PAT_SHARDS_SEED) & others) == 0) << (i - from);
        }
        r->chosen[from / 64] = bits;
        r->touched.len += (size_t)__builtin_popcountll(bits);
    }
}

/* Return the first chosen access from at on; until or more: none before until. */
static size_t pat_reuse_next(const struct pat_reuse_run *r, size_t at, size_t until)
{
    while (at < until) {
        const uint64_t bits = r->chosen[at / 64] >> at % 64;
        if (bits) return at + (size_t)__builtin_ctzll(bits);
        at = (at / 64 + 1) * 64;
    }
    return until;
}

/* Count the access at this position of the sequence. */
static ls_err pat_reuse_touch(struct pat_reuse_run *r, size_t at)
{
    const uint64_t weight = pat_stream_weight(r->stream, at), unit = pat_unit(r, at);
    uint64_t *last;
    if (unit == r->before &&
        r->now > r->piece_began) { /* the same unit again, so no other unit was touched in between */
        r->out->bins[0] += weight;
        return LS_OK;
    }
    r->before = unit;
    LS_TRY(last_at(&r->last, unit, &last));
    if (*last > r->piece_began) {
        const uint64_t between =
            pat_fenwick_sum(&r->touched, r->now) - pat_fenwick_sum(&r->touched, (size_t)*last);
        r->out->bins[pat_reuse_bin(between << r->out->rate_shift)] += weight;
    } else {
        r->out->cold += weight;
    }
    if (*last) pat_fenwick_add(&r->touched, (size_t)*last - 1, UINT32_MAX); /* minus one, modulo 2^32 */
    pat_fenwick_add(&r->touched, r->now, 1);
    *last = ++r->now;
    return LS_OK;
}

static ls_err pat_reuse_walk(struct pat_reuse_run *r)
{
    size_t from, until;
    for (size_t i = 0; pat_pieces_at(&r->stream->pieces, i, &from, &until); i++) {
        r->piece_began = r->now;
        size_t ahead = from;
        for (int k = 0; k < PAT_REUSE_AHEAD; k++)
            ahead = pat_reuse_next(r, ahead, until) + 1;
        for (size_t at = from; (at = pat_reuse_next(r, at, until)) < until; at++) {
            ahead = pat_reuse_next(r, ahead, until);
            if (ahead < until) last_prefetch(&r->last, pat_unit(r, ahead++));
            LS_TRY(pat_reuse_touch(r, at));
        }
    }
    return LS_OK;
}

/* Correct the first bin. A share of the units is not the same share of the accesses, because the sample has
 * too many or too few of the units that are touched all the time; the first bin compensates for it
 * (SHARDS-adj, 4.4). */
static void pat_reuse_correct(struct pat_reuse_run *r)
{
    const unsigned shift = r->out->rate_shift;
    const size_t all = pat_stream_len(r->stream);
    uint64_t sum = r->out->cold <<= shift;
    for (unsigned i = 0; i < PAT_REUSE_BINS; i++)
        sum += r->out->bins[i] <<= shift;
    if (sum <= all)
        r->out->bins[0] += all - sum;
    else
        r->out->bins[0] -= sum - all < r->out->bins[0] ? sum - all : r->out->bins[0];
}

/* Only two rounds of a repeating sequence are evaluated, so that a larger share of the units is
 * affordable. */
static unsigned pat_reuse_rate(const struct pat_stream *s)
{
    const size_t len = pat_stream_len(s), here = s->pieces.sequence->len;
    const size_t enough = s->fold.period ? s->limit / PAT_SHARDS_FOLDED : s->limit;
    unsigned shift = 0;
    while (len >> shift > s->limit && here >> shift > enough)
        shift++;
    return shift;
}

ls_err pat_reuse_of(const struct pat_stream *s, unsigned unit_shift, struct pat_reuse *out)
{
    struct pat_reuse_run r = {.stream = s, .out = out, .unit_shift = unit_shift, .low = UINT64_MAX};
    *out = (struct pat_reuse){0};
    const size_t len = s->pieces.sequence->len;
    out->rate_shift = pat_reuse_rate(s);
    r.chosen = malloc((len / 64 + 1) * sizeof(*r.chosen));
    if (r.chosen) pat_reuse_choose(&r);
    last_init(&r.last, r.low, r.high, r.touched.len);
    r.touched.sums = calloc(r.touched.len + 1, sizeof(*r.touched.sums));
    ls_err e = r.chosen && r.touched.sums ? pat_reuse_walk(&r)
                                          : ls_nomem("the reuse distances of %zu accesses", len);
    if (e == LS_OK && out->rate_shift) pat_reuse_correct(&r);
    last_fini(&r.last);
    free(r.touched.sums);
    free(r.chosen);
    return e;
}
