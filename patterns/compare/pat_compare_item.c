/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compare/pat_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    enum pat_kind kind;
    enum pat_side sides[2];
    size_t sides_len;
} pat_kinds[PAT_KERNEL_COUNT] = {
    [PAT_GATHER] = {PAT_KIND_READS, {PAT_SIDE_GATHER}, 1},
    [PAT_SCATTER] = {PAT_KIND_WRITES, {PAT_SIDE_SCATTER}, 1},
    [PAT_GS] = {PAT_KIND_BOTH, {PAT_SIDE_GATHER, PAT_SIDE_SCATTER}, 2},
    [PAT_MULTIGATHER] = {PAT_KIND_READS, {PAT_SIDE_GATHER}, 1},
    [PAT_MULTISCATTER] = {PAT_KIND_WRITES, {PAT_SIDE_SCATTER}, 1},
};

ls_err pat_items_add(struct pat_items *items, const char *name, const char *key, struct pat_item **out)
{
    struct pat_item *const rows = realloc(items->rows, (items->len + 1) * sizeof *rows);
    if (!rows) return ls_nomem("comparing %zu patterns", items->len + 1);
    items->rows = rows;
    struct pat_item *const item = &rows[items->len];
    *item = (struct pat_item){
        .name = strdup(name), .key = strdup(key), .thread = strdup(""), .threads = 1, .share = NAN};
    items->len++;
    *out = item;
    if (item->name && item->key && item->thread) return LS_OK;
    return ls_nomem("the names of patterns");
}

static void pat_item_fini(struct pat_item *item)
{
    free(item->name);
    free(item->key);
    free(item->thread);
    for (size_t i = 0; i < 2 * PAT_BLOCK_LENS; i++)
        free(item->sketches[i / PAT_BLOCK_LENS][i % PAT_BLOCK_LENS]);
}

void pat_items_fini(struct pat_items *items)
{
    for (size_t i = 0; i < items->len; i++)
        pat_item_fini(&items->rows[i]);
    free(items->rows);
    *items = (struct pat_items){0};
}

ls_err pat_item_set_config(struct pat_item *item, const struct pat_config *c)
{
    item->kind = pat_kinds[c->kernel].kind;
    for (size_t i = 0; i < pat_kinds[c->kernel].sides_len; i++)
        LS_TRY(pat_walk_config(c, pat_kinds[c->kernel].sides[i], &item->walks[item->walks_len++]));
    return LS_OK;
}

static ls_err pat_items_add_config(const struct pat_config *c, struct pat_items *items)
{
    const char *const key = c->found_as && *c->found_as ? c->found_as : c->name;
    struct pat_item *item;
    LS_TRY(pat_items_add(items, c->name, key, &item));
    return pat_item_set_config(item, c);
}

ls_err pat_items_of_suite(const struct pat_suite *s, struct pat_items *out)
{
    *out = (struct pat_items){0};
    for (size_t i = 0; i < s->len; i++) {
        const ls_err err = pat_items_add_config(&s->rows[i], out);
        if (err == LS_OK) continue;
        pat_items_fini(out);
        return err;
    }
    return LS_OK;
}

ls_err pat_items_move(struct pat_items *from, struct pat_items *to, uint32_t input)
{
    if (from->len == 0) return LS_OK;
    struct pat_item *const rows = realloc(to->rows, (to->len + from->len) * sizeof *rows);
    if (!rows) return ls_nomem("comparing %zu patterns", to->len + from->len);
    for (size_t i = 0; i < from->len; i++) {
        rows[to->len + i] = from->rows[i];
        rows[to->len + i].input = input;
    }
    to->rows = rows;
    to->len += from->len;
    free(from->rows);
    *from = (struct pat_items){0};
    return LS_OK;
}

/* --- distances --- */

