/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_measure_last.h"

#include <stdlib.h>

/* A row of the map takes four words at least. */
enum { PAT_LAST_SPARSE = 8, PAT_LAST_LEAST = 4096, PAT_LAST_MOST = 1 << 24 };

void pat_last_init(struct pat_last *l, uint64_t low, uint64_t high, size_t touches)
{
    *l = (struct pat_last){.first = low};
    if (high < low || high - low >= PAT_LAST_MOST) return;
    if (high - low >= PAT_LAST_LEAST && (high - low) / PAT_LAST_SPARSE >= touches) return;
    l->len = (size_t)(high - low + 1);
    l->table = calloc(l->len, sizeof(*l->table));
}

void pat_last_fini(struct pat_last *l)
{
    free(l->table);
    pat_map_fini(&l->map);
    *l = (struct pat_last){0};
}
