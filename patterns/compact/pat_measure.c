/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_measure.h"
#include "patterns/compact/pat_measure_lines.h"
#include "patterns/compact/pat_measure_map.h"

#include <math.h>

enum {
    PAT_WORD_SHIFT = 3,
    PAT_BLOCKS = 64,
    PAT_AHEAD = 8, /* accesses whose counts are fetched */
    PAT_FOLDED = 8 /* of what repeats a part of the limit is enough: there is less that could differ */
};

/* The sequence piece by piece; of one beyond the limit, blocks at equal distances. */
struct pat_walk {
    const struct pat_stream *s;
    size_t at, next_break;
};

static size_t pat_limit_of(const struct pat_stream *s)
{
    return s->fold.period ? s->limit / PAT_FOLDED : s->limit;
}

/* End of the block that holds at, or *at moved to the next block. */
static size_t pat_block(const struct pat_stream *s, size_t *at)
{
    const size_t len = s->pieces.sequence->len, limit = pat_limit_of(s);
    if (len <= limit) return len;
    const size_t stride = len / PAT_BLOCKS, block = limit / PAT_BLOCKS ? limit / PAT_BLOCKS : 1;
    const size_t begin = *at / stride * stride;
    if (*at - begin >= block) *at = begin + stride;
    const size_t end = *at / stride * stride + block;
    return end < len ? end : len;
}

static bool pat_walk_next(struct pat_walk *w, size_t *out_from, size_t *out_until)
{
    const struct pat_pieces *p = &w->s->pieces;
    size_t until = pat_block(w->s, &w->at);
    if (w->at >= p->sequence->len) return false;
    while (w->next_break < p->breaks_len && p->breaks[w->next_break] <= w->at)
        w->next_break++;
    if (w->next_break < p->breaks_len && p->breaks[w->next_break] < until) until = p->breaks[w->next_break];
    *out_from = w->at;
    *out_until = w->at = until;
    return true;
}

static uint64_t pat_apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Least distance in words of access i to those before it, back to `from` at most; 0: there is none. */
static uint64_t pat_stride(const struct pat_stream *s, size_t from, size_t i)
{
    const uint64_t word = pat_stream_byte(s, i) >> PAT_WORD_SHIFT;
    uint64_t least = 0;
    for (size_t back = 1; back <= PAT_SPATIAL_WINDOW && back <= i - from; back++) {
        const uint64_t apart = pat_apart(word, pat_stream_byte(s, i - back) >> PAT_WORD_SHIFT);
        if (apart == 0) return 0;
        if (least == 0 || apart < least) least = apart;
    }
    return least;
}

/* Each access counts as often as it comes, as long as none is left out. */
double pat_measure_spatial(const struct pat_stream *s)
{
    struct pat_walk w = {.s = s};
    const bool is_weighed = s->fold.period && s->pieces.sequence->len <= pat_limit_of(s);
    size_t from, until;
    uint64_t seen = 0;
    double sum = 0;
    while (pat_walk_next(&w, &from, &until))
        for (size_t i = from; i < until; i++) {
            const uint64_t stride = pat_stride(s, from, i), times = is_weighed ? pat_stream_weight(s, i) : 1;
            if (stride) sum += (double)times / (double)stride;
            seen += times;
        }
    return seen ? sum / (double)seen : 0;
}

double pat_measure_temporal(const struct pat_reuse *r, uint64_t accesses)
{
    double sum = (double)r->bins[0];
    for (unsigned i = 0; i < PAT_TEMPORAL_LOG2; i++)
        sum += (double)r->bins[i + 1] * (PAT_TEMPORAL_LOG2 - i) / PAT_TEMPORAL_LOG2;
    return accesses ? sum / (double)accesses : 0;
}

static void pat_shares_add(struct pat_shares *out, int64_t distance, uint64_t count)
{
    const double share = (double)count / (double)out->seen;
    out->unique++;
    out->entropy_bits -= share * log2(share);
    if (distance == 0) out->zero_share = share;
    if (distance == 1) out->one_share = share;
    if (share < out->top_share || (share == out->top_share && distance > out->top)) return;
    out->top = distance;
    out->top_share = share;
}

