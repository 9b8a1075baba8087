/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/ls_vector.h"

#include "common/ls_checked.h"

#include <stdlib.h>

enum { FIRST_ROOM = 16 };

ls_err ls_grow(void **rows, size_t *room, size_t wanted, size_t row_bytes)
{
    if (wanted <= *room) return LS_OK;
    const size_t doubled = *room ? 2 * *room : FIRST_ROOM, grown_room = wanted > doubled ? wanted : doubled;
    size_t bytes;
    void *grown = ls_mul_size(grown_room, row_bytes, &bytes) ? realloc(*rows, bytes) : NULL;
    if (!grown) return ls_nomem("%zu rows of %zu bytes", grown_room, row_bytes);
    *rows = grown;
    *room = grown_room;
    return LS_OK;
}
