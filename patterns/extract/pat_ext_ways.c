/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_ways.h"
#include "patterns/extract/pat_ext_arena.h"

#include <string.h>

enum { WAYS_SLOT_LOG2 = 4 };

_Static_assert(sizeof(struct pat_ext_way) == 1 << WAYS_SLOT_LOG2, "a slot");

struct pat_ext_way *pat_ext_ways_new(struct pat_ext_budget *b, uint8_t log2_cap)
{
    struct pat_ext_way *slots = pat_ext_arena_take(b->arena, (uint8_t)(log2_cap + WAYS_SLOT_LOG2));
    if (!slots) return NULL;
    memset(slots, 0, pat_ext_ways_bytes(log2_cap));
    pat_ext_charge(b, pat_ext_ways_bytes(log2_cap));
    return slots;
}

void pat_ext_ways_free(struct pat_ext_way *slots, struct pat_ext_budget *b, uint8_t log2_cap)
{
    if (!slots) return;
    pat_ext_give(b, pat_ext_ways_bytes(log2_cap));
    pat_ext_arena_give(b->arena, slots, (uint8_t)(log2_cap + WAYS_SLOT_LOG2));
}
