/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps keys of 128 bits to rows: sites, threads, homes of foreign traces. */
#ifndef PAT_INTERN_H
#define PAT_INTERN_H

#include "common/ls_error.h"
#include "patterns/pat_access.h"

struct pat_intern_slot {
    uint64_t first, second;
    uint32_t row; /* PAT_NONE: new, to be set by the caller of pat_intern */
    uint32_t is_used;
};

/* All zero: empty. */
struct pat_intern {
    struct pat_intern_slot *slots;
    size_t mask, len; /* mask: slots - 1, 0: none */
};

static inline size_t pat_intern_hash(uint64_t first, uint64_t second)
{
    uint64_t h = (first ^ (second * UINT64_C(0xff51afd7ed558ccd))) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(h ^ (h >> 29));
}

/* The slow part of pat_intern: the key is new. */
ls_err pat_intern_add(struct pat_intern *in, uint64_t first, uint64_t second, uint32_t **out_row);

/* Find a key, or add it; *out_row points to its row until the next call.
 * Errors: LS_ERR_NOMEM. */
static inline ls_err pat_intern(struct pat_intern *in, uint64_t first, uint64_t second, uint32_t **out_row)
{
    if (in->mask)
        for (size_t i = pat_intern_hash(first, second) & in->mask; in->slots[i].is_used;
             i = (i + 1) & in->mask)
            if (in->slots[i].first == first && in->slots[i].second == second) {
                *out_row = &in->slots[i].row;
                return LS_OK;
            }
    return pat_intern_add(in, first, second, out_row);
}

void pat_intern_fini(struct pat_intern *in);

#endif
