/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/ls_index.h"

#include "common/ls_random.h"

#include <stdlib.h>

enum { FIRST_ROOM = 64 };

uint64_t ls_index_key(uint64_t first, uint64_t second)
{
    return ls_random_mix(first + LS_RANDOM_STEP) + second;
}

/* Open addressing with linear probing; keys need not be well distributed. */
static size_t slot_of(const struct ls_index *x, uint64_t key, size_t step)
{
    return (size_t)(ls_random_mix(key) + step) & (x->room - 1);
}

static void place(struct ls_index *x, uint64_t key, uint32_t row)
{
    size_t step = 0;
    while (x->slots[slot_of(x, key, step)].row != LS_INDEX_NONE)
        step++;
    x->slots[slot_of(x, key, step)] = (struct ls_index_slot){key, row};
    x->len++;
}

static ls_err grow(struct ls_index *x)
{
    struct ls_index bigger = {.room = x->room ? 2 * x->room : FIRST_ROOM};
    bigger.slots = malloc(bigger.room * sizeof(*bigger.slots));
    if (!bigger.slots) return ls_nomem("an index of %zu rows", bigger.room);
    for (size_t i = 0; i < bigger.room; i++)
        bigger.slots[i].row = LS_INDEX_NONE;
    for (size_t i = 0; i < x->room; i++)
        if (x->slots[i].row != LS_INDEX_NONE) place(&bigger, x->slots[i].key, x->slots[i].row);
    free(x->slots);
    *x = bigger;
    return LS_OK;
}

ls_err ls_index_put(struct ls_index *x, uint64_t key, uint32_t row)
{
    if (2 * x->len >= x->room) LS_TRY(grow(x)); /* half of the slots stay free */
    place(x, key, row);
    return LS_OK;
}

bool ls_index_next(const struct ls_index *x, uint64_t key, size_t *step, uint32_t *row)
{
    while (*step < x->room) {
        const struct ls_index_slot *slot = &x->slots[slot_of(x, key, (*step)++)];
        if (slot->row == LS_INDEX_NONE) return false;
        if (slot->key != key) continue;
        *row = slot->row;
        return true;
    }
    return false;
}

uint32_t ls_index_find(const struct ls_index *x, uint64_t key)
{
    size_t step = 0;
    uint32_t row;
    return ls_index_next(x, key, &step, &row) ? row : LS_INDEX_NONE;
}

void ls_index_fini(struct ls_index *x)
{
    free(x->slots);
    *x = (struct ls_index){.slots = NULL};
}
