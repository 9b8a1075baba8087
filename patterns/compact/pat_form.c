/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_compact_parts.h"
#include "patterns/compact/pat_measure_map.h"
#include "patterns/compact/pat_period.h"
#include "patterns/pat_extent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAT_PATTERN_MAX = 1 << 20, PAT_ROW = 16, PAT_TURN_PIECES = 100 };

/* Limits. A cycle represents the pieces if it explains at least pat_pieces_min of them; a part of a sequence
 * represents all of it if the distributions of their distances differ by at most pat_differ_max (total
 * variation); a prefix represents the whole if it touches at least pat_prefix_min of the lines that the whole
 * touches. Rows are longer than bursts if at least pat_turn_min of these have one end of a row, at most
 * pat_turns_max of those have two, and the ends are more than a few of all distances. With PAT_TURN_PIECES that have one end,
 * chance does not hide the others. */
static const double pat_turn_min = 0.05, pat_turns_max = 0.02, pat_turn_explained = 0.98;
static const double pat_pieces_min = 0.8, pat_differ_max = 0.01, pat_prefix_min = 0.5;

struct pat_forming {
    const struct pat_sequence *s;
    const struct pat_compact_options *o;
    struct pat_found *f;
    struct pat_basis *basis;
};

static size_t pat_limit(const struct pat_compact_options *o)
{
    return o->pattern_max ? o->pattern_max : PAT_PATTERN_MAX;
}

/* Return the number of accesses of the thread of these indices. */
static uint64_t pat_own_accesses(const struct pat_sequence *s)
{
    const uint64_t share = s->threads > 1 ? s->accesses / s->threads : s->accesses;
    return s->is_whole || share < pat_sequence_len(s) ? pat_sequence_len(s) : share;
}

static void pat_move(struct pat_indices *p, int64_t by)
{
    for (size_t i = 0; i < p->len; i++)
        p->data[i] = (int64_t)((uint64_t)p->data[i] + (uint64_t)by);
}

/* Move element 0 to the lowest element that is touched. False when an element does not fit 64 bits. */
static bool pat_settle(struct pat_found *f)
{
    struct pat_extent e;
    if (pat_extent_of(&f->config, PAT_SIDE_GATHER, &e) != LS_OK) return false;
    pat_move(&f->config.pattern, (int64_t)(0 - (uint64_t)e.low));
    f->first_element = (int64_t)((uint64_t)f->first_element + (uint64_t)e.low);
    return true;
}

static ls_err pat_copy(const int64_t *from, size_t len, struct pat_indices *out)
{
    int64_t *data = malloc((len + 1) * sizeof(*data));
    if (!data) return ls_nomem("a pattern of %zu indices", len);
    memcpy(data, from, len * sizeof(*data));
    free(out->data);
    *out = (struct pat_indices){data, len};
    return LS_OK;
}

/* Reset the result to no repetition. */
static void pat_forget(struct pat_forming *g)
{
    free(g->basis->points);
    *g->basis = (struct pat_basis){0};
    free(g->f->config.deltas.data);
    g->f->config.deltas = (struct pat_indices){0};
    g->f->config.delta = 0;
    g->f->config.count = 1;
    g->f->prologue = g->f->epilogue = 0;
    g->f->first_element = 0;
}

/* Return the number of first accesses that contain all distinct ones, because only two of the rounds at the
 * same addresses are kept. */
static size_t pat_different(const struct pat_sequence *s)
{
    return s->fold.shift ? s->fold.len : s->indices.len;
}

static int64_t pat_index(const struct pat_sequence *s, size_t i)
{
    return pat_fold_index(&s->fold, s->indices.data, i);
}

