/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_measure.h"
#include "patterns/compact/pat_measure_map.h"

#include <math.h>
#include <stdlib.h>

/* ---- lines and pages ---- */

/* Counts the lines and pages that a sequence touches, and the bytes used of them: exact where its data is
 * within 64 MiB or has been accessed no more often than the limit; else on a sample of pages that a hash
 * chooses. */
enum {
    PAT_LINE_SHIFT = 6,
    PAT_PAGE_SHIFT = 12,
    PAT_PAGE_SEED = 0x7a6e11,
    PAT_LINES_AHEAD = 16,      /* accesses whose lines' masks are fetched */
    PAT_TABLE_LINES = 1 << 20, /* 64 MiB of data in 8 MiB */
    PAT_TABLE_LEAST = 4096     /* lines, also where there are fewer accesses */
};

/* Extent of the data of some accesses. */
struct touched {
    uint64_t bytes, lines, pages;
};

/* Return the number of accesses that touch all data, except for rounds that advance. */
static size_t lines_len(const struct pat_stream *s)
{
    return s->fold.period && !s->fold.shift ? s->fold.period : s->pieces.sequence->len;
}

static uint64_t lines_byte(const struct pat_stream *s, size_t i)
{
    return pat_stream_byte(s, i) & (UINT64_MAX >> 1);
}

/* Return the bytes of a line that the access to [byte, byte + len) uses. */
static uint64_t line_mask(uint64_t line, uint64_t byte, uint64_t len)
{
    const uint64_t begin = line << PAT_LINE_SHIFT;
    const uint64_t first = byte > begin ? byte - begin : 0;
    const uint64_t end = byte + len - begin < 64 ? byte + len - begin : 64;
    return (end == 64 ? ~UINT64_C(0) : (UINT64_C(1) << end) - 1) & ~((UINT64_C(1) << first) - 1);
}

/* Record the lines of access i in pages that the hash chooses, one of 2^shift. */
static ls_err touch_lines(struct pat_map *lines, const struct pat_stream *s, size_t i, unsigned shift)
{
    const uint64_t byte = lines_byte(s, i), len = s->access_size_bytes;
    for (uint64_t line = byte >> PAT_LINE_SHIFT; line <= (byte + len - 1) >> PAT_LINE_SHIFT; line++) {
        uint64_t *mask;
        const uint64_t page = line >> (PAT_PAGE_SHIFT - PAT_LINE_SHIFT);
        if (ls_random_mix(page ^ PAT_PAGE_SEED) & ((UINT64_C(1) << shift) - 1)) continue;
        LS_TRY(pat_map_at(lines, line, &mask));
        *mask |= line_mask(line, byte, len);
    }
    return LS_OK;
}

static ls_err use_lines(const struct pat_map *lines, struct touched *out)
{
    struct pat_map pages = {0};
    uint64_t *seen;
    ls_err e = LS_OK;
    const struct pat_map_row *row;
    *out = (struct touched){.lines = lines->len};
    for (size_t i = 0; e == LS_OK && (row = pat_map_next(lines, &i)) != NULL;) {
        out->bytes += (uint64_t)__builtin_popcountll(row->value);
        e = pat_map_at(&pages, pat_map_key(row) >> (PAT_PAGE_SHIFT - PAT_LINE_SHIFT), &seen);
    }
    out->pages = pages.len;
    pat_map_fini(&pages);
    return e;
}

/* Count with a hash map of the lines, on one page in 2^shift. */
static ls_err lines_anywhere(const struct pat_stream *s, size_t len, unsigned shift, struct touched *out)
{
    struct pat_map lines = {0};
    ls_err e = LS_OK;
    for (size_t i = 0; e == LS_OK && i < len; i++)
        e = touch_lines(&lines, s, i, shift);
    if (e == LS_OK) e = use_lines(&lines, out);
    pat_map_fini(&lines);
    return e;
}

/* --- compact data: a table of all its lines --- */

struct lines_table {
    uint64_t *masks;
    uint64_t first; /* line */
    size_t len;
};

/* False: the data is spread too widely for the number of accesses. */
static bool lines_fit(const struct pat_stream *s, struct lines_table *out)
{
    const size_t len = lines_len(s);
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t i = 0; i < len; i++) {
        const uint64_t byte = lines_byte(s, i);
        if (byte < low) low = byte;
        if (byte > high) high = byte;
    }
    if (len == 0) return false;
    const uint64_t first = low >> PAT_LINE_SHIFT, last = (high + s->access_size_bytes - 1) >> PAT_LINE_SHIFT;
    *out = (struct lines_table){.first = first, .len = (size_t)(last - first + 1)};
    return last - first < PAT_TABLE_LINES && (last - first < PAT_TABLE_LEAST || last - first < len);
}

static void table_touch(struct lines_table *t, uint64_t byte, uint64_t len_bytes)
{
    for (uint64_t line = byte >> PAT_LINE_SHIFT; line <= (byte + len_bytes - 1) >> PAT_LINE_SHIFT; line++)
        t->masks[line - t->first] |= line_mask(line, byte, len_bytes);
}

