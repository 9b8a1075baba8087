/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/pat_ext_distinct.h"

#include <stdlib.h>

/* Once it is a sample, fewer do: 8192 give a standard error of 1.1 %. */
enum { DISTINCT_FIRST_LOG2 = 3, DISTINCT_SAMPLE_LOG2 = 14, DISTINCT_HALVINGS_MAX = 63 };

static uint64_t distinct_bytes(uint8_t log2_cap)
{
    return log2_cap ? sizeof(uint64_t) << log2_cap : 0;
}

static bool distinct_keeps(const struct pat_ext_distinct *d, uint64_t hash)
{
    return !d->halvings || hash >> (64 - d->halvings) == 0;
}

static uint64_t *distinct_find(const struct pat_ext_distinct *d, uint64_t hash)
{
    const uint64_t mask = ((uint64_t)1 << d->log2_cap) - 1;
    uint64_t i = hash & mask;
    while (d->slots[i] && d->slots[i] != hash)
        i = (i + 1) & mask;
    return &d->slots[i];
}

/* What is still kept moves to a table of another size. False without memory. */
static bool distinct_rebuild(struct pat_ext_distinct *d, struct pat_ext_budget *b, uint8_t log2_cap)
{
    struct pat_ext_distinct fresh = *d;
    fresh.slots = calloc((size_t)1 << log2_cap, sizeof(*fresh.slots));
    if (!fresh.slots) return false;
    fresh.log2_cap = log2_cap;
    fresh.len = 0;
    for (size_t i = 0; d->slots && i < (size_t)1 << d->log2_cap; i++)
        if (d->slots[i] && distinct_keeps(d, d->slots[i])) {
            *distinct_find(&fresh, d->slots[i]) = d->slots[i];
            fresh.len++;
        }
    pat_ext_charge(b, distinct_bytes(log2_cap));
    pat_ext_give(b, distinct_bytes(d->log2_cap));
    free(d->slots);
    *d = fresh;
    return true;
}

static uint32_t distinct_kept(const struct pat_ext_distinct *d)
{
    uint32_t kept = 0;
    for (size_t i = 0; i < (size_t)1 << d->log2_cap; i++)
        kept += d->slots[i] && distinct_keeps(d, d->slots[i]);
    return kept;
}

static void distinct_halve(struct pat_ext_distinct *d, struct pat_ext_budget *b)
{
    const uint8_t log2_cap = d->log2_cap < DISTINCT_SAMPLE_LOG2 ? d->log2_cap : DISTINCT_SAMPLE_LOG2;
    while (distinct_kept(d) > (1u << log2_cap) / 2 - 1 && d->halvings < DISTINCT_HALVINGS_MAX)
        d->halvings++;
    if (distinct_rebuild(d, b, log2_cap)) return;
    free(d->slots); /* not even that much memory */
    pat_ext_give(b, distinct_bytes(d->log2_cap));
    *d = (struct pat_ext_distinct){.halvings = DISTINCT_HALVINGS_MAX};
}

static bool distinct_make_room(struct pat_ext_distinct *d, struct pat_ext_budget *b)
{
    const uint32_t cap = d->log2_cap ? 1u << d->log2_cap : 0;
    if (d->len < cap / 2) return true;
    if (!d->halvings && d->len < PAT_EXT_DISTINCT_MAX) {
        const uint8_t log2_cap = d->log2_cap ? d->log2_cap + 1 : DISTINCT_FIRST_LOG2;
        const uint64_t more_bytes = distinct_bytes(log2_cap) - distinct_bytes(d->log2_cap);
        if (pat_ext_take(b, more_bytes)) {
            pat_ext_give(b, more_bytes); /* rebuild charges it */
            if (distinct_rebuild(d, b, log2_cap)) return true;
        }
    }
    if (!d->log2_cap) return false;
    distinct_halve(d, b);
    return d->log2_cap != 0;
}

void pat_ext_distinct_insert(struct pat_ext_distinct *d, struct pat_ext_budget *b, uint64_t hash)
{
    if (!distinct_keeps(d, hash)) return;
    if (d->log2_cap && *distinct_find(d, hash)) return;
    if (!distinct_make_room(d, b) || !distinct_keeps(d, hash)) return;
    *distinct_find(d, hash) = hash;
    d->len++;
}

void pat_ext_distinct_join(struct pat_ext_distinct *to, const struct pat_ext_distinct *from,
                           struct pat_ext_budget *b)
{
    if (from->halvings > to->halvings) {
        to->halvings = from->halvings;
        if (to->log2_cap && !distinct_rebuild(to, b, to->log2_cap)) return;
    }
    for (size_t i = 0; from->slots && i < (size_t)1 << from->log2_cap; i++)
        if (from->slots[i]) pat_ext_distinct_add(to, b, from->slots[i]);
}

uint64_t pat_ext_distinct_count(const struct pat_ext_distinct *d)
{
    return (uint64_t)d->len << d->halvings;
}

void pat_ext_distinct_fini(struct pat_ext_distinct *d, struct pat_ext_budget *b)
{
    pat_ext_give(b, distinct_bytes(d->log2_cap));
    free(d->slots);
    *d = (struct pat_ext_distinct){0};
}