/* Use the first len indices unchanged, once. */
static ls_err pat_take(struct pat_forming *g, enum pat_form form, size_t len)
{
    struct pat_found *f = g->f;
    int64_t *data = malloc((len + 1) * sizeof(*data));
    if (!data) return ls_nomem("a pattern of %zu indices", len);
    for (size_t i = 0; i < len; i++)
        data[i] = pat_index(g->s, i);
    free(f->config.pattern.data);
    f->config.pattern = (struct pat_indices){data, len};
    f->form = form;
    f->explained = len ? (double)len / (double)pat_own_accesses(g->s) : 1;
    pat_settle(f);
    return LS_OK;
}

static int pat_delta_order(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Return the most frequent of the deltas, which are sorted in place. */
static int64_t pat_usual(int64_t *deltas, size_t len)
{
    size_t run = 0, most = 0;
    int64_t usual = 0;
    qsort(deltas, len, sizeof(*deltas), pat_delta_order);
    for (size_t i = 0; i < len; i++) {
        run = i > 0 && deltas[i] == deltas[i - 1] ? run + 1 : 1;
        if (run > most) most = run, usual = deltas[i];
    }
    return usual;
}

/* Sum of the deltas, the distance after which their list begins again; 0 if it overflows. */
static int64_t pat_round_of(const struct pat_indices *deltas)
{
    int64_t sum = 0;
    for (size_t i = 0; i < deltas->len; i++)
        if (__builtin_add_overflow(sum, deltas->data[i], &sum)) return 0;
    return sum;
}

static ls_err pat_basis_of(const struct pat_config *c, struct pat_basis *out)
{
    struct pat_indices points = {0}, deltas = {0};
    LS_TRY(pat_copy(c->pattern.data, c->pattern.len, &points));
    *out = (struct pat_basis){points.data, points.len, c->delta, pat_round_of(&c->deltas)};
    if (c->deltas.len == 0) return LS_OK;
    LS_TRY(pat_copy(c->deltas.data, c->deltas.len, &deltas));
    out->delta = pat_usual(deltas.data, deltas.len);
    free(deltas.data);
    return LS_OK;
}

/* Count the listed distances among the kept accesses. */
static ls_err pat_count_listed(const struct pat_sequence *s, struct pat_map *kept)
{
    uint64_t *count;
    for (size_t i = 0; i < s->distances_len; i++)
        LS_TRY(pat_map_at(kept, (uint64_t)s->distances[i].distance, &count));
    const size_t period = s->fold.period, all = pat_sequence_len(s) - 1;
    uint64_t distance = 0;
    struct pat_map_row *row = pat_map_find(kept, distance);
    for (size_t i = 0; i < (period ? period : all); i++) {
        const uint64_t next = (uint64_t)s->indices.data[i + 1] - (uint64_t)s->indices.data[i];
        if (next != distance) row = pat_map_find(kept, distance = next);
        if (row) row->value += period ? pat_fold_times(&s->fold, i, all) : 1;
    }
    return LS_OK;
}

/* Set *out to half the sum of the differences between the shares of the distances in the kept part and in all
 * accesses. */
static ls_err pat_differ(const struct pat_sequence *s, double *out)
{
    struct pat_map kept = {0};
    double sum = 0, all = (double)(s->accesses - 1), here = (double)(pat_sequence_len(s) - 1), listed = 0,
           found = 0;
    const ls_err e = pat_count_listed(s, &kept);
    for (size_t i = 0; e == LS_OK && i < s->distances_len; i++) {
        const struct pat_map_row *row = pat_map_find(&kept, (uint64_t)s->distances[i].distance);
        const double a = (double)s->distances[i].count / all, b = (double)row->value / here;
        sum += fabs(a - b);
        listed += a;
        found += b;
    }
    *out = (sum + fabs((1 - listed) - (1 - found))) / 2;
    pat_map_fini(&kept);
    return e;
}

/* Return the number of iterations of c inside the range. */
static uint64_t pat_count_in_range(const struct pat_config *c, uint64_t elements)
{
    __int128 turn = c->deltas.len ? 0 : c->delta;
    const uint64_t turns = c->deltas.len ? c->deltas.len : 1;
    for (size_t i = 0; i < c->deltas.len; i++)
        turn += c->deltas.data[i];
    if (turn < 0) turn = -turn;
    if (turn == 0 || elements == 0 || elements / (uint64_t)turn > UINT64_MAX / turns) return UINT64_MAX;
    return elements / (uint64_t)turn * turns;
}

/* Only a part of the accesses was kept: derive the count if all of them are like that part. */
static ls_err pat_extend(struct pat_forming *g)
{
    const struct pat_sequence *s = g->s;
    struct pat_config *c = &g->f->config;
    double differ;
    g->f->form = PAT_FORM_PERIODIC;
    g->f->explained *= (double)pat_sequence_len(s) / (double)pat_own_accesses(s);
    if (s->distances_len == 0) return LS_OK;
    LS_TRY(pat_differ(s, &differ));
    uint64_t count = pat_own_accesses(s) / c->pattern.len;
    const uint64_t most = pat_count_in_range(c, s->range_elements);
    if (count > most) count = most;
    if (differ > pat_differ_max || count <= c->count) return LS_OK;
    const uint64_t kept = c->count;
    c->count = count;
    if (!pat_settle(g->f))
        c->count = kept;
    else
        g->f->explained = 1 - differ;
    return LS_OK;
}

/* Copy the accesses [from, to) of s, as elements of f's configuration. */
static ls_err pat_copy_ends(const struct pat_sequence *s, const struct pat_found *f, uint64_t from,
                            uint64_t to, struct pat_indices *out)
{
    if (from >= to) return LS_OK;
    int64_t *data = malloc((size_t)(to - from) * sizeof(*data));
    if (!data) return ls_nomem("the ends of a pattern");
    for (uint64_t i = from; i < to; i++)
        data[i - from] = (int64_t)((uint64_t)pat_index(s, (size_t)i) - (uint64_t)f->first_element);
    *out = (struct pat_indices){data, (size_t)(to - from)};
    return LS_OK;
}

/* Keep the accesses before and after the period, as far as formats that list each access use them. If the
 * count was extended beyond the kept accesses (kept: the count before), the accesses after the period are
 * unknown. */
static ls_err pat_keep_ends(struct pat_forming *g, uint64_t kept)
{
    const struct pat_found *f = g->f;
    const uint64_t limit = pat_limit(g->o), len = pat_sequence_len(g->s),
                   end = f->prologue + f->config.pattern.len * kept;
    LS_TRY(pat_copy_ends(g->s, f, 0, f->prologue < limit ? f->prologue : limit, &g->f->head));
    if (f->config.count != kept) return LS_OK;
    return pat_copy_ends(g->s, f, end, len < limit ? len : limit, &g->f->tail);
}

static ls_err pat_form_whole(struct pat_forming *g, bool *out_done)
{
    const struct pat_indices *all = &g->s->indices;
    const size_t len = pat_sequence_len(g->s);
    struct pat_found *f = g->f;
    struct pat_period p;
    LS_TRY(g->s->fold.period ? pat_period_of_fold(all, &g->s->fold, &p, out_done)
                             : pat_period_find(all, &p, out_done));
    if (!*out_done) return LS_OK;
    *out_done = false;
    if (p.len > pat_limit(g->o) || p.turns > pat_limit(g->o)) return LS_OK;
    LS_TRY(pat_period_write(&p, all, 0, &f->config));
    LS_TRY(pat_basis_of(&f->config, g->basis));
    pat_period_join(&p, all);
    LS_TRY(pat_period_write(&p, all, 0, &f->config));
    if (!pat_settle(f)) return LS_OK;
    *out_done = true;
    f->prologue = p.start;
    f->epilogue = len - p.start - p.len * p.count;
    f->explained = (double)(p.len * p.count) / (double)len;
    f->form = p.len * p.count == len ? PAT_FORM_EXACT : PAT_FORM_PERIODIC;
    const uint64_t kept = f->config.count;
    if (pat_own_accesses(g->s) > len) LS_TRY(pat_extend(g));
    return pat_keep_ends(g, kept);
}

/* Convert a cycle of distances to a pattern and a delta, joined to a row. */
static ls_err pat_write_cycle(const struct pat_cycle *cycle, size_t len, struct pat_config *c)
{
    int64_t *data = malloc((len + 1) * sizeof(*data)), at = 0;
    if (!data) return ls_nomem("a pattern of %zu indices", len);
    for (size_t i = 0; i < len; i++) {
        data[i] = at;
        at = (int64_t)((uint64_t)at + (uint64_t)cycle->distances[i % cycle->len]);
    }
    free(c->pattern.data);
    c->pattern = (struct pat_indices){data, len};
    c->delta = at;
    return LS_OK;
}

static void pat_span(const struct pat_indices *p, int64_t *out_low, uint64_t *out_elements)
{
    int64_t low = p->data[0], high = p->data[0];
    for (size_t i = 1; i < p->len; i++) {
        if (p->data[i] < low) low = p->data[i];
        if (p->data[i] > high) high = p->data[i];
    }
    *out_low = low;
    *out_elements = (uint64_t)high - (uint64_t)low + 1;
}

/* Like pat_span, for a sequence that may be folded; its last round reaches the farthest. */
static void pat_span_of(const struct pat_sequence *s, int64_t *out_low, uint64_t *out_elements)
{
    pat_span(&s->indices, out_low, out_elements);
    if (!s->fold.shift) return;
    const uint64_t farther = (uint64_t)s->fold.shift * (s->fold.len / s->fold.period - 2);
    if (s->fold.shift < 0) *out_low = (int64_t)((uint64_t)*out_low + farther);
    *out_elements += s->fold.shift < 0 ? -farther : farther;
}

/* Are bursts shorter than the rows of a nest? Then many have one end of a row, and none has two: the distance to
 * the next row is no part of the cycle. */
static bool pat_ends_in_row(const struct pat_cycle *c)
{
    return c->with_turn >= PAT_TURN_PIECES && (double)c->explained < pat_turn_explained * (double)c->seen &&
           c->with_turn >= pat_turn_min * (double)c->pieces &&
           c->with_turns <= pat_turns_max * (double)c->with_turn;
}

/* Derive the count for bursts: the number of rounds of the cycle is unknown, but the elements that it covers
 * are known. */
static ls_err pat_form_pieces(struct pat_forming *g, bool *out_done)
{
    const struct pat_sequence *s = g->s;
    const struct pat_pieces pieces = {&s->indices, s->breaks, s->breaks_len};
    struct pat_found *f = g->f;
    struct pat_cycle cycle;
    int64_t low;
    uint64_t elements;
    LS_TRY(pat_pieces_cycle(&pieces, &cycle));
    *out_done = cycle.len > 0 && (double)cycle.explained >= pat_pieces_min * (double)cycle.seen;
    if (!*out_done) return LS_OK;
    LS_TRY(pat_write_cycle(&cycle, cycle.len, &f->config));
    LS_TRY(pat_basis_of(&f->config, g->basis));
    const size_t rows = cycle.len < PAT_ROW ? PAT_ROW / cycle.len : 1;
    LS_TRY(pat_write_cycle(&cycle, rows * cycle.len, &f->config));
    pat_span(&s->indices, &low, &elements);
    f->config.count = 1;
    const uint64_t round = pat_count_in_range(&f->config, elements),
                   seen = pat_own_accesses(s) / f->config.pattern.len;
    f->config.count = round != UINT64_MAX && round > 1 ? round : seen > 1 ? seen : 1;
    f->form = PAT_FORM_PERIODIC;
    f->explained = (double)cycle.explained / (double)cycle.seen;
    f->ends_in_row = pat_ends_in_row(&cycle);
    *out_done = pat_settle(f);
    f->first_element = low;
    return LS_OK;
}

static ls_err pat_form_synthetic(struct pat_forming *g)
{
    const struct pat_sequence *s = g->s;
    int64_t low = 0;
    uint64_t elements = s->range_elements;
    if (s->indices.len) pat_span_of(s, &low, &elements);
    if (s->range_elements > elements) low = 0, elements = s->range_elements;
    if (elements == 0 && s->elem_size_bytes) elements = s->lines * 64 / s->elem_size_bytes; /* as if dense */
    const struct pat_likeness like = {.distances = s->distances,
                                      .distances_len = s->distances_len,
                                      .distances_seen = s->accesses > 1 ? s->accesses - 1 : 0,
                                      .reuse = g->f->measures.reuse,
                                      .cold = g->f->measures.cold,
                                      .range_elements = elements ? elements : 1,
                                      .elem_size_bytes = s->elem_size_bytes ? s->elem_size_bytes : 1};
    const uint64_t own = pat_own_accesses(s);
    const size_t len = own < pat_limit(g->o) ? (size_t)own : pat_limit(g->o);
    free(g->f->config.pattern.data);
    g->f->config.pattern = (struct pat_indices){0};
    LS_TRY(pat_synthetic_draw(&like, len ? len : 1, g->o->seed ? g->o->seed : 1, &g->f->config.pattern));
    g->f->form = PAT_FORM_SYNTHETIC;
    g->f->explained = 0;
    g->f->first_element = low;
    pat_settle(g->f);
    return LS_OK;
}

/* Decide if the prefix touches enough of the whole for a replay. */
static ls_err pat_prefix_serves(const struct pat_forming *g, size_t len, bool *out)
{
    const struct pat_sequence *s = g->s;
    struct pat_map lines = {0};
    uint64_t *seen;
    ls_err e = LS_OK;
    for (size_t i = 0; e == LS_OK && i < len; i++)
        e = pat_map_at(&lines, (uint64_t)pat_index(s, i) * s->elem_size_bytes / 64, &seen);
    const double all = s->lines ? (double)s->lines : (double)g->f->measures.footprint_bytes / 64;
    *out = (double)lines.len >= pat_prefix_min * all;
    pat_map_fini(&lines);
    return e;
}

static ls_err pat_form_rest(struct pat_forming *g)
{
    const size_t limit = pat_limit(g->o), all = pat_different(g->s);
    bool serves = false;
    if (all <= limit && (g->o->is_sampled || pat_own_accesses(g->s) <= all))
        return pat_take(g, g->o->is_sampled ? PAT_FORM_PIECES : PAT_FORM_FULL, all);
    const size_t len = all < limit ? all : limit;
    LS_TRY(pat_prefix_serves(g, len, &serves));
    return serves ? pat_take(g, PAT_FORM_PREFIX, len) : pat_form_synthetic(g);
}

ls_err pat_form_repeating(const struct pat_sequence *s, const struct pat_compact_options *o,
                          struct pat_found *f, struct pat_basis *out, bool *out_done)
{
    struct pat_forming g = {s, o, f, out};
    *out_done = false;
    *out = (struct pat_basis){0};
    f->first_element = 0;
    return s->indices.len > 0 && !o->is_sampled ? pat_form_whole(&g, out_done) : LS_OK;
}

ls_err pat_form_other(const struct pat_sequence *s, const struct pat_compact_options *o, struct pat_found *f,
                      struct pat_basis *out)
{
    struct pat_forming g = {s, o, f, out};
    bool done = false;
    pat_forget(&g);
    if (s->indices.len == 0) return pat_form_synthetic(&g);
    /* a trace is only searched for a cycle in its pieces if it is too long to be written unchanged */
    if (o->is_sampled || (s->breaks_len && pat_own_accesses(s) > pat_limit(o)))
        LS_TRY(pat_form_pieces(&g, &done));
    if (done) return LS_OK;
    pat_forget(&g);
    return pat_form_rest(&g);
}
