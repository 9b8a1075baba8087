/* SPDX-License-Identifier: BSD-3-Clause */
/* A growing map from 64-bit keys to 64-bit values, for counts of distances, last times and masks of lines. */
#ifndef PAT_MEASURE_MAP_H
#define PAT_MEASURE_MAP_H

#include "common/ls_error.h"
#include "common/ls_compat.h"
#include "common/ls_random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pat_map_row {
    uint64_t mixed; /* ls_random_mix of the key, which has an inverse; 0: unused, but for the last row */
    uint64_t value;
};

/* Zeroed is empty. */
struct pat_map {
    struct pat_map_row *rows; /* room of them, unused ones between; one more for the key that is mixed to 0 */
    size_t len, room;
    bool has_zero; /* that one */
};

/* The value of key, 0 when it is new; it stays where it is until the next call.
 * Owns:   m; the caller ends it with pat_map_fini.
 * Errors: LS_ERR_NOMEM; m is unchanged. */
ls_err pat_map_at(struct pat_map *m, uint64_t key, uint64_t **out);

/* The row of key, NULL when there is none; its value may be changed. */
struct pat_map_row *pat_map_find(const struct pat_map *m, uint64_t key);

/* Return the first used row from *at on and set *at to the position after it; NULL: there is none. */
const struct pat_map_row *pat_map_next(const struct pat_map *m, size_t *at);
uint64_t pat_map_key(const struct pat_map_row *row);

/* Prefetch the row of a key that is needed soon. */
static inline void pat_map_prefetch(const struct pat_map *m, uint64_t key)
{
    if (m->room) ls_prefetch(&m->rows[ls_random_mix(key) & (m->room - 1)]);
}

/* Free the map; m is empty afterwards. */
void pat_map_fini(struct pat_map *m);

#endif
