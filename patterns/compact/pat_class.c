/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_class.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All thresholds. */
static const struct {
    double uniform;   /* share of the main distance of a uniform stride */
    double broadcast; /* share of distance 0: an element is used twice at least, on average */
    double mostly_1;  /* share of distance 1, which is also the most frequent */
    double stencil;   /* share of points that a later iteration visits again ... */
    size_t soon; /* ... these: several columns of a matrix also reach each other's positions, but later */
    size_t points_min; /* distinct points of a stencil */
    size_t points_max;
    double random_top;  /* each distance is less frequent than this ... */
    double random_even; /* ... and entropy reaches this share of its maximum, log2 of the distances' number */
    uint64_t random_min; /* distances that are different */
    size_t shape_max;    /* points: a list that iterations repeat is a shape, not random, up to this length */
} pat_limits = {.uniform = 0.95,
                .broadcast = 0.5,
                .mostly_1 = 1.0 / 3,
                .stencil = 0.25,
                .soon = 2,
                .points_min = 3,
                .points_max = 128,
                .random_top = 0.25,
                .random_even = 0.75,
                .random_min = 16,
                .shape_max = 1024};

enum { PAT_TOUCHED_MAX = 512 };

static int pat_point_order(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* True if point `from`, moved by the delta a few times, falls on another one. */
static bool pat_is_visited_again(const int64_t *points, size_t len, size_t from, int64_t delta)
{
    int64_t at = points[from];
    for (size_t m = 0; m < pat_limits.soon; m++) {
        if (__builtin_add_overflow(at, delta, &at)) return false;
        if (bsearch(&at, points, len, sizeof(*points), pat_point_order)) return true;
    }
    return false;
}

static size_t pat_distinct(int64_t *points, size_t len)
{
    size_t kept = 0;
    qsort(points, len, sizeof(*points), pat_point_order);
    for (size_t i = 0; i < len; i++)
        if (kept == 0 || points[i] != points[kept - 1]) points[kept++] = points[i];
    return kept;
}

/* Modulo 2^64: points may be anywhere. */
static int64_t pat_apart(int64_t from, int64_t to)
{
    return (int64_t)((uint64_t)to - (uint64_t)from);
}

/* Return the length of the shortest block that, shifted repeatedly by one distance, yields the points: the
 * inner loop, if the period is a row of it. 0: none. */
static size_t pat_inner_block(const int64_t *points, size_t len)
{
    for (size_t block = 1; block <= pat_limits.points_max && block <= len / 2; block++) {
        size_t i = block;
        if (len % block != 0) continue;
        const int64_t step = pat_apart(points[0], points[block]);
        while (i < len && pat_apart(points[i - block], points[i]) == step)
            i++;
        if (i == len) return block;
    }
    return 0;
}

/* List the elements that the points touch (a vector access touches several). 0: too many, or too few or too
 * many points for a stencil. */
static size_t pat_touched(const struct pat_evidence *e, const int64_t *block, size_t len,
                          int64_t out[PAT_TOUCHED_MAX])
{
    const size_t span = e->span ? e->span : 1;
    if (len > PAT_TOUCHED_MAX / span) return 0;
    memcpy(out, block, len * sizeof(*out));
    const size_t distinct = pat_distinct(out, len);
    if (distinct < pat_limits.points_min || distinct > pat_limits.points_max) return 0;
    for (size_t k = 1; k < span; k++)
        for (size_t i = 0; i < distinct; i++)
            out[k * distinct + i] = (int64_t)((uint64_t)out[i] + k);
    return pat_distinct(out, distinct * span);
}

static bool pat_meet_again(const struct pat_evidence *e, const int64_t *block, size_t block_len,
                           int64_t delta)
{
    int64_t points[PAT_TOUCHED_MAX];
    size_t again = 0;
    if (delta == 0) return false;
    const size_t len = pat_touched(e, block, block_len, points);
    for (size_t i = 0; i < len; i++)
        again += pat_is_visited_again(points, len, i, delta);
    return len > 0 && (double)again >= pat_limits.stencil * (double)len;
}

/* True for fixed offsets around a moving position, where most elements are used again from one of the next
 * positions, or from one in the next row. */
static bool pat_is_stencil(const struct pat_evidence *e)
{
    if (!e->points) return false;
    if (pat_meet_again(e, e->points, e->points_len, e->delta) ||
        pat_meet_again(e, e->points, e->points_len, e->outer))
        return true;
    const size_t block = pat_inner_block(e->points, e->points_len);
    return block > 0 && (pat_meet_again(e, e->points, block, pat_apart(e->points[0], e->points[block])) ||
                         pat_meet_again(e, e->points, block, e->delta));
}

static bool pat_is_uniform(const struct pat_evidence *e)
{
    return e->shares->seen == 0 || (e->shares->top != 0 && e->shares->top_share >= pat_limits.uniform);
}

static bool pat_is_chase(const struct pat_evidence *e)
{
    return e->index_is_own || (e->index_is_of_the_home && !pat_is_uniform(e));
}

static bool pat_is_broadcast(const struct pat_evidence *e)
{
    return e->shares->zero_share >= pat_limits.broadcast;
}

static bool pat_is_mostly_1(const struct pat_evidence *e)
{
    return e->shares->top == 1 && e->shares->one_share >= pat_limits.mostly_1;
}

static bool pat_is_shape(const struct pat_evidence *e)
{
    return e->points && e->points_len <= pat_limits.shape_max;
}

static bool pat_is_random(const struct pat_evidence *e)
{
    const struct pat_shares *s = e->shares;
    return !pat_is_shape(e) && s->unique >= pat_limits.random_min && s->top_share < pat_limits.random_top &&
           s->entropy_bits >= pat_limits.random_even * log2((double)s->unique);
}

static bool pat_is_anything(const struct pat_evidence *e)
{
    (void)e;
    return true;
}

/* Return the class of the first rule whose condition holds. */
static const struct {
    enum pat_class class;
    bool (*holds)(const struct pat_evidence *e);
} pat_rules[] = {
    {PAT_CLASS_CHASE, pat_is_chase},       {PAT_CLASS_BROADCAST, pat_is_broadcast},
    {PAT_CLASS_STENCIL, pat_is_stencil},   {PAT_CLASS_UNIFORM, pat_is_uniform},
    {PAT_CLASS_MOSTLY_1, pat_is_mostly_1}, {PAT_CLASS_RANDOM, pat_is_random},
    {PAT_CLASS_COMPLEX, pat_is_anything},
};
_Static_assert(sizeof(pat_rules) / sizeof(pat_rules[0]) == PAT_CLASS_COUNT, "every class has a rule");

enum pat_class pat_classify(const struct pat_evidence *e)
{
    size_t i = 0;
    while (!pat_rules[i].holds(e))
        i++;
    return pat_rules[i].class;
}

enum pat_class pat_classify_list(const struct pat_shares *shares, const struct pat_indices *period)
{
    const struct pat_evidence e = {
        .shares = shares, .points = period ? period->data : NULL, .points_len = period ? period->len : 0};
    return pat_is_mostly_1(&e) ? PAT_CLASS_MOSTLY_1
           : pat_is_random(&e) ? PAT_CLASS_RANDOM
                               : PAT_CLASS_COMPLEX;
}