static void table_use(const struct lines_table *t, struct touched *out)
{
    uint64_t page = UINT64_MAX;
    *out = (struct touched){0};
    for (size_t i = 0; i < t->len; i++) {
        if (!t->masks[i]) continue;
        const uint64_t here = (t->first + i) >> (PAT_PAGE_SHIFT - PAT_LINE_SHIFT);
        out->bytes += (uint64_t)__builtin_popcountll(t->masks[i]);
        out->lines++;
        out->pages += here != page;
        page = here;
    }
}

static ls_err lines_together(const struct pat_stream *s, size_t len, struct lines_table t,
                             struct touched *out)
{
    t.masks = calloc(t.len, sizeof(*t.masks));
    if (!t.masks) return ls_nomem("the measures of %zu lines", t.len);
    for (size_t i = 0; i < len; i++) {
        if (i + PAT_LINES_AHEAD < len)
            ls_prefetch(&t.masks[(lines_byte(s, i + PAT_LINES_AHEAD) >> PAT_LINE_SHIFT) - t.first]);
        table_touch(&t, lines_byte(s, i), s->access_size_bytes);
    }
    table_use(&t, out);
    free(t.masks);
    return LS_OK;
}

/* --- all measures of a sequence --- */

/* Method of counting the lines. */
struct lines_way {
    struct lines_table table;
    bool is_together;
    unsigned shift; /* one page in 2^shift */
};

static struct lines_way lines_way(const struct pat_stream *s)
{
    struct lines_way way = {.is_together = false};
    way.is_together = lines_fit(s, &way.table);
    while (!way.is_together && lines_len(s) >> way.shift > s->limit)
        way.shift++;
    return way;
}

/* Count the data that the first len accesses touch. */
static ls_err lines_touched(const struct pat_stream *s, const struct lines_way *way, size_t len,
                            struct touched *out)
{
    return way->is_together ? lines_together(s, len, way->table, out)
                            : lines_anywhere(s, len, way->shift, out);
}

/* Each round after the second one touches as much new data as the second; the last round may be cut. */
static ls_err lines_moved(const struct pat_stream *s, const struct lines_way *way, struct touched *out)
{
    const size_t period = s->fold.period, rounds = s->fold.len / period;
    struct touched one, two, cut;
    LS_TRY(lines_touched(s, way, period, &one));
    LS_TRY(lines_touched(s, way, 2 * period, &two));
    LS_TRY(lines_touched(s, way, period + s->fold.len % period, &cut));
    out->bytes = cut.bytes + (rounds - 1) * (two.bytes - one.bytes);
    out->lines = cut.lines + (rounds - 1) * (two.lines - one.lines);
    out->pages = cut.pages + (rounds - 1) * (two.pages - one.pages);
    return LS_OK;
}

/* Set the utilisations and the footprint. */
static ls_err lines_of(const struct pat_stream *s, struct pat_measures *out)
{
    const struct lines_way way = lines_way(s);
    struct touched all;
    LS_TRY(s->fold.shift ? lines_moved(s, &way, &all) : lines_touched(s, &way, lines_len(s), &all));
    if (all.lines) {
        out->line_utilisation = (double)all.bytes / ((double)all.lines * (1 << PAT_LINE_SHIFT));
        out->page_utilisation = (double)all.bytes / ((double)all.pages * (1 << PAT_PAGE_SHIFT));
        out->footprint_bytes = all.lines << (PAT_LINE_SHIFT + way.shift);
    }
    return LS_OK;
}

/* ---- measures ---- */

enum {
    PAT_WORD_SHIFT = 3,
    PAT_BLOCKS = 64,
    PAT_AHEAD = 8, /* accesses whose counts are fetched */
    PAT_FOLDED = 8 /* repeating sequences need only a part of the limit: fewer of their accesses can differ */
};

/* Iterate over a sequence piece by piece; beyond the limit only over blocks at equal distances. */
struct pat_walk {
    const struct pat_stream *s;
    size_t at, next_break;
};

static size_t pat_limit_of(const struct pat_stream *s)
{
    return s->fold.period ? s->limit / PAT_FOLDED : s->limit;
}

/* Return the end of the block that contains *at, or move *at to the next block. */
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

/* Spatial locality: the sum over strides i > 0 of P(i) / i, where the stride of an access is its least
 * distance to the accesses before it in the window. Each access counts as often as it comes, as long as none
 * is left out. */
static double measure_spatial(const struct pat_stream *s)
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

/* Temporal locality: the share of accesses whose reuse distance is at most 2^i, weighed by 1 - i / log2 N.
 * accesses: the number of accesses in r. */
static double measure_temporal(const struct pat_reuse *r, uint64_t accesses)
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

/* Count the distances inside the blocks of the walk. */
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

/* Count all distances of a repeating sequence, from the distances of one round. */
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
    LS_TRY(lines_of(s, out));
    out->spatial = measure_spatial(s);
    out->temporal = measure_temporal(&words, pat_stream_len(s));
    out->delta_entropy_bits = shares.entropy_bits;
    for (unsigned i = 0; i < PAT_REUSE_BINS; i++)
        out->reuse[i] = lines.bins[i];
    out->cold = lines.cold;
    out->reuse_is_sampled = lines.rate_shift > 0;
    return LS_OK;
}
