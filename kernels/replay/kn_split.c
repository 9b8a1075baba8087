/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/ls_checked.h"
#include "kernels/kn_ranks.h"
#include "kernels/replay/kn_replay.h"

#include <stdlib.h>
#include <string.h>

/* Return the part of len items that belongs to a rank. The sizes of parts differ by at most one. */
static uint64_t part_begin(uint64_t len, unsigned rank, unsigned ranks)
{
    return ls_muldiv_u64(len, rank, ranks);
}

/* Return the list of deltas from iteration `done` on. */
static ls_err turn(struct pat_indices *deltas, uint64_t done, int64_t **out)
{
    if (deltas->len == 0) return LS_OK;
    if (!(*out = malloc(deltas->len * sizeof(**out)))) return ls_nomem("%zu deltas", deltas->len);
    for (size_t i = 0; i < deltas->len; i++)
        (*out)[i] = deltas->data[(done + i) % deltas->len];
    deltas->data = *out;
    return LS_OK;
}

static ls_err split_count(struct kn_split *s, unsigned rank, unsigned ranks)
{
    struct pat_config *c = &s->config;
    const uint64_t begin = part_begin(c->count, rank, ranks), end = part_begin(c->count, rank + 1, ranks);
    if (c->count < ranks)
        return ls_fail(
            LS_ERR_RANGE,
            "%llu iterations cannot be split among %u ranks: raise the count, or start fewer ranks",
            (unsigned long long)c->count, ranks);
    c->count = end - begin;
    LS_TRY(turn(&c->deltas, begin, &s->turned[0]));
    LS_TRY(turn(&c->deltas_gather, begin, &s->turned[1]));
    return turn(&c->deltas_scatter, begin, &s->turned[2]);
}

/* Return the indices of the list that is walked; for multigather and multiscatter the outer one. */
static ls_err split_indices(struct pat_indices *p, unsigned rank, unsigned ranks)
{
    const uint64_t begin = part_begin(p->len, rank, ranks), end = part_begin(p->len, rank + 1, ranks);
    if (p->len < ranks)
        return ls_fail(LS_ERR_RANGE,
                       "a pattern of %zu indices cannot be split among %u ranks: start fewer ranks, or split "
                       "the count",
                       p->len, ranks);
    p->data += begin;
    p->len = end - begin;
    return LS_OK;
}

static ls_err split_pattern(struct pat_config *c, unsigned rank, unsigned ranks)
{
    const enum pat_kernel k = c->kernel;
    if (k == PAT_GATHER || k == PAT_SCATTER) LS_TRY(split_indices(&c->pattern, rank, ranks));
    if (k == PAT_GS || k == PAT_MULTIGATHER) LS_TRY(split_indices(&c->gather, rank, ranks));
    if (k == PAT_GS || k == PAT_MULTISCATTER) LS_TRY(split_indices(&c->scatter, rank, ranks));
    return LS_OK;
}

ls_err kn_split_init(struct kn_split *out, const struct pat_config *whole, enum kn_scaling scaling,
                     const struct kn_ranks_info *info)
{
    *out = (struct kn_split){.config = *whole};
    switch (scaling) {
    case KN_SCALING_COUNT:
        return split_count(out, info->rank, info->len);
    case KN_SCALING_PATTERN:
        return split_pattern(&out->config, info->rank, info->len);
    default:
        return LS_OK;
    }
}

void kn_split_fini(struct kn_split *s)
{
    for (size_t i = 0; i < sizeof(s->turned) / sizeof(s->turned[0]); i++) {
        free(s->turned[i]);
        s->turned[i] = NULL;
    }
}
