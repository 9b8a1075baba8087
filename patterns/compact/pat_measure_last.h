/* SPDX-License-Identifier: BSD-3-Clause */
/* When each unit was touched last: a table where the units lie together, else a map. */
#ifndef PAT_MEASURE_LAST_H
#define PAT_MEASURE_LAST_H

#include "patterns/compact/pat_measure_map.h"

struct pat_last {
    uint64_t *table; /* of units [first, first + len); NULL: the map is used */
    uint64_t first;
    size_t len;
    struct pat_map map;
};

/* For units in [low, high], of which so many will be touched at most.
 * Owns:   the caller ends l with pat_last_fini.  Without memory for a table there is none. */
void pat_last_init(struct pat_last *l, uint64_t low, uint64_t high, size_t touches);
void pat_last_fini(struct pat_last *l);

/* The value of a unit in that range, 0 when it is new; it stays where it is until the next call.
 * Errors: LS_ERR_NOMEM. */
static inline ls_err pat_last_at(struct pat_last *l, uint64_t unit, uint64_t **out)
{
    if (!l->table) return pat_map_at(&l->map, unit, out);
    *out = &l->table[unit - l->first];
    return LS_OK;
}

/* The unit will be asked for soon. */
static inline void pat_last_prefetch(const struct pat_last *l, uint64_t unit)
{
    if (!l->table)
        pat_map_prefetch(&l->map, unit);
    else
        ls_prefetch(&l->table[unit - l->first]);
}

#endif
