/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_codec.h"

#include <stdlib.h>
#include <zstd.h>

enum { ZSTD_LEVEL = 1 }; /* fast enough to keep up with a tracer */

struct codec_zstd {
    ZSTD_CCtx *pack;
    ZSTD_DCtx *unpack;
    int level;
};

static void zstd_close(void *self)
{
    struct codec_zstd *z = self;
    if (!z) return;
    ZSTD_freeCCtx(z->pack);
    ZSTD_freeDCtx(z->unpack);
    free(z);
}

static ls_err zstd_open(int level, void **out)
{
    struct codec_zstd *z = calloc(1, sizeof(*z));
    if (z) {
        z->level = level ? level : ZSTD_LEVEL;
        z->pack = ZSTD_createCCtx();
        z->unpack = ZSTD_createDCtx();
    }
    if (!z || !z->pack || !z->unpack) {
        zstd_close(z);
        return ls_nomem("zstd");
    }
    *out = z;
    return LS_OK;
}

static size_t zstd_bound(size_t len_bytes)
{
    return ZSTD_compressBound(len_bytes);
}

static ls_err zstd_pack(void *self, const void *in, size_t len_bytes, struct pat_packed *out)
{
    const struct codec_zstd *z = self;
    const size_t len = ZSTD_compressCCtx(z->pack, out->data, out->room_bytes, in, len_bytes, z->level);
    if (ZSTD_isError(len))
        return ls_fail(LS_ERR_NOMEM, "zstd cannot pack %zu bytes of a trace: %s", len_bytes,
                       ZSTD_getErrorName(len));
    out->len_bytes = len;
    out->id = PAT_CODEC_ZSTD;
    return LS_OK;
}

static ls_err zstd_unpack(void *self, const struct pat_packed *in, uint8_t *out, size_t len_bytes)
{
    const struct codec_zstd *z = self;
    const size_t len = ZSTD_decompressDCtx(z->unpack, out, len_bytes, in->data, in->len_bytes);
    if (ZSTD_isError(len) || len != len_bytes)
        return ls_fail(LS_ERR_FORMAT, "damaged zstd data%s%s", ZSTD_isError(len) ? ": " : "",
                       ZSTD_isError(len) ? ZSTD_getErrorName(len) : "");
    return LS_OK;
}

const struct pat_codec_row pat_codec_zstd = {
    .open = zstd_open, .bound = zstd_bound, .pack = zstd_pack, .unpack = zstd_unpack, .close = zstd_close};
