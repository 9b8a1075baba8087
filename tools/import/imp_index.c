/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/import/imp_index.h"

#include "common/ls_random.h"

#include <stdlib.h>

enum { ROOM_FIRST = 1024 };

uint64_t imp_index_hash(uint64_t first, uint64_t second)
{
    return ls_random_mix(ls_random_mix(first + LS_RANDOM_STEP) + second);
}

static void place(struct imp_index *x, uint64_t hash, uint32_t row)
{
    size_t at = hash & (x->room - 1);
    while (x->slots[at].row != UINT32_MAX)
        at = (at + 1) & (x->room - 1);
    x->slots[at] = (struct imp_index_slot){hash, row};
    x->len++;
}

/* Half of the slots stay free. */
static ls_err grow(struct imp_index *x)
{
    struct imp_index bigger = {.room = x->room ? 2 * x->room : ROOM_FIRST};
    bigger.slots = malloc(bigger.room * sizeof(*bigger.slots));
    if (!bigger.slots) return ls_fail(LS_ERR_NOMEM, "no memory for an index of %zu rows", bigger.room);
    for (size_t i = 0; i < bigger.room; i++)
        bigger.slots[i].row = UINT32_MAX;
    for (size_t i = 0; i < x->room; i++)
        if (x->slots[i].row != UINT32_MAX) place(&bigger, x->slots[i].hash, x->slots[i].row);
    free(x->slots);
    *x = bigger;
    return LS_OK;
}

ls_err imp_index_put(struct imp_index *x, uint64_t hash, uint32_t row)
{
    if (2 * x->len >= x->room) LS_TRY(grow(x));
    place(x, hash, row);
    return LS_OK;
}

bool imp_index_next(const struct imp_index *x, uint64_t hash, size_t *step, uint32_t *row)
{
    for (; *step < x->room; ++*step) {
        const struct imp_index_slot *slot = &x->slots[(hash + *step) & (x->room - 1)];
        if (slot->row == UINT32_MAX) return false;
        if (slot->hash != hash) continue;
        *row = slot->row;
        ++*step;
        return true;
    }
    return false;
}

void imp_index_fini(struct imp_index *x)
{
    free(x->slots);
    *x = (struct imp_index){.slots = NULL};
}
