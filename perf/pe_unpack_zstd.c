/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_file.h"

#include <stdlib.h>
#include <zstd.h>

enum { UNPACK_STEP_BYTES = 1 << 16 };
#define UNPACK_MAX_BYTES (SIZE_MAX / 4) /* more is damage */

struct pe_unpack {
    ZSTD_DStream *stream;
};

ls_err pe_unpack_new(pe_unpack **out)
{
    pe_unpack *u = calloc(1, sizeof(*u));
    if (u) u->stream = ZSTD_createDStream();
    if (!u || !u->stream) {
        pe_unpack_free(u);
        return ls_fail(LS_ERR_NOMEM, "no memory to unpack compressed records");
    }
    *out = u;
    return LS_OK;
}

void pe_unpack_free(pe_unpack *u)
{
    if (!u) return;
    ZSTD_freeDStream(u->stream);
    free(u);
}

static ls_err unpack_room(struct pe_unpacked *out)
{
    if (out->room_bytes - out->len_bytes >= UNPACK_STEP_BYTES) return LS_OK;
    const size_t room = out->room_bytes ? 2 * out->room_bytes : 4 * (size_t)UNPACK_STEP_BYTES;
    uint8_t *grown = room < UNPACK_MAX_BYTES ? realloc(out->bytes, room) : NULL;
    if (!grown) return ls_fail(LS_ERR_NOMEM, "no memory for %zu bytes of unpacked records", room);
    out->bytes = grown;
    out->room_bytes = room;
    return LS_OK;
}

ls_err pe_unpack_more(pe_unpack *u, const void *bytes, size_t len_bytes, struct pe_unpacked *out)
{
    ZSTD_inBuffer in = {bytes, len_bytes, 0};
    for (bool is_full = true; in.pos < in.size || is_full;) {
        LS_TRY(unpack_room(out));
        ZSTD_outBuffer to = {out->bytes, out->room_bytes, out->len_bytes};
        const size_t status = ZSTD_decompressStream(u->stream, &to, &in);
        if (ZSTD_isError(status))
            return ls_fail(LS_ERR_FORMAT, "compressed records are damaged: %s", ZSTD_getErrorName(status));
        is_full = to.pos == to.size;
        if (to.pos == out->len_bytes && in.pos == in.size) break;
        out->len_bytes = to.pos;
    }
    return LS_OK;
}
