/* SPDX-License-Identifier: BSD-3-Clause */
/* The time between the visits of loops to the lines of a node (run_h5/prof_reuse.h). */
#include "run_h5/prof_reuse_parts.h"

#include <math.h>

#define OFTEN 0.5 /* a loop with half as many sweeps as a use or more runs between all of its visits */
#define PART_LEAST 1e-3

/* Instructions between two visits: of loops that always run, of loops that run now and then, and the part of the visits
 * before which these run. */
struct between {
    double always, seldom, seldom_part;
};

static const struct prof_use *use_in(const struct prof_reuse *r, uint32_t loop, uint32_t node)
{
    const uint32_t row = ls_index_find(&r->use_by_key, (uint64_t)loop << 32 | node);
    const struct prof_use *u = row == LS_INDEX_NONE ? NULL : &r->uses.rows[row];
    return u && !u->is_random && u->sweeps > 0 ? u : NULL;
}

static double alive_instructions(const struct prof_reuse *r, const struct prof_use *u, uint32_t loop)
{
    const struct prof_reuse_node *n = &r->nodes[u->node];
    return prof_reuse_loop_between(r, loop, n->first, n->last + 1u);
}

/* Add a loop that runs `sweeps` times; 0: not known, once for each sweep of u. */
static void add_between(struct between *b, const struct prof_use *u, double instructions, double sweeps)
{
    if (sweeps <= 0 || sweeps >= OFTEN * u->sweeps) {
        b->always += instructions / fmax(sweeps, u->sweeps);
        return;
    }
    b->seldom += instructions / sweeps;
    b->seldom_part = fmax(b->seldom_part, sweeps / u->sweeps);
}

/* Add the gap since a visit, of loops that take `before` and `own` instructions for a sweep. */
static ls_err add_gap(struct prof_reuse *r, const struct between *b, double part, double before, double own)
{
    const double low = b->always + fmin(before, own), high = b->always + fmax(before, own);
    const struct prof_reuse_gap usual = {part * (1 - b->seldom_part), low, high};
    LS_TRY(LS_VECTOR_ADD(&r->gaps, usual));
    if (b->seldom_part <= 0) return LS_OK;
    const struct prof_reuse_gap long_one = {part * b->seldom_part, low + b->seldom, high + b->seldom};
    return LS_VECTOR_ADD(&r->gaps, long_one);
}

/* Go back from u through all loops. Each one that visits the node takes its part of the visits that no later one took. */
static ls_err find_gaps(struct prof_reuse *r, const struct prof_use *u, size_t at, bool only_stores)
{
    const double own = alive_instructions(r, u, u->loop) / u->sweeps;
    struct between b = {0};
    double part = 1;
    for (size_t back = 1; back < r->loops_len && part > PART_LEAST; back++) {
        const uint32_t loop = r->order[(at + r->loops_len - back) % r->loops_len];
        const double instructions = alive_instructions(r, u, loop);
        const struct prof_use *q = use_in(r, loop, u->node);
        if (instructions <= 0) continue;
        if (q && (!only_stores || q->dirty > 0)) {
            const double often = q->sweeps / u->sweeps;
            const double taken = part * (often >= OFTEN ? 1 : often) * (only_stores ? q->dirty : 1);
            LS_TRY(add_gap(r, &b, taken, instructions / fmax(q->sweeps, u->sweeps), own));
            part -= taken;
        }
        add_between(&b, u, instructions, r->loops[loop].sweeps * instructions);
    }
    return part > PART_LEAST ? add_gap(r, &b, part, own, own) : LS_OK;
}

ls_err prof_reuse_find_gaps(struct prof_reuse *r)
{
    for (size_t at = 0; at < r->loops_len; at++)
        for (size_t i = 0; i < r->uses.len; i++) {
            struct prof_use *u = &r->uses.rows[i];
            if (u->loop != r->order[at] || u->is_random || u->sweeps <= 0) continue;
            u->gaps = r->gaps.len;
            LS_TRY(find_gaps(r, u, at, false));
            u->gaps_len = r->gaps.len - u->gaps;
            u->store_gaps = r->gaps.len;
            LS_TRY(find_gaps(r, u, at, true));
            u->store_gaps_len = r->gaps.len - u->store_gaps;
        }
    return LS_OK;
}

/* Return the part of a gap's visits for which it is longer than t. */
static double part_of_gap(const struct prof_reuse_gap *g, double t)
{
    if (t < g->low) return g->part;
    return t < g->high ? g->part * (g->high - t) / (g->high - g->low) : 0;
}

/* Return the mean length of the gap beyond t. */
static double rest_of_gap(const struct prof_reuse_gap *g, double t)
{
    if (t < g->low) return g->part * ((g->low + g->high) / 2 - t);
    return t < g->high ? g->part * (g->high - t) * (g->high - t) / (2 * (g->high - g->low)) : 0;
}

/* Probability that no random visit came within t. */
static double no_random_visit(const struct prof_reuse *r, const struct prof_reuse_node *n, double t,
                              bool only_stores)
{
    double visits = 0;
    for (size_t i = n->uses; i < n->uses + n->uses_len; i++) {
        const struct prof_use *u = &r->uses.rows[i];
        if (u->is_random) visits += t * u->frequency * (only_stores ? u->dirty : 1);
    }
    return exp(-visits);
}

/* Return the part of the time in which the last visit of a sweep is longer ago than t. */
static double no_sweep(const struct prof_reuse *r, const struct prof_reuse_node *n, double t)
{
    double rest = 0, all = 0;
    for (size_t i = n->uses; i < n->uses + n->uses_len; i++) {
        const struct prof_use *u = &r->uses.rows[i];
        for (size_t k = u->gaps; k < u->gaps + u->gaps_len; k++) {
            rest += u->frequency * rest_of_gap(&r->gaps.rows[k], t);
            all += u->frequency * rest_of_gap(&r->gaps.rows[k], 0);
        }
    }
    return all > 0 ? rest / all : 1;
}

double prof_reuse_part_after(const struct prof_reuse *r, const struct prof_use *u, double t, bool only_stores)
{
    const struct prof_reuse_node *n = &r->nodes[u->node];
    const double none = no_random_visit(r, n, t, only_stores);
    if (u->is_random) return none * (only_stores ? 1 : no_sweep(r, n, t));
    const size_t first = only_stores ? u->store_gaps : u->gaps;
    const size_t len = only_stores ? u->store_gaps_len : u->gaps_len;
    double part = 0;
    for (size_t i = first; i < first + len; i++)
        part += part_of_gap(&r->gaps.rows[i], t);
    return part * none;
}

double prof_reuse_untouched(const struct prof_reuse *r, const struct prof_reuse_node *n, double t)
{
    return no_random_visit(r, n, t, false) * no_sweep(r, n, t);
}