static size_t pat_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static ls_err pat_item_sketch(struct pat_item *item, size_t side, size_t block_len,
                              const struct pat_sketch **out)
{
    const unsigned row = (unsigned)__builtin_ctzl(block_len) - (unsigned)__builtin_ctz(PAT_BLOCK_MIN);
    struct pat_sketch **const sketch = &item->sketches[side][row];
    struct pat_blocks blocks;
    if (!*sketch) {
        LS_TRY(pat_blocks_read(&item->walks[side], block_len, 0, &blocks));
        *sketch = malloc(sizeof **sketch);
        if (*sketch) pat_sketch_of(&blocks, *sketch);
        free(blocks.rows);
        if (!*sketch) return ls_nomem("comparing patterns");
    }
    *out = *sketch;
    return LS_OK;
}

ls_err pat_item_distance(struct pat_item *a, struct pat_item *b, double *out)
{
    const struct pat_sketch *sketches[2];
    double sum = 0;
    *out = 1;
    if (a->kind != b->kind) return LS_OK;
    for (size_t i = 0; i < a->walks_len; i++) {
        const size_t len = pat_smaller(pat_block_len_for(&a->walks[i]), pat_block_len_for(&b->walks[i]));
        LS_TRY(pat_item_sketch(a, i, len, &sketches[0]));
        LS_TRY(pat_item_sketch(b, i, len, &sketches[1]));
        sum += pat_sketch_distance(sketches[0], sketches[1]).total;
    }
    *out = sum / (double)a->walks_len;
    return LS_OK;
}

static ls_err pat_walks_compare(const struct pat_walk *a, const struct pat_walk *b, uint64_t seed,
                                struct pat_comparison *out)
{
    const size_t len = pat_smaller(pat_block_len_for(a), pat_block_len_for(b));
    struct pat_blocks blocks[2] = {{0}, {0}};
    ls_err err = pat_blocks_read(a, len, 0, &blocks[0]);
    if (err == LS_OK) err = pat_blocks_read(b, len, 0, &blocks[1]);
    if (err == LS_OK) err = pat_blocks_compare(&blocks[0], &blocks[1], seed, out);
    free(blocks[0].rows);
    free(blocks[1].rows);
    return err;
}

static double pat_middle(double a, double b)
{
    return (a + b) / 2;
}

/* Combine reading and writing: intervals and nulls of means are at most as wide as the means of them. */
static void pat_comparison_join(struct pat_comparison *c, const struct pat_comparison *other)
{
    const double p = c->p_value < other->p_value ? c->p_value : other->p_value;
    c->distance.total = pat_middle(c->distance.total, other->distance.total);
    for (size_t t = 0; t < PAT_TERM_COUNT; t++)
        c->distance.terms[t] = pat_middle(c->distance.terms[t], other->distance.terms[t]);
    c->low = pat_middle(c->low, other->low);
    c->high = pat_middle(c->high, other->high);
    c->null = pat_middle(c->null, other->null);
    for (size_t i = 0; i < 2; i++) {
        c->halves[i] = pat_middle(c->halves[i], other->halves[i]);
        c->blocks[i] = pat_smaller(c->blocks[i], other->blocks[i]);
    }
    c->block_len = pat_smaller(c->block_len, other->block_len);
    c->p_value = 2 * p < 1 ? 2 * p : 1; /* Bonferroni */
}

ls_err pat_item_compare(const struct pat_item *a, const struct pat_item *b, uint64_t seed,
                        struct pat_item_comparison *out)
{
    struct pat_item_comparison c = {.same = true};
    for (size_t i = 0; i < a->walks_len; i++) {
        struct pat_comparison side;
        LS_TRY(pat_walks_compare(&a->walks[i], &b->walks[i], seed, &side));
        if (i == 0)
            c.total = side;
        else
            pat_comparison_join(&c.total, &side);
        c.same = c.same && pat_walk_same(&a->walks[i], &b->walks[i]);
    }
    *out = c;
    return LS_OK;
}
