/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops as groups of bursts: two items belong to one loop if at least half of the bursts that have one of them have both. An item is
 * an instruction with a node; where a burst came to most of its instructions only once, it saw a small part of a large loop, and the items are
 * the blocks of code that it came through. */
#include "run_h5/prof_reuse_parts.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK_BYTES = 512 };

struct prof_item {
    uint64_t ip;
    uint32_t node, bursts, parent; /* parent: an item of the same loop, itself for the first one */
};

struct prof_both {
    uint32_t a, b, bursts;
};

struct prof_items {
    LS_VECTOR(struct prof_item) rows;
    LS_VECTOR(struct prof_both) both;
    struct ls_index by_key, both_by_key;
};

static ls_err item_of(struct prof_items *x, const struct prof_reuse_point *p, uint32_t *out)
{
    const uint64_t key = ls_index_key(p->ip, p->node);
    uint32_t row;
    for (size_t step = 0; ls_index_next(&x->by_key, key, &step, &row);) {
        *out = row;
        if (x->rows.rows[row].ip == p->ip && x->rows.rows[row].node == p->node) return LS_OK;
    }
    *out = (uint32_t)x->rows.len;
    LS_TRY(LS_VECTOR_ADD(&x->rows, (struct prof_item){.ip = p->ip, .node = p->node, .parent = *out}));
    return ls_index_put(&x->by_key, key, *out);
}

/* Keep an item with its number of samples, if it is among the most frequent ones of the burst. */
static void keep_item(struct prof_reuse_burst *b, uint32_t item, uint32_t count)
{
    uint32_t at = b->items_len;
    while (at > 0 && b->counts[at - 1] < count)
        at--;
    if (at == PROF_REUSE_ITEMS) return;
    if (b->items_len < PROF_REUSE_ITEMS) b->items_len++;
    for (uint32_t i = b->items_len - 1; i > at; i--) {
        b->items[i] = b->items[i - 1];
        b->counts[i] = b->counts[i - 1];
    }
    b->items[at] = item;
    b->counts[at] = count;
}

static ls_err count_both(struct prof_items *x, uint32_t a, uint32_t b)
{
    if (a > b) return count_both(x, b, a);
    const uint64_t key = (uint64_t)a << 32 | b;
    uint32_t row = ls_index_find(&x->both_by_key, key);
    if (row == LS_INDEX_NONE) {
        row = (uint32_t)x->both.len;
        LS_TRY(LS_VECTOR_ADD(&x->both, (struct prof_both){.a = a, .b = b}));
        LS_TRY(ls_index_put(&x->both_by_key, key, row));
    }
    x->both.rows[row].bursts++;
    return LS_OK;
}

static bool is_of_large_loop(const struct prof_reuse_point *p, size_t len)
{
    size_t groups = 0;
    for (size_t at = 0; at < len; at += prof_reuse_group(p + at, len - at))
        groups++;
    return 2 * groups > len;
}

static int compare_blocks(const void *a, const void *b)
{
    const struct prof_reuse_point *x = a, *y = b;
    return (x->ip > y->ip) - (x->ip < y->ip);
}

static void to_blocks(struct prof_reuse_point *p, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        p[i].ip -= p[i].ip % BLOCK_BYTES;
        p[i].node = UINT32_MAX;
    }
    qsort(p, len, sizeof(*p), compare_blocks);
}

static ls_err add_burst(struct prof_items *x, struct prof_reuse_burst *b, struct prof_reuse_point *points)
{
    const size_t len = prof_reuse_points(b, points);
    if (is_of_large_loop(points, len)) to_blocks(points, len);
    for (size_t at = 0, n; at < len; at += n) {
        uint32_t item;
        n = prof_reuse_group(points + at, len - at);
        LS_TRY(item_of(x, points + at, &item));
        keep_item(b, item, (uint32_t)n);
    }
    for (uint32_t i = 0; i < b->items_len; i++) {
        x->rows.rows[b->items[i]].bursts++;
        for (uint32_t k = 0; k < i; k++)
            LS_TRY(count_both(x, b->items[i], b->items[k]));
    }
    return LS_OK;
}

static uint32_t first_of(struct prof_items *x, uint32_t item)
{
    while (x->rows.rows[item].parent != item)
        item = x->rows.rows[item].parent = x->rows.rows[x->rows.rows[item].parent].parent;
    return item;
}

static void join_items(struct prof_items *x)
{
    for (size_t i = 0; i < x->both.len; i++) {
        const struct prof_both *p = &x->both.rows[i];
        const uint32_t either = x->rows.rows[p->a].bursts + x->rows.rows[p->b].bursts - p->bursts;
        if (2 * p->bursts >= either) x->rows.rows[first_of(x, p->a)].parent = first_of(x, p->b);
    }
}

