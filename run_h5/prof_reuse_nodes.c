/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines and the life of each node. */
#include "run_h5/prof_reuse_parts.h"

#include <math.h>
#include <stdlib.h>

#define TWICE_LEAST \
    16.0 /* the number of lines has twice the relative error of their root: it is known to a half */
#define ALMOST_ALL \
    0.67 /* part of the range: bursts with neighbouring lines lead to too low a number of lines */
#define BURSTS_OF_PART 4.0
#define PARTS_LEAST 4
#define EMPTY_ERRORS 4.0 /* standard errors: by chance in 1 of 16,000 nodes */

/* A burst touched a line, or a page. */
struct touch {
    uint64_t line;
    uint32_t node, burst;
};

static int compare_touches(const void *a, const void *b)
{
    const struct touch *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return (x->burst > y->burst) - (x->burst < y->burst);
}

static bool is_same(const struct touch *a, const struct touch *b)
{
    return a->node == b->node && a->line == b->line;
}

/* Sort, and leave one touch of each burst. */
static size_t sort_touches(struct touch *t, size_t len)
{
    size_t kept = 0;
    qsort(t, len, sizeof(*t), compare_touches);
    for (size_t i = 0; i < len; i++)
        if (kept == 0 || !is_same(&t[i], &t[kept - 1]) || t[i].burst != t[kept - 1].burst) t[kept++] = t[i];
    return kept;
}

/* Estimate the number of lines or pages of a node: t has the touched ones, and the numbers touched by one burst and by two
 * bursts give the others (Chao, Nonparametric estimation of the number of classes in a population, 1984, in the form that
 * allows none of two). */
static double count_kinds(const struct touch *t, size_t len, double *out_twice)
{
    double kinds = 0, once = 0, twice = 0;
    for (size_t i = 0, n; i < len; i += n) {
        for (n = 1; i + n < len && is_same(&t[i], &t[i + n]); n++)
            ;
        kinds++;
        once += n == 1;
        twice += n == 2;
    }
    *out_twice = twice;
    return kinds + once * (once - 1) / (2 * (twice + 1));
}

/* Are the bursts spread over the whole range, as in an array? Of equal parts that get BURSTS_OF_PART bursts each, some are
 * empty by chance. t: pages of one node, by address. */
static bool is_spread(const struct touch *t, size_t len, uint32_t bursts)
{
    const uint64_t range = t[len - 1].line - t[0].line + 1;
    const double parts = fmin(floor(bursts / BURSTS_OF_PART), (double)range);
    const double empty = parts * exp(-BURSTS_OF_PART);
    double seen = 0, last = -1;
    for (size_t i = 0; i < len; i++) {
        const double part = floor((double)(t[i].line - t[0].line) * parts / (double)range);
        seen += part > last;
        last = part;
    }
    return parts >= PARTS_LEAST && parts - seen <= empty + EMPTY_ERRORS * sqrt(empty);
}

/* Called for lines first, then for pages. */
static void count_lines(struct prof_reuse *r, const struct touch *t, size_t len, double lines_each)
{
    for (size_t i = 0, n; i < len; i += n) {
        struct prof_reuse_node *node = &r->nodes[t[i].node];
        double twice;
        for (n = 1; i + n < len && t[i + n].node == t[i].node; n++)
            ;
        const double range = lines_each * (double)(t[i + n - 1].line - t[i].line + 1);
        const double kinds = fmin(range, lines_each * count_kinds(t + i, n, &twice));
        if (lines_each <= 1) {
            *node = (struct prof_reuse_node){.lines = kinds,
                                             .low = t[i].line,
                                             .range = range,
                                             .is_counted = twice >= TWICE_LEAST,
                                             .first = node->first,
                                             .last = node->last,
                                             .bursts = node->bursts};
        } else if (is_spread(t + i, n, node->bursts) &&
                   (!node->is_counted || node->lines > ALMOST_ALL * range)) {
            node->lines = range;
        } else if (!node->is_counted) {
            node->lines = fmin(node->lines, kinds);
        }
    }
}

static ls_err make_nodes(struct prof_reuse *r, const struct touch *t, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (t[i].node >= r->nodes_len) r->nodes_len = (size_t)t[i].node + 1;
    r->nodes = calloc(r->nodes_len + 1, sizeof(*r->nodes));
    if (!r->nodes) return ls_nomem("the lines of %zu nodes", r->nodes_len);
    for (size_t i = 0; i < len; i++) {
        struct prof_reuse_node *node = &r->nodes[t[i].node];
        if (node->lines <= 0) *node = (struct prof_reuse_node){.lines = INFINITY, .first = t[i].burst};
        node->bursts += node->bursts == 0 || node->last != t[i].burst;
        node->last = t[i].burst;
    }
    return LS_OK;
}

static size_t touches_of(const struct prof_reuse *r, struct touch *out)
{
    size_t len = 0;
    for (size_t b = 0; b < r->bursts.len; b++) {
        const struct prof_cost_samples *s = &r->bursts.rows[b].samples;
        for (uint64_t i = 0; i < s->len; i++)
            if (s->node[i] != UINT32_MAX)
                out[len++] = (struct touch){s->addr[i] / PROF_COST_LINE_BYTES, s->node[i], (uint32_t)b};
    }
    return len;
}

ls_err prof_reuse_find_nodes(struct prof_reuse *r)
{
    size_t len = 0;
    for (size_t b = 0; b < r->bursts.len; b++)
        len += r->bursts.rows[b].samples.len;
    struct touch *t = malloc((len + 1) * sizeof(*t));
    if (!t) return ls_nomem("the lines of %zu samples", len);
    len = touches_of(r, t);
    ls_err e = make_nodes(r, t, len);
    if (e == LS_OK) {
        len = sort_touches(t, len);
        count_lines(r, t, len, 1);
        for (size_t i = 0; i < len; i++)
            t[i].line >>= PROF_REUSE_PAGE_BITS;
        len = sort_touches(t, len);
        count_lines(r, t, len, 1 << PROF_REUSE_PAGE_BITS);
    }
    free(t);
    return e;
}