static uint64_t pat_distance_at(const struct pat_stream *s, size_t i)
{
    const int64_t *data = s->pieces.sequence->data;
    return (uint64_t)data[i + 1] - (uint64_t)data[i];
}

/* Distances of what is walked through. */
static ls_err pat_count_walked(const struct pat_stream *s, struct pat_map *counts, uint64_t *seen)
{
    struct pat_walk w = {.s = s};
    size_t from, until;
    uint64_t *count;
    while (pat_walk_next(&w, &from, &until))
        for (size_t i = from; i + 1 < until; i++) {
            if (i + PAT_AHEAD + 1 < until) pat_map_prefetch(counts, pat_distance_at(s, i + PAT_AHEAD));
            LS_TRY(pat_map_at(counts, pat_distance_at(s, i), &count));
            ++*count, ++*seen;
        }
    return LS_OK;
}

/* All distances of what repeats, by those of one round. */
static ls_err pat_count_round(const struct pat_stream *s, struct pat_map *counts, uint64_t *seen)
{
    uint64_t *count;
    for (size_t i = 0; i < s->fold.period;) {
        const uint64_t distance = pat_distance_at(s, i);
        uint64_t times = 0;
        for (; i < s->fold.period && pat_distance_at(s, i) == distance; i++)
            times += pat_fold_times(&s->fold, i, s->fold.len - 1);
        if (i + PAT_AHEAD < s->fold.period) pat_map_prefetch(counts, pat_distance_at(s, i + PAT_AHEAD));
        LS_TRY(pat_map_at(counts, distance, &count));
        *count += times;
        *seen += times;
    }
    return LS_OK;
}

ls_err pat_measure_shares(const struct pat_stream *s, struct pat_shares *out)
{
    struct pat_map counts = {0};
    *out = (struct pat_shares){0};
    const ls_err e =
        s->fold.period ? pat_count_round(s, &counts, &out->seen) : pat_count_walked(s, &counts, &out->seen);
    const struct pat_map_row *row;
    for (size_t i = 0; e == LS_OK && (row = pat_map_next(&counts, &i)) != NULL;)
        pat_shares_add(out, (int64_t)pat_map_key(row), row->value);
    pat_map_fini(&counts);
    return e;
}

struct pat_shares pat_measure_shares_counted(const struct pat_distance *distances, size_t len, uint64_t seen,
                                             uint64_t unique)
{
    struct pat_shares out = {.seen = seen};
    uint64_t listed = 0;
    for (size_t i = 0; seen && i < len; i++) {
        pat_shares_add(&out, distances[i].distance, distances[i].count);
        listed += distances[i].count;
    }
    if (unique > out.unique && seen > listed) {
        const double rest = (double)(seen - listed) / (double)seen;
        out.entropy_bits -= rest * log2(rest / (double)(unique - out.unique));
        out.unique = unique;
    }
    return out;
}

ls_err pat_measure(const struct pat_stream *s, struct pat_measures *out)
{
    struct pat_reuse lines, words;
    struct pat_shares shares;
    *out = (struct pat_measures){0};
    LS_TRY(pat_reuse_of(s, PAT_WORD_SHIFT, &words));
    LS_TRY(pat_reuse_of(s, PAT_LINE_SHIFT, &lines));
    LS_TRY(pat_measure_shares(s, &shares));
    LS_TRY(pat_lines_of(s, out));
    out->spatial = pat_measure_spatial(s);
    out->temporal = pat_measure_temporal(&words, pat_stream_len(s));
    out->delta_entropy_bits = shares.entropy_bits;
    for (unsigned i = 0; i < PAT_REUSE_BINS; i++)
        out->reuse[i] = lines.bins[i];
    out->cold = lines.cold;
    out->reuse_is_sampled = lines.rate_shift > 0;
    return LS_OK;
}
