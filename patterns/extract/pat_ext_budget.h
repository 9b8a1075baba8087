/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory that extraction may use: every part asks before it grows, and does with less when it is refused. */
#ifndef PAT_EXT_BUDGET_H
#define PAT_EXT_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct pat_ext_arena;

struct pat_ext_budget {
    uint64_t limit_bytes, used_bytes;
    struct pat_ext_arena *arena; /* where tables and sequences lie, NULL: malloc's memory */
};

/* Is there that much left? */
static inline bool pat_ext_fits(const struct pat_ext_budget *b, uint64_t len_bytes)
{
    return b->used_bytes <= b->limit_bytes && len_bytes <= b->limit_bytes - b->used_bytes;
}

/* False: there is not that much left; nothing is taken. */
static inline bool pat_ext_take(struct pat_ext_budget *b, uint64_t len_bytes)
{
    if (!pat_ext_fits(b, len_bytes)) return false;
    b->used_bytes += len_bytes;
    return true;
}

/* What is there anyhow, whether it fits or not. */
static inline void pat_ext_charge(struct pat_ext_budget *b, uint64_t len_bytes)
{
    b->used_bytes += len_bytes;
}

static inline void pat_ext_give(struct pat_ext_budget *b, uint64_t len_bytes)
{
    b->used_bytes -= len_bytes < b->used_bytes ? len_bytes : b->used_bytes;
}

#endif
