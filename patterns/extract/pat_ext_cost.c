/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_cost.h"
#include "smrtree/smr_array.h"

#include <stdlib.h>

enum { COST_BUCKETS_MIN = 1 << 10, COST_BUCKETS_MAX = 1 << 16, COST_BUDGET_SHARE = 256 };

ls_err pat_ext_cost_init(struct pat_ext_cost *c, struct pat_ext_budget *b)
{
    const size_t bucket_bytes = PAT_EXT_COST_WAYS * sizeof(uint64_t);
    uint64_t buckets = COST_BUCKETS_MIN;
    while (buckets < COST_BUCKETS_MAX && 2 * buckets * bucket_bytes <= b->limit_bytes / COST_BUDGET_SHARE)
        buckets *= 2;
    c->entries = smr_array_alloc(buckets * bucket_bytes);
    if (!c->entries) return ls_nomem("the cost of accesses");
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
