/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/trace/host/trc_lives.h"

#include <stdbool.h>
#include <stdlib.h>

enum { LIVES_SLOTS_FIRST = 64 };

static size_t lives_hash(const struct pat_range *r)
{
    uint64_t h = r->start * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ (h >> 29) ^ (r->end - r->start) ^ ((uint64_t)r->home << 32)) * UINT64_C(0xff51afd7ed558ccd);
    return (size_t)(h ^ (h >> 32));
}

static bool lives_same(const struct pat_range *a, const struct pat_range *b)
{
    return a->start == b->start && a->end == b->end && a->home == b->home;
}

static void lives_put(struct trc_lives *l, const struct pat_tables *t, struct trc_life life)
{
    size_t i = lives_hash(&t->ranges[life.row]) & l->mask;
    while (l->slots[i].row != PAT_NONE)
        i = (i + 1) & l->mask;
    l->slots[i] = life;
}

/* Half of the slots are free. */
static ls_err lives_grow(struct trc_lives *l, const struct pat_tables *t)
{
    const size_t before = l->mask ? l->mask + 1 : 0, slots = before ? 2 * before : LIVES_SLOTS_FIRST;
    struct trc_life *const old = l->slots, *const grown = malloc(slots * sizeof(*grown));
    if (!grown) return ls_nomem("%zu blocks that have died", l->len);
    for (size_t i = 0; i < slots; i++)
        grown[i].row = PAT_NONE;
    l->slots = grown;
    l->mask = slots - 1;
    for (size_t i = 0; i < before; i++)
        if (old[i].row != PAT_NONE) lives_put(l, t, old[i]);
    free(old);
    return LS_OK;
}

ls_err trc_lives_end(struct trc_lives *l, const struct pat_tables *t, uint32_t row)
{
    if (2 * (l->len + 1) > l->mask) LS_TRY(lives_grow(l, t));
    lives_put(l, t, (struct trc_life){.row = row, .died = l->deaths++});
    l->len++;
    return LS_OK;
}

/* Free a slot; entries that linear probing had put after it move up. */
static void lives_remove(struct trc_lives *l, const struct pat_tables *t, size_t hole)
{
    for (size_t i = (hole + 1) & l->mask; l->slots[i].row != PAT_NONE; i = (i + 1) & l->mask) {
        const size_t wanted = lives_hash(&t->ranges[l->slots[i].row]) & l->mask;
        if (((i - wanted) & l->mask) < ((i - hole) & l->mask)) continue;
        l->slots[hole] = l->slots[i];
        hole = i;
    }
    l->slots[hole].row = PAT_NONE;
    l->len--;
}

uint32_t trc_lives_again(struct trc_lives *l, const struct pat_tables *t, const struct pat_range *like)
{
    size_t found = 0, oldest = 0;
    if (l->mask == 0) return PAT_NONE;
    for (size_t i = lives_hash(like) & l->mask; l->slots[i].row != PAT_NONE; i = (i + 1) & l->mask) {
        if (!lives_same(&t->ranges[l->slots[i].row], like)) continue;
        if (found++ == 0 || l->deaths - l->slots[i].died > l->deaths - l->slots[oldest].died) oldest = i;
    }
    if (found < TRC_LIVES_APART) return PAT_NONE;
    const uint32_t row = l->slots[oldest].row;
    lives_remove(l, t, oldest);
    return row;
}

void trc_lives_fini(struct trc_lives *l)
{
    free(l->slots);
    *l = (struct trc_lives){0};
}
