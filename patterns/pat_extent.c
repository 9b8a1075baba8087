/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/pat_extent.h"
#include "common/ls_checked.h"

typedef __int128 pat_wide; /* an element of any configuration, before it is known to fit 64 bits */

struct pat_reach {
    pat_wide low, high;
};

static struct pat_reach pat_reach_of_indices(const struct pat_indices *p)
{
    struct pat_reach r = {p->data[0], p->data[0]};
    for (size_t i = 1; i < p->len; i++) {
        if (p->data[i] < r.low) r.low = p->data[i];
        if (p->data[i] > r.high) r.high = p->data[i];
    }
    return r;
}

/* Use only the indices that the outer level selects. */
static ls_err pat_reach_of_levels(const struct pat_config *c, const struct pat_indices *outer,
                                  struct pat_reach *out)
{
    for (size_t j = 0; j < outer->len; j++) {
        const int64_t at = outer->data[j];
        if (at < 0 || (uint64_t)at >= c->pattern.len)
            return ls_fail(
                LS_ERR_RANGE,
                "index %zu of the outer pattern is %lld, but the inner pattern has %zu indices (0 to %zu)", j,
                (long long)at, c->pattern.len, c->pattern.len - 1);
        const int64_t index = c->pattern.data[at];
        if (j == 0 || index < out->low) out->low = index;
        if (j == 0 || index > out->high) out->high = index;
    }
    return LS_OK;
}

static struct pat_reach pat_reach_of_bases(int64_t delta, const struct pat_indices *deltas, uint64_t count)
{
    struct pat_reach r = {0, 0};
    const pat_wide last = (pat_wide)delta * (count - 1);
    if (deltas->len == 0) return last < 0 ? (struct pat_reach){last, 0} : (struct pat_reach){0, last};
    /* a list: the extremes lie in the first or in the last full or partial turn */
    pat_wide sum = 0, prefix = 0;
    for (size_t i = 0; i < deltas->len; i++)
        sum += deltas->data[i];
    for (uint64_t i = 0; i < deltas->len && i < count; i++) {
        const pat_wide turns = (count - 1 - i) / deltas->len;
        const pat_wide ends[] = {prefix, prefix + turns * sum};
        for (int e = 0; e < 2; e++) {
            if (ends[e] < r.low) r.low = ends[e];
            if (ends[e] > r.high) r.high = ends[e];
        }
        prefix += deltas->data[i];
    }
    return r;
}

struct pat_side_view {
    const struct pat_indices *indices, *deltas;
    int64_t delta;
};

static struct pat_side_view pat_view(const struct pat_config *c, enum pat_side side)
{
    if (c->kernel != PAT_GS) return (struct pat_side_view){&c->pattern, &c->deltas, c->delta};
    if (side == PAT_SIDE_GATHER)
        return (struct pat_side_view){&c->gather, &c->deltas_gather, c->delta_gather};
    return (struct pat_side_view){&c->scatter, &c->deltas_scatter, c->delta_scatter};
}

static bool pat_fits(pat_wide element)
{
    return element >= INT64_MIN && element <= INT64_MAX;
}

/* Store r as an extent. Errors: LS_ERR_RANGE. */
static ls_err pat_reach_check(const struct pat_config *c, struct pat_reach r, struct pat_extent *out)
{
    if (!pat_fits(r.low) || !pat_fits(r.high) || r.high - r.low >= INT64_MAX)
        return ls_fail(LS_ERR_RANGE, "count %llu with this pattern and delta reaches beyond 64-bit elements",
                       (unsigned long long)c->count);
    *out = (struct pat_extent){(int64_t)r.low, (int64_t)r.high};
    return LS_OK;
}

ls_err pat_extent_of(const struct pat_config *c, enum pat_side side, struct pat_extent *out)
{
    const struct pat_side_view v = pat_view(c, side);
    if (v.indices->len == 0 || pat_config_len(c) == 0)
        return ls_fail(LS_ERR_RANGE, "%s has no indices", pat_kernel_name(c->kernel));
    if (c->count == 0) return ls_fail(LS_ERR_RANGE, "the count is 0; it is at least 1");
    struct pat_reach at = {0, 0};
    if (c->kernel == PAT_MULTIGATHER)
        LS_TRY(pat_reach_of_levels(c, &c->gather, &at));
    else if (c->kernel == PAT_MULTISCATTER)
        LS_TRY(pat_reach_of_levels(c, &c->scatter, &at));
    else
        at = pat_reach_of_indices(v.indices);
    const struct pat_reach base = pat_reach_of_bases(v.delta, v.deltas, c->count);
    at.low += base.low;
    at.high += base.high;
    return pat_reach_check(c, at, out);
}

ls_err pat_extent_apart(const struct pat_config *c, struct pat_extent *out)
{
    struct pat_config part = *c;
    struct pat_extent one;
    const struct pat_reach firsts = pat_reach_of_indices(&c->thread_firsts);
    part.count = c->count / c->thread_firsts.len;
    LS_TRY(pat_extent_of(&part, PAT_SIDE_GATHER, &one));
    return pat_reach_check(c, (struct pat_reach){one.low + firsts.low, one.high + firsts.high}, out);
}

uint64_t pat_extent_elements(const struct pat_extent *e)
{
    return (uint64_t)e->high - (uint64_t)e->low + 1;
}

ls_err pat_dense_elements(const struct pat_config *c, uint64_t *out)
{
    uint64_t n = 0;
    const bool has_dense = c->kernel != PAT_GS && c->operation == PAT_OPERATION_COPY;
    if (has_dense && !ls_mul_u64(pat_config_len(c), c->wrap, &n))
        return ls_fail(LS_ERR_RANGE, "wrap %llu with %zu indices does not fit 64 bits",
                       (unsigned long long)c->wrap, pat_config_len(c));
    *out = n;
    return LS_OK;
}

int64_t pat_base(int64_t delta, const struct pat_indices *deltas, uint64_t i)
{
    if (deltas->len == 0) return delta * (int64_t)i;
    int64_t sum = 0, prefix = 0;
    for (size_t k = 0; k < deltas->len; k++) {
        if (k == i % deltas->len) prefix = sum;
        sum += deltas->data[k];
    }
    return (int64_t)(i / deltas->len) * sum + prefix;
}
