/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compare/pat_compare.h"
#include "common/ls_random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAT_NORMAL_QUANTILE 1.959964 /* the normal quantile of (1 + PAT_CONFIDENCE) / 2 */

/* The blocks of both patterns, without the features that are 0 in all of them (most bins of most patterns). */
struct pat_pool {
    double *values;     /* [blocks][columns_len], then room for two sums of columns_len */
    size_t *columns;    /* the feature in each column; after the features: centre, square */
    size_t *order;      /* room for a permutation of the blocks */
    uint32_t *times[2]; /* by group and block: how often the group contains the block */
    size_t columns_len, blocks_len, a_len;
    struct pat_sketch sketches[2];
};

enum { PAT_POOL_CENTRE = PAT_BLOCK_FEATURES, PAT_POOL_SQUARE, PAT_POOL_COLUMNS };

static const struct pat_block *pat_pool_block(const struct pat_blocks *const sides[2], size_t i)
{
    return i < sides[0]->len ? &sides[0]->rows[i] : &sides[1]->rows[i - sides[0]->len];
}

static double pat_pool_value(const struct pat_block *b, size_t column)
{
    if (column == PAT_POOL_CENTRE) return b->centre;
    return column == PAT_POOL_SQUARE ? b->square : b->features[column];
}

static bool pat_pool_uses(const struct pat_pool *p, const struct pat_blocks *const sides[2], size_t column)
{
    for (size_t i = 0; i < p->blocks_len; i++)
        if (pat_pool_value(pat_pool_block(sides, i), column) != 0) return true;
    return false;
}

static void pat_pool_fini(struct pat_pool *p)
{
    free(p->values);
    free(p->columns);
    free(p->order);
    free(p->times[0]);
    free(p->times[1]);
}

static ls_err pat_pool_alloc(struct pat_pool *p)
{
    p->values = calloc(p->blocks_len * p->columns_len + 2 * p->columns_len, sizeof *p->values);
    p->order = calloc(p->blocks_len, sizeof *p->order);
    p->times[0] = calloc(p->blocks_len, sizeof *p->times[0]);
    p->times[1] = calloc(p->blocks_len, sizeof *p->times[1]);
    if (p->values && p->order && p->times[0] && p->times[1]) return LS_OK;
    return ls_nomem("resampling %zu blocks of patterns", p->blocks_len);
}

static ls_err pat_pool_init(struct pat_pool *p, const struct pat_blocks *const sides[2])
{
    memset(p, 0, sizeof *p);
    p->a_len = sides[0]->len;
    p->blocks_len = sides[0]->len + sides[1]->len;
    p->columns = calloc(PAT_POOL_COLUMNS, sizeof *p->columns);
    if (!p->columns) return ls_nomem("resampling a pattern");
    for (size_t c = 0; c < PAT_POOL_COLUMNS; c++)
        if (pat_pool_uses(p, sides, c)) p->columns[p->columns_len++] = c;
    LS_TRY(pat_pool_alloc(p));
    for (size_t i = 0; i < p->blocks_len; i++)
        for (size_t c = 0; c < p->columns_len; c++)
            p->values[i * p->columns_len + c] = pat_pool_value(pat_pool_block(sides, i), p->columns[c]);
    return LS_OK;
}

/* --- a draw: the assignment of blocks to groups --- */

static void pat_draw_clear(struct pat_pool *p)
{
    memset(p->times[0], 0, p->blocks_len * sizeof *p->times[0]);
    memset(p->times[1], 0, p->blocks_len * sizeof *p->times[1]);
}

/* Draw blocks of each side with replacement. */
static void pat_draw_bootstrap(struct pat_pool *p, uint64_t *random)
{
    const size_t b_len = p->blocks_len - p->a_len;
    pat_draw_clear(p);
    for (size_t i = 0; i < p->a_len; i++)
        p->times[0][ls_random_below(random, p->a_len)]++;
    for (size_t i = 0; i < b_len; i++)
        p->times[1][p->a_len + ls_random_below(random, b_len)]++;
}

/* Deal blocks [begin, end) to two groups; the first one gets first_len. */
static void pat_draw_deal(struct pat_pool *p, size_t begin, size_t end, size_t first_len, uint64_t *random)
{
    pat_draw_clear(p);
    for (size_t i = begin; i < end; i++)
        p->order[i] = i;
    for (size_t i = begin; i < end; i++) { /* Fisher and Yates */
        const size_t k = i + ls_random_below(random, end - i);
        const size_t block = p->order[k];
        p->order[k] = p->order[i];
        p->times[i - begin < first_len ? 0 : 1][block] = 1;
    }
}

static void pat_draw_sketch(struct pat_pool *p, int group)
{
    double *const sums = p->values + (p->blocks_len + (size_t)group) * p->columns_len;
    struct pat_sketch *const s = &p->sketches[group];
    double whole = 0, position[2] = {0, 0};
    memset(sums, 0, p->columns_len * sizeof *sums);
    for (size_t i = 0; i < p->blocks_len; i++) {
        const double times = p->times[group][i];
        const double *const row = p->values + i * p->columns_len;
        if (times == 0) continue;
        whole += times;
        for (size_t c = 0; c < p->columns_len; c++)
            sums[c] += times * row[c];
    }
    for (size_t c = 0; c < p->columns_len; c++) {
        if (p->columns[c] < PAT_BLOCK_FEATURES)
            s->features[p->columns[c]] = sums[c] / whole;
        else
            position[p->columns[c] - PAT_POOL_CENTRE] = sums[c] / whole;
    }
    s->spread = pat_spread_of(position[0], position[1]);
}

