/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a table by a hash of their keys: several rows may have one hash, the caller compares. */
#ifndef IMP_INDEX_H
#define IMP_INDEX_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct imp_index_slot {
    uint64_t hash;
    uint32_t row; /* UINT32_MAX: free */
};

/* All zero is an empty one. */
struct imp_index {
    struct imp_index_slot *slots;
    size_t len, room; /* room: a power of two, or 0 */
};

/* Mix two words. */
uint64_t imp_index_hash(uint64_t first, uint64_t second);
/* Errors: LS_ERR_NOMEM. */
ls_err imp_index_put(struct imp_index *x, uint64_t hash, uint32_t row);
/* The next row with this hash; *step is 0 before the first one. False when there are no more. */
bool imp_index_next(const struct imp_index *x, uint64_t hash, size_t *step, uint32_t *row);
void imp_index_fini(struct imp_index *x);

#endif
