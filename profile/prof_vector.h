/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that grow.
 *
 * Thread: the owner of the vector. */
#ifndef PROF_VECTOR_H
#define PROF_VECTOR_H

#include "common/ls_error.h"

#include <stddef.h>

/* A growing array of rows: PROF_VECTOR(struct prof_node) nodes; zeroed is empty; free(v.rows). */
#define PROF_VECTOR(row)  \
    struct {              \
        row *rows;        \
        size_t len, room; \
    }

/* Room for one more row.  Errors: LS_ERR_NOMEM. */
#define PROF_VECTOR_ROOM(v) \
    prof_vector_room((void **)(void *)&(v)->rows, &(v)->room, (v)->len, sizeof(*(v)->rows))
/* What PROF_VECTOR_ROOM calls: *rows has room for len + 1 rows of row_bytes. It doubles, from 16 on.
 * Owns:   *rows, which may move.  Errors: LS_ERR_NOMEM; then nothing has changed.
 * Thread: the owner of the vector. */
ls_err prof_vector_room(void **rows, size_t *room, size_t len, size_t row_bytes);

#endif
