/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_compact_parts.h"
#include "common/ls_random.h"
#include "patterns/compact/pat_measure_fenwick.h"
#include "patterns/compact/pat_measure_map.h"

#include <stdlib.h>

enum { PAT_LINE_BYTES = 64, PAT_COLD_TRIES = 8 };

/* Lines by the time of their last touch. */
struct pat_draw {
    const struct pat_likeness *like;
    uint64_t state; /* state of the random generator */
    uint64_t reuse_seen;
    uint64_t *line_of; /* position to line */
    struct pat_fenwick touched;
    struct pat_map last; /* line to position + 1 */
    size_t now;
    uint64_t at; /* the index drawn last */
};

static uint64_t pat_line(const struct pat_draw *d, uint64_t index)
{
    return (uint64_t)(((unsigned __int128)index * d->like->elem_size_bytes) / PAT_LINE_BYTES);
}

static ls_err pat_draw_touch(struct pat_draw *d)
{
    const uint64_t line = pat_line(d, d->at);
    uint64_t *last;
    LS_TRY(pat_map_at(&d->last, line, &last));
    if (*last) pat_fenwick_add(&d->touched, (size_t)*last - 1, UINT32_MAX);
    pat_fenwick_add(&d->touched, d->now, 1);
    d->line_of[d->now] = line;
    *last = ++d->now;
    return LS_OK;
}

/* Draw a distance that was seen, from the last index on; false when none is drawn, or it leaves the range. */
static bool pat_draw_distance(struct pat_draw *d)
{
    uint64_t pick =
        d->like->distances_seen ? ls_random_below(&d->state, d->like->distances_seen) : UINT64_MAX;
    for (size_t i = 0; i < d->like->distances_len; i++) {
        if (pick < d->like->distances[i].count) {
            const __int128 to = (__int128)d->at + d->like->distances[i].distance;
            if (to < 0 || to >= (__int128)d->like->range_elements) return false;
            d->at = (uint64_t)to;
            return true;
        }
        pick -= d->like->distances[i].count;
    }
    return false;
}

/* Return some element that begins in this line; lines inside one large element belong to it. */
static uint64_t pat_draw_element(struct pat_draw *d, uint64_t line)
{
    const uint64_t size = d->like->elem_size_bytes;
    const uint64_t in_line = size < PAT_LINE_BYTES ? PAT_LINE_BYTES / size : 1;
    const uint64_t first = (uint64_t)((unsigned __int128)line * PAT_LINE_BYTES / size);
    const uint64_t index = first + ls_random_below(&d->state, in_line);
    return index < d->like->range_elements ? index : first < d->like->range_elements ? first : 0;
}

/* Draw any index, in a line that was not touched yet if one is found. */
static void pat_draw_cold(struct pat_draw *d)
{
    for (int i = 0; i < PAT_COLD_TRIES; i++) {
        d->at = ls_random_below(&d->state, d->like->range_elements);
        if (!pat_map_find(&d->last, pat_line(d, d->at))) return;
    }
}

static void pat_draw_reuse(struct pat_draw *d)
{
    uint64_t pick = d->reuse_seen ? ls_random_below(&d->state, d->reuse_seen) : UINT64_MAX;
    for (unsigned bin = 0; bin < PAT_REUSE_BINS; bin++) {
        if (pick < d->like->reuse[bin]) {
            const uint64_t low = bin ? UINT64_C(1) << (bin - 1) : 0;
            const uint64_t depth = low + (bin > 1 ? ls_random_below(&d->state, low) : 0);
            if (depth >= d->last.len) break;
            d->at = pat_draw_element(d, d->line_of[pat_fenwick_find(&d->touched, d->last.len - 1 - depth)]);
            return;
        }
        pick -= d->like->reuse[bin];
    }
    pat_draw_cold(d);
}

static ls_err pat_draw_all(struct pat_draw *d, struct pat_indices *out)
{
    pat_draw_cold(d);
    for (size_t i = 0; i < out->len; i++) {
        if (i > 0 && !pat_draw_distance(d)) pat_draw_reuse(d);
        out->data[i] = (int64_t)d->at;
        LS_TRY(pat_draw_touch(d));
    }
    return LS_OK;
}

ls_err pat_synthetic_draw(const struct pat_likeness *like, size_t len, uint64_t seed, struct pat_indices *out)
{
    struct pat_draw d = {.like = like, .state = seed, .reuse_seen = like->cold, .touched = {.len = len}};
    for (unsigned bin = 0; bin < PAT_REUSE_BINS; bin++)
        d.reuse_seen += like->reuse[bin];
    *out = (struct pat_indices){malloc((len + 1) * sizeof(int64_t)), len};
    d.line_of = malloc((len + 1) * sizeof(*d.line_of));
    d.touched.sums = calloc(len + 1, sizeof(*d.touched.sums));
    ls_err e = out->data && d.line_of && d.touched.sums ? pat_draw_all(&d, out)
                                                        : ls_nomem("drawing a pattern of %zu indices", len);
    free(d.line_of);
    free(d.touched.sums);
    pat_map_fini(&d.last);
    if (e == LS_OK) return LS_OK;
    free(out->data);
    *out = (struct pat_indices){0};
    return e;
}
