/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_measure.h"
#include "patterns/compact/pat_measure_map.h"

#include <math.h>

enum {
    PAT_LINE_SHIFT = 6,
    PAT_PAGE_SHIFT = 12,
    PAT_WORD_SHIFT = 3,
    PAT_BLOCKS = 64,
    PAT_PAGE_SEED = 0x7a6e11
};

/* The sequence piece by piece; of one beyond the limit, blocks at equal distances. */
struct pat_walk {
    const struct pat_stream *s;
    size_t at, next_break;
};

/* End of the block that holds at, or *at moved to the next block. */
static size_t pat_block(const struct pat_stream *s, size_t *at)
{
    const size_t len = s->pieces.sequence->len;
    if (len <= s->limit) return len;
    const size_t stride = len / PAT_BLOCKS, block = s->limit / PAT_BLOCKS ? s->limit / PAT_BLOCKS : 1;
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

double pat_measure_spatial(const struct pat_stream *s)
{
    struct pat_walk w = {.s = s};
    size_t from, until, seen = 0;
    double sum = 0;
    while (pat_walk_next(&w, &from, &until))
        for (size_t i = from; i < until; i++, seen++) {
            const uint64_t stride = pat_stride(s, from, i);
            if (stride) sum += 1.0 / (double)stride;
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

ls_err pat_measure_shares(const struct pat_stream *s, struct pat_shares *out)
{
    struct pat_walk w = {.s = s};
    struct pat_map counts = {0};
    const int64_t *data = s->pieces.sequence->data;
    size_t from, until;
    uint64_t *count;
    ls_err e = LS_OK;
    *out = (struct pat_shares){0};
    while (e == LS_OK && pat_walk_next(&w, &from, &until))
        for (size_t i = from; e == LS_OK && i + 1 < until; i++) {
            e = pat_map_at(&counts, (uint64_t)data[i + 1] - (uint64_t)data[i], &count);
            if (e == LS_OK) ++*count, out->seen++;
        }
    for (size_t i = 0; e == LS_OK && i < counts.room; i++)
        if (counts.rows[i].is_used) pat_shares_add(out, (int64_t)counts.rows[i].key, counts.rows[i].value);
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

/* Bytes of a line that the access at [byte, byte + len) uses. */
static uint64_t pat_line_mask(uint64_t line, uint64_t byte, uint64_t len)
{
    const uint64_t begin = line << PAT_LINE_SHIFT;
    const uint64_t first = byte > begin ? byte - begin : 0;
    const uint64_t end = byte + len - begin < 64 ? byte + len - begin : 64;
    return (end == 64 ? ~UINT64_C(0) : (UINT64_C(1) << end) - 1) & ~((UINT64_C(1) << first) - 1);
}

/* Of the pages that the hash chooses, one of 2^shift. */
static ls_err pat_touch_lines(struct pat_map *lines, const struct pat_stream *s, size_t i, unsigned shift)
{
    const uint64_t byte = pat_stream_byte(s, i) & (UINT64_MAX >> 1), len = s->access_size_bytes;
    for (uint64_t line = byte >> PAT_LINE_SHIFT; line <= (byte + len - 1) >> PAT_LINE_SHIFT; line++) {
        uint64_t *mask;
        const uint64_t page = line >> (PAT_PAGE_SHIFT - PAT_LINE_SHIFT);
        if (ls_random_mix(page ^ PAT_PAGE_SEED) & ((UINT64_C(1) << shift) - 1)) continue;
        LS_TRY(pat_map_at(lines, line, &mask));
        *mask |= pat_line_mask(line, byte, len);
    }
    return LS_OK;
}

static ls_err pat_use_lines(const struct pat_map *lines, unsigned shift, struct pat_measures *out)
{
    struct pat_map pages = {0};
    uint64_t bytes = 0, *seen;
    ls_err e = LS_OK;
    for (size_t i = 0; e == LS_OK && i < lines->room; i++)
        if (lines->rows[i].is_used) {
            bytes += (uint64_t)__builtin_popcountll(lines->rows[i].value);
            e = pat_map_at(&pages, lines->rows[i].key >> (PAT_PAGE_SHIFT - PAT_LINE_SHIFT), &seen);
        }
    if (e == LS_OK && lines->len) {
        out->line_utilisation = (double)bytes / ((double)lines->len * (1 << PAT_LINE_SHIFT));
        out->page_utilisation = (double)bytes / ((double)pages.len * (1 << PAT_PAGE_SHIFT));
        out->footprint_bytes = (uint64_t)lines->len << (PAT_LINE_SHIFT + shift);
    }
    pat_map_fini(&pages);
    return e;
}

static ls_err pat_measure_lines(const struct pat_stream *s, struct pat_measures *out)
{
    struct pat_map lines = {0};
    const size_t len = s->pieces.sequence->len;
    unsigned shift = 0;
    ls_err e = LS_OK;
    while (len >> shift > s->limit)
        shift++;
    for (size_t i = 0; e == LS_OK && i < len; i++)
        e = pat_touch_lines(&lines, s, i, shift);
    if (e == LS_OK) e = pat_use_lines(&lines, shift, out);
    pat_map_fini(&lines);
    return e;
}

ls_err pat_measure(const struct pat_stream *s, struct pat_measures *out)
{
    struct pat_reuse lines, words;
    struct pat_shares shares;
    *out = (struct pat_measures){0};
    LS_TRY(pat_reuse_of(s, PAT_WORD_SHIFT, &words));
    LS_TRY(pat_reuse_of(s, PAT_LINE_SHIFT, &lines));
    LS_TRY(pat_measure_shares(s, &shares));
    LS_TRY(pat_measure_lines(s, out));
    out->spatial = pat_measure_spatial(s);
    out->temporal = pat_measure_temporal(&words, s->pieces.sequence->len);
    out->delta_entropy_bits = shares.entropy_bits;
    for (unsigned i = 0; i < PAT_REUSE_BINS; i++)
        out->reuse[i] = lines.bins[i];
    out->cold = lines.cold;
    out->reuse_is_sampled = lines.rate_shift > 0;
    return LS_OK;
}