/* Return the first item of the loop with the most samples of a burst. */
static uint32_t loop_item(struct prof_items *x, const struct prof_reuse_burst *b)
{
    uint32_t best = first_of(x, b->items[0]), most = 0;
    for (uint32_t i = 0; i < b->items_len; i++) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < b->items_len; k++)
            if (first_of(x, b->items[k]) == first_of(x, b->items[i])) sum += b->counts[k];
        if (sum > most) best = first_of(x, b->items[i]);
        if (sum > most) most = sum;
    }
    return best;
}

static ls_err number_loops(struct prof_reuse *r, struct prof_items *x)
{
    uint32_t *number = malloc((x->rows.len + 1) * sizeof(*number));
    r->loops = calloc(x->rows.len + 1, sizeof(*r->loops));
    if (!number || !r->loops) {
        free(number);
        return ls_nomem("the loops of %zu instructions", x->rows.len);
    }
    for (size_t i = 0; i < x->rows.len; i++)
        number[i] = UINT32_MAX;
    for (size_t i = 0; i < r->bursts.len; i++) {
        const uint32_t item = loop_item(x, &r->bursts.rows[i]);
        if (number[item] == UINT32_MAX) {
            number[item] = (uint32_t)r->loops_len;
            r->loops[r->loops_len++].ip = UINT64_MAX;
        }
        r->bursts.rows[i].loop = number[item];
    }
    for (uint32_t i = 0; i < x->rows.len; i++) {
        const uint32_t loop = number[first_of(x, i)];
        if (loop != UINT32_MAX && x->rows.rows[i].ip < r->loops[loop].ip)
            r->loops[loop].ip = x->rows.rows[i].ip;
    }
    free(number);
    return LS_OK;
}

ls_err prof_reuse_find_loops(struct prof_reuse *r, struct prof_reuse_point *points)
{
    struct prof_items x = {0};
    ls_err e = LS_OK;
    for (size_t i = 0; e == LS_OK && i < r->bursts.len; i++)
        e = add_burst(&x, &r->bursts.rows[i], points);
    if (e == LS_OK) join_items(&x);
    if (e == LS_OK) e = number_loops(r, &x);
    free(x.rows.rows);
    free(x.both.rows);
    ls_index_fini(&x.by_key);
    ls_index_fini(&x.both_by_key);
    return e;
}

/* Represented instructions, and cycles of the bursts that they are known of. */
struct rate {
    double instructions, cycles;
};

static void add_rate(struct rate *rate, const struct prof_reuse_burst *b)
{
    rate->instructions += b->represented;
    rate->cycles += b->cycles;
}

bool prof_reuse_is_first(const struct prof_cost_samples *s, uint64_t i, bool only_stores)
{
    for (uint64_t k = 0; k < i; k++)
        if (s->addr[k] / PROF_COST_LINE_BYTES == s->addr[i] / PROF_COST_LINE_BYTES &&
            (!only_stores || s->op[k] == 1))
            return false;
    return true;
}

/* Cycles an instruction in which the listed lines arrive: from the cache that holds all of their node, and of at least `lines`. */
static double arrival_cycles(const struct prof_reuse *r, const struct prof_reuse_burst *b,
                             const struct prof_cost_model *m, double lines)
{
    const struct prof_cost_samples *s = &b->samples;
    double cycles = 0;
    for (uint64_t i = 0; i < b->listed; i++)
        if (s->node[i] != UINT32_MAX && prof_reuse_is_first(s, i, false))
            cycles += m->line_cycles[prof_cost_level_of_lines(m, fmax(lines, r->nodes[s->node[i]].lines))];
    return cycles / b->instructions;
}

static double all_lines(const struct prof_reuse *r)
{
    double lines = 0;
    for (size_t i = 0; i < r->nodes_len; i++)
        lines += r->nodes[i].lines;
    return lines;
}

ls_err prof_reuse_fill_represented(struct prof_reuse *r, const struct prof_cost_model *m)
{
    struct rate all = {0}, *of = calloc(r->loops_len + 1, sizeof(*of));
    const double program_lines = all_lines(r);
    if (!of) return ls_nomem("the pace of %zu loops", r->loops_len);
    for (size_t i = 0; i < r->bursts.len; i++) {
        const struct prof_reuse_burst *b = &r->bursts.rows[i];
        if (b->represented <= 0) continue;
        add_rate(&of[b->loop], b);
        add_rate(&all, b);
    }
    for (size_t i = 0; i < r->bursts.len; i++) {
        struct prof_reuse_burst *b = &r->bursts.rows[i];
        const bool is_rare = of[b->loop].cycles <= 0;
        const struct rate *rate = is_rare ? &all : &of[b->loop];
        if (b->represented > 0 || rate->cycles <= 0) continue;
        const double pace = rate->cycles / rate->instructions;
        const double arrival = arrival_cycles(r, b, m, is_rare ? program_lines : 0);
        b->represented = b->cycles / (arrival > 2 * pace ? arrival : pace);
    }
    free(of);
    return LS_OK;
}
