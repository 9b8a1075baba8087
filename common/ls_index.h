/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a table by a 64-bit key, as a hash table of row numbers. Where the key is the hash of something
 * longer, several rows may have one key, and the caller compares:
 *
 *     uint32_t row;
 *     for (size_t step = 0; ls_index_next(&by_name, key, &step, &row);)
 *         if (strcmp(names.rows[row], name) == 0) return row;
 *
 * Thread: one at a time for one object.  Signal: not safe. */
#ifndef LS_INDEX_H
#define LS_INDEX_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LS_INDEX_NONE UINT32_MAX

struct ls_index_slot {
    uint64_t key;
    uint32_t row; /* LS_INDEX_NONE: free */
};

/* All zero is empty. */
struct ls_index {
    struct ls_index_slot *slots;
    size_t len, room; /* room: a power of two, or 0 */
};

/* Combine two words into a key. */
uint64_t ls_index_key(uint64_t first, uint64_t second);

/* Add a row. Errors: LS_ERR_NOMEM; then x is unchanged. */
ls_err ls_index_put(struct ls_index *x, uint64_t key, uint32_t row);

/* Find the next row with this key, in no particular order; *step is 0 before the first one. False when there
 * are no more. */
bool ls_index_next(const struct ls_index *x, uint64_t key, size_t *step, uint32_t *row);

/* A row with this key, LS_INDEX_NONE when there is none. */
uint32_t ls_index_find(const struct ls_index *x, uint64_t key);

/* Free the memory; x is empty again. */
void ls_index_fini(struct ls_index *x);

#endif
