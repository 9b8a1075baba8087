/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_codec.h"

#include <stdlib.h>
#include <zstd.h>

enum { PAT_ZSTD_LEVEL = 1 }; /* fast enough to keep up with a tracer */

const enum pat_codec_id pat_codec_best = PAT_CODEC_ZSTD;

struct pat_zstd {
    ZSTD_CCtx *pack;
    ZSTD_DCtx *unpack;
    int level;
};

ls_err pat_zstd_new(int level, pat_zstd **out)
{
    pat_zstd *z = calloc(1, sizeof(*z));
    if (z) {
        z->level = level ? level : PAT_ZSTD_LEVEL;
        z->pack = ZSTD_createCCtx();
        z->unpack = ZSTD_createDCtx();
    }
    if (!z || !z->pack || !z->unpack) {
        pat_zstd_free(z);
        return ls_nomem("zstd");
    }
    *out = z;
    return LS_OK;
}

void pat_zstd_free(pat_zstd *z)
{
    if (!z) return;
    ZSTD_freeCCtx(z->pack);
    ZSTD_freeDCtx(z->unpack);
    free(z);
}

size_t pat_zstd_bound(size_t len_bytes)
{
    return ZSTD_compressBound(len_bytes);
}

ls_err pat_zstd_pack(pat_zstd *z, const void *in, size_t len_bytes, struct pat_packed *out)
{
    const size_t len = ZSTD_compressCCtx(z->pack, out->data, out->room_bytes, in, len_bytes, z->level);
    if (ZSTD_isError(len))
        return ls_fail(LS_ERR_NOMEM, "zstd cannot pack %zu bytes of a trace: %s", len_bytes,
                       ZSTD_getErrorName(len));
    out->len_bytes = len;
    out->id = PAT_CODEC_ZSTD;
    return LS_OK;
}

ls_err pat_zstd_unpack(pat_zstd *z, const struct pat_packed *in, uint8_t *out, size_t len_bytes)
{
    const size_t len = ZSTD_decompressDCtx(z->unpack, out, len_bytes, in->data, in->len_bytes);
    if (ZSTD_isError(len) || len != len_bytes)
        return ls_fail(LS_ERR_FORMAT, "damaged zstd data%s%s", ZSTD_isError(len) ? ": " : "",
                       ZSTD_isError(len) ? ZSTD_getErrorName(len) : "");
    return LS_OK;
}
