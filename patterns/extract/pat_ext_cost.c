/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_cost.h"
#include "smrtree/smr_array.h"

#include <stdlib.h>

#define COST_TIME (~PAT_EXT_COST_TAG)
enum { COST_BUCKETS_MIN = 1 << 10, COST_BUCKETS_MAX = 1 << 16, COST_BUDGET_SHARE = 256 };

/* Round figures of today's server processors: 32 KiB, 1 MiB and 32 MiB of lines of 64 bytes; cycles beyond
 * those of the first level. */
static const struct {
    uint64_t lines;
    uint32_t wait_cycles;
} cost_levels[PAT_EXT_LEVELS] = {{512, 0}, {16384, 10}, {524288, 40}, {UINT64_MAX, 250}};

/* Fetched ahead: bandwidth remains. A store retires before its line is there: what is left is pressure on the
 * store buffer. */
enum { COST_AHEAD_DIVISOR = 8, COST_STORE_DIVISOR = 4 };

ls_err pat_ext_cost_init(struct pat_ext_cost *c, struct pat_ext_budget *b)
{
    const size_t bucket_bytes = PAT_EXT_COST_WAYS * sizeof(uint64_t);
    uint64_t buckets = COST_BUCKETS_MIN;
    while (buckets < COST_BUCKETS_MAX && 2 * buckets * bucket_bytes <= b->limit_bytes / COST_BUDGET_SHARE)
        buckets *= 2;
    c->entries = smr_array_alloc(buckets * bucket_bytes);
    if (!c->entries) return ls_fail(LS_ERR_NOMEM, "no memory for the cost of accesses");
    for (uint64_t i = 0; i < buckets * PAT_EXT_COST_WAYS; i++)
        c->entries[i] = 0;
    c->mask = buckets - 1;
    pat_ext_charge(b, buckets * bucket_bytes);
    return LS_OK;
}

void pat_ext_cost_fini(struct pat_ext_cost *c)
{
    free(c->entries);
    *c = (struct pat_ext_cost){0};
}

static enum pat_ext_level cost_level(uint64_t lines_since)
{
    enum pat_ext_level level = PAT_EXT_L1;
    while (lines_since > cost_levels[level].lines)
        level++;
    return level;
}

/* The one that was not used for longest. */
static int cost_victim(const uint64_t *bucket)
{
    int victim = 0;
    for (int i = 1; i < PAT_EXT_COST_WAYS; i++)
        if ((bucket[i] & COST_TIME) < (bucket[victim] & COST_TIME)) victim = i;
    return victim;
}

enum pat_ext_level pat_ext_cost_turn(struct pat_ext_cost_place place, uint64_t now)
{
    uint64_t *bucket = place.bucket;
    const uint64_t entry = place.tag | (now & COST_TIME);
    unsigned same = 0;
    for (unsigned i = 0; i < PAT_EXT_COST_WAYS; i++) /* which one it is nothing could foresee */
        same |= (unsigned)((bucket[i] & PAT_EXT_COST_TAG) == place.tag) << i;
    if (!same) {
        bucket[cost_victim(bucket)] = entry;
        return PAT_EXT_MEMORY;
    }
    const int at = __builtin_ctz(same);
    const uint64_t before = bucket[at] & COST_TIME;
    bucket[at] = entry;
    return cost_level((now - before) & COST_TIME);
}

uint32_t pat_ext_cost_parts(enum pat_ext_level level, bool is_ahead, bool is_store)
{
    const uint32_t parts = cost_levels[level].wait_cycles * PAT_EXT_COST_PARTS;
    return parts / (is_ahead ? COST_AHEAD_DIVISOR : 1) / (is_store ? COST_STORE_DIVISOR : 1);
}
