/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_intern.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_FIRST = 256 };

static struct pat_intern_slot *free_slot(const struct pat_intern *in, uint64_t first, uint64_t second)
{
    size_t i = pat_intern_hash(first, second) & in->mask;
    while (in->slots[i].is_used)
        i = (i + 1) & in->mask;
    return &in->slots[i];
}

static ls_err grow(struct pat_intern *in)
{
    const size_t room = in->mask ? 2 * (in->mask + 1) : SLOTS_FIRST;
    struct pat_intern wider = {.slots = calloc(room, sizeof(*in->slots)), .mask = room - 1, .len = in->len};
    if (!wider.slots) return ls_nomem("%zu instructions of a trace", in->len);
    for (size_t i = 0; in->mask && i <= in->mask; i++)
        if (in->slots[i].is_used) *free_slot(&wider, in->slots[i].first, in->slots[i].second) = in->slots[i];
    free(in->slots);
    *in = wider;
    return LS_OK;
}

ls_err pat_intern_add(struct pat_intern *in, uint64_t first, uint64_t second, uint32_t **out_row)
{
    if (2 * in->len >= in->mask) LS_TRY(grow(in));
    struct pat_intern_slot *slot = free_slot(in, first, second);
    *slot = (struct pat_intern_slot){.first = first, .second = second, .row = PAT_NONE, .is_used = 1};
    in->len++;
    *out_row = &slot->row;
    return LS_OK;
}

void pat_intern_fini(struct pat_intern *in)
{
    free(in->slots);
    memset(in, 0, sizeof(*in));
}
