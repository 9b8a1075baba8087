/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_class.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The thresholds, all of them. */
static const struct {
    double uniform;    /* share of the one distance of a uniform stride */
    double broadcast;  /* share of distance 0: an element is used twice at least, on average */
    double mostly_1;   /* share of distance 1, which is also the most frequent: as pat_shape_of has it */
    double stencil;    /* share of points that one of the next iterations visits again ... */
    size_t soon;       /* ... these: columns of a matrix, several at once, also meet, but later */
    size_t points_min; /* distinct points of a stencil */
    size_t points_max;
    double random_top;  /* no distance is as frequent as this ... */
    double random_even; /* ... and entropy reaches this share of its maximum, log2 of the distances' number */
    uint64_t random_min; /* distances that are different */
} pat_limits = {.uniform = 0.95,
                .broadcast = 0.5,
                .mostly_1 = 1.0 / 3,
                .stencil = 0.25,
                .soon = 2,
                .points_min = 3,
                .points_max = 128,
                .random_top = 0.25,
                .random_even = 0.75,
                .random_min = 16};

static int pat_point_order(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Does point `from`, moved by the delta a few times, fall on another one? */
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

/* Fixed offsets around a place that moves on, so that most elements are used again from the next places. */
static bool pat_is_stencil(const struct pat_evidence *e)
{
    int64_t points[512];
    size_t again = 0;
    if (!e->points || e->delta == 0 || e->points_len > sizeof(points) / sizeof(points[0])) return false;
    memcpy(points, e->points, e->points_len * sizeof(*points));
    const size_t len = pat_distinct(points, e->points_len);
    if (len < pat_limits.points_min || len > pat_limits.points_max) return false;
    for (size_t i = 0; i < len; i++)
        again += pat_is_visited_again(points, len, i, e->delta);
    return (double)again >= pat_limits.stencil * (double)len;
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

static bool pat_is_random(const struct pat_evidence *e)
{
    const struct pat_shares *s = e->shares;
    return !e->points && s->unique >= pat_limits.random_min && s->top_share < pat_limits.random_top &&
           s->entropy_bits >= pat_limits.random_even * log2((double)s->unique);
}

static bool pat_is_anything(const struct pat_evidence *e)
{
    (void)e;
    return true;
}

/* The first that holds. */
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
