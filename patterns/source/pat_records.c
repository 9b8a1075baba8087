/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_records.h"

#include <stdlib.h>
#include <string.h>

enum { RECORDS_ROOM = 1 << 18 };

ls_err pat_records_init(struct pat_records *r, const char *path)
{
    memset(r, 0, sizeof(*r));
    LS_TRY(pat_input_open(path, &r->input));
    r->at = r->buffer = malloc(RECORDS_ROOM);
    return r->buffer ? LS_OK : ls_nomem("reading %s", path);
}

void pat_records_fini(struct pat_records *r)
{
    pat_input_free(r->input);
    free(r->buffer);
    memset(r, 0, sizeof(*r));
}

ls_err pat_records_fill(struct pat_records *r, size_t len_bytes, bool *is_end)
{
    size_t got = 1;
    if (r->left) memmove(r->buffer, r->at, r->left);
    r->at = r->buffer;
    while (r->left < len_bytes && got > 0) {
        LS_TRY(pat_input_read(r->input, r->buffer + r->left, RECORDS_ROOM - r->left, &got));
        r->left += got;
    }
    *is_end = r->left == 0;
    if (r->left == 0 || r->left >= len_bytes) return LS_OK;
    return ls_fail(LS_ERR_TRUNCATED, "%s ends at byte %llu, inside a record of %zu bytes",
                   pat_input_name(r->input), (unsigned long long)(r->at_bytes + r->left), len_bytes);
}
