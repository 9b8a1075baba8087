/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that grow.
 *
 *     LS_VECTOR(struct point) points = {0};
 *     LS_TRY(LS_VECTOR_ADD(&points, (struct point){1, 2}));
 *     free(points.rows);
 *
 * Thread: the owner of the vector.  Signal: not safe. */
#ifndef LS_VECTOR_H
#define LS_VECTOR_H

#include "common/ls_error.h"

#include <stddef.h>

/* All zero is empty; free(v.rows) ends it. */
#define LS_VECTOR(row)    \
    struct {              \
        row *rows;        \
        size_t len, room; \
    }

/* Make room for one more row.  Errors: LS_ERR_NOMEM; then *v is unchanged. */
#define LS_VECTOR_ROOM(v) LS_GROW((v)->rows, (v)->room, (v)->len + 1)

/* Append a row.  Errors: as above. */
#define LS_VECTOR_ADD(v, ...) \
    (LS_VECTOR_ROOM(v) == LS_OK ? ((v)->rows[(v)->len++] = (__VA_ARGS__), LS_OK) : LS_ERR_NOMEM)

/* Make room for `wanted` elements in the array `rows`, which has room for `room` (a size_t).  Errors: as
 * above. */
#define LS_GROW(rows, room, wanted) \
    ls_grow((void **)(void *)&(rows), &(room), (size_t)(wanted), sizeof(*(rows)))

/* Implementation of LS_GROW: *room at least doubles when it grows, from 16 on. */
ls_err ls_grow(void **rows, size_t *room, size_t wanted, size_t row_bytes);

#endif