static struct pat_distance_terms pat_draw_terms(struct pat_pool *p)
{
    pat_draw_sketch(p, 0);
    pat_draw_sketch(p, 1);
    return pat_sketch_distance(&p->sketches[0], &p->sketches[1]);
}

static double pat_draw_distance(struct pat_pool *p)
{
    return pat_draw_terms(p).total;
}

/* --- evaluation of the draws --- */

static int pat_double_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double pat_quantile(double values[PAT_RESAMPLES], double share)
{
    qsort(values, PAT_RESAMPLES, sizeof *values, pat_double_compare);
    const double at = share * (PAT_RESAMPLES - 1);
    const size_t below = (size_t)at;
    const double above = values[below + 1 < PAT_RESAMPLES ? below + 1 : below];
    return values[below] + (at - (double)below) * (above - values[below]);
}

static double pat_between(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static double pat_deviation(const double values[PAT_RESAMPLES])
{
    double mean = 0, square = 0;
    for (size_t r = 0; r < PAT_RESAMPLES; r++)
        mean += values[r] / PAT_RESAMPLES;
    for (size_t r = 0; r < PAT_RESAMPLES; r++)
        square += (values[r] - mean) * (values[r] - mean) / PAT_RESAMPLES;
    return sqrt(square);
}

/* For few blocks: return the quantile of Student's distribution (Abramowitz and Stegun, 26.7.5, first term),
 * corrected for the bias of the bootstrap's deviation. */
static double pat_student_quantile(const struct pat_comparison *c)
{
    const double n = (double)(c->blocks[0] < c->blocks[1] ? c->blocks[0] : c->blocks[1]);
    const double z = PAT_NORMAL_QUANTILE;
    return (z + (z * z * z + z) / (4 * (n - 1))) * sqrt(n / (n - 1));
}

/* Noise increases small distances and hardly changes large ones: the lower limit allows for its effect on the
 * resampled distances, the upper limit does not rely on it. */
static void pat_compare_interval(struct pat_pool *p, uint64_t *random, struct pat_comparison *c)
{
    double values[PAT_RESAMPLES];
    const double d = c->distance.total;
    for (size_t r = 0; r < PAT_RESAMPLES; r++) {
        pat_draw_bootstrap(p, random);
        values[r] = pat_draw_distance(p);
    }
    const double width = pat_student_quantile(c) * pat_deviation(values);
    const double basic = 2 * d - pat_quantile(values, (1 + PAT_CONFIDENCE) / 2);
    c->low = pat_between(basic, 0, d - width > 0 ? d - width : 0);
    c->high = pat_between(d + width, d, 1);
}

static double pat_compare_halves(struct pat_pool *p, size_t begin, size_t end, uint64_t *random)
{
    double values[PAT_RESAMPLES];
    for (size_t r = 0; r < PAT_RESAMPLES; r++) {
        pat_draw_deal(p, begin, end, (end - begin) / 2, random);
        values[r] = pat_draw_distance(p);
    }
    return pat_quantile(values, PAT_CONFIDENCE);
}

/* Test term by term, because a noisy term would hide a difference in another one. */
static double pat_compare_permute(struct pat_pool *p, const struct pat_distance_terms *d, uint64_t *random)
{
    size_t as_far[PAT_TERM_COUNT] = {0}, least = PAT_RESAMPLES;
    for (size_t r = 0; r < PAT_RESAMPLES; r++) {
        pat_draw_deal(p, 0, p->blocks_len, p->a_len, random);
        const struct pat_distance_terms drawn = pat_draw_terms(p);
        for (size_t t = 0; t < PAT_TERM_COUNT; t++) /* sums in another order are rounded differently */
            as_far[t] += drawn.terms[t] >= d->terms[t] - 1e-9;
    }
    for (size_t t = 0; t < PAT_TERM_COUNT; t++)
        least = as_far[t] < least ? as_far[t] : least;
    const double p_value = (double)(PAT_TERM_COUNT * (least + 1)) / (PAT_RESAMPLES + 1);
    return p_value < 1 ? p_value : 1;
}

static void pat_compare_resample(struct pat_pool *p, uint64_t seed, struct pat_comparison *c)
{
    uint64_t random = seed;
    pat_compare_interval(p, &random, c);
    c->halves[0] = pat_compare_halves(p, 0, p->a_len, &random);
    c->halves[1] = pat_compare_halves(p, p->a_len, p->blocks_len, &random);
    c->null = c->halves[0] > c->halves[1] ? c->halves[0] : c->halves[1];
    c->p_value = pat_compare_permute(p, &c->distance, &random);
}

ls_err pat_blocks_compare(const struct pat_blocks *a, const struct pat_blocks *b, uint64_t seed,
                          struct pat_comparison *out)
{
    const struct pat_blocks *const sides[2] = {a, b};
    struct pat_comparison c = {.low = NAN,
                               .high = NAN,
                               .halves = {NAN, NAN},
                               .null = NAN,
                               .p_value = NAN,
                               .blocks = {a->len, b->len},
                               .block_len = a->block_len};
    struct pat_sketch sketches[2];
    struct pat_pool pool;
    pat_sketch_of(a, &sketches[0]);
    pat_sketch_of(b, &sketches[1]);
    c.distance = pat_sketch_distance(&sketches[0], &sketches[1]);
    if (a->len < PAT_BLOCKS_MIN || b->len < PAT_BLOCKS_MIN) {
        *out = c;
        return LS_OK;
    }
    const ls_err err = pat_pool_init(&pool, sides);
    if (err == LS_OK) {
        pat_compare_resample(&pool, seed, &c);
        *out = c;
    }
    pat_pool_fini(&pool);
    return err;
}
