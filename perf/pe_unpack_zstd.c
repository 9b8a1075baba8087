/* SPDX-License-Identifier: BSD-3-Clause */
/* Unpack records that perf record -z compressed. */
#include "common/ls_vector.h"
#include "perf/pe_file.h"

#include <stdlib.h>
#include <zstd.h>

enum { UNPACK_STEP_BYTES = 1 << 16 };

struct pe_unpack {
    ZSTD_DStream *stream;
};

static void unpack_free(pe_unpack *u)
{
    if (!u) return;
    ZSTD_freeDStream(u->stream);
    free(u);
}

static ls_err unpack_new(pe_unpack **out)
{
    pe_unpack *u = calloc(1, sizeof(*u));
    if (u) u->stream = ZSTD_createDStream();
    if (!u || !u->stream) {
        unpack_free(u);
        return ls_nomem("unpacking compressed records");
    }
    *out = u;
    return LS_OK;
}

static ls_err unpack_more(pe_unpack *u, const void *bytes, size_t len_bytes, struct pe_unpacked *out)
{
    ZSTD_inBuffer in = {bytes, len_bytes, 0};
    for (bool is_full = true; in.pos < in.size || is_full;) {
        LS_TRY(LS_GROW(out->bytes, out->room_bytes, out->len_bytes + UNPACK_STEP_BYTES));
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

const struct pe_unpacking pe_unpacking_zstd = {.open = unpack_new, .more = unpack_more, .close = unpack_free};
