/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/prof_vector.h"

#include "common/ls_checked.h"

#include <stdlib.h>

ls_err prof_vector_room(void **rows, size_t *room, size_t len, size_t row_bytes)
{
    if (len < *room) return LS_OK;
    const size_t wanted = *room ? 2 * *room : 16;
    size_t bytes;
    void *grown = ls_mul_size(wanted, row_bytes, &bytes) ? realloc(*rows, bytes) : NULL;
    if (!grown) return ls_fail(LS_ERR_NOMEM, "out of memory for %zu rows of %zu bytes", wanted, row_bytes);
    *rows = grown;
    *room = wanted;
    return LS_OK;
}
