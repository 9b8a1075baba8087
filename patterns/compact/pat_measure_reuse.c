/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_measure_reuse.h"
#include "patterns/compact/pat_measure_fenwick.h"
#include "patterns/compact/pat_measure_map.h"

#include <stdlib.h>

enum { PAT_SHARDS_SEED = 0x51a2d5 };

unsigned pat_reuse_bin(uint64_t distance)
{
    const unsigned bin = distance ? 64 - (unsigned)__builtin_clzll(distance) : 0;
    return bin < PAT_REUSE_BINS ? bin : PAT_REUSE_BINS - 1;
}

struct pat_reuse_run {
    const struct pat_stream *stream;
    struct pat_reuse *out;
    struct pat_fenwick touched;
    struct pat_map last; /* unit to position + 1 */
    uint64_t *chosen;    /* a bit for each access: is it looked at? */
    unsigned unit_shift;
    size_t now, piece_began; /* positions */
};

static uint64_t pat_unit(const struct pat_reuse_run *r, size_t i)
{
    return pat_stream_byte(r->stream, i) >> r->unit_shift;
}

/* Those of a share of the units; how many there are is the length of the tree. */
static void pat_reuse_choose(struct pat_reuse_run *r)
{
    const size_t len = r->stream->pieces.sequence->len;
    const uint64_t others = (UINT64_C(1) << r->out->rate_shift) - 1;
    for (size_t from = 0; from < len; from += 64) {
        const size_t until = len - from < 64 ? len : from + 64;
        uint64_t bits = 0;
        for (size_t i = from; i < until; i++)
            bits |= (uint64_t)((ls_random_mix(pat_unit(r, i) ^ PAT_SHARDS_SEED) & others) == 0) << (i - from);
        r->chosen[from / 64] = bits;
        r->touched.len += (size_t)__builtin_popcountll(bits);
    }
}

/* The first access from at on that is looked at; until: there is none before it. */
static size_t pat_reuse_next(const struct pat_reuse_run *r, size_t at, size_t until)
{
    while (at < until) {
        const uint64_t bits = r->chosen[at / 64] >> at % 64;
        if (bits) return at + (size_t)__builtin_ctzll(bits);
        at = (at / 64 + 1) * 64;
    }
    return until;
}

static ls_err pat_reuse_touch(struct pat_reuse_run *r, uint64_t unit)
{
    uint64_t *last;
    LS_TRY(pat_map_at(&r->last, unit, &last));
    if (*last > r->piece_began) {
        const uint64_t between =
            pat_fenwick_sum(&r->touched, r->now) - pat_fenwick_sum(&r->touched, (size_t)*last);
        r->out->bins[pat_reuse_bin(between << r->out->rate_shift)]++;
    } else {
        r->out->cold++;
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
        for (size_t at = from; (at = pat_reuse_next(r, at, until)) < until; at++)
            LS_TRY(pat_reuse_touch(r, pat_unit(r, at)));
    }
    return LS_OK;
}

/* A share of the units is not the same share of the accesses: that is because the share has too many or too
 * few of the units that are touched all the time, so that the first bin makes up for it (SHARDS-adj, 4.4). */
static void pat_reuse_correct(struct pat_reuse_run *r)
{
    const unsigned shift = r->out->rate_shift;
    const size_t all = r->stream->pieces.sequence->len;
    uint64_t sum = r->out->cold <<= shift;
    for (unsigned i = 0; i < PAT_REUSE_BINS; i++)
        sum += r->out->bins[i] <<= shift;
    if (sum <= all)
        r->out->bins[0] += all - sum;
    else
        r->out->bins[0] -= sum - all < r->out->bins[0] ? sum - all : r->out->bins[0];
}

ls_err pat_reuse_of(const struct pat_stream *s, unsigned unit_shift, struct pat_reuse *out)
{
    struct pat_reuse_run r = {.stream = s, .out = out, .unit_shift = unit_shift};
    *out = (struct pat_reuse){0};
    const size_t len = s->pieces.sequence->len;
    while (len >> out->rate_shift > s->limit)
        out->rate_shift++;
    r.chosen = malloc((len / 64 + 1) * sizeof(*r.chosen));
    if (r.chosen) pat_reuse_choose(&r);
    r.touched.sums = calloc(r.touched.len + 1, sizeof(*r.touched.sums));
    ls_err e = r.chosen && r.touched.sums
                   ? pat_reuse_walk(&r)
                   : ls_fail(LS_ERR_NOMEM, "no memory for the reuse distances of %zu accesses", len);
    if (e == LS_OK && out->rate_shift) pat_reuse_correct(&r);
    pat_map_fini(&r.last);
    free(r.touched.sums);
    free(r.chosen);
    return e;
}
