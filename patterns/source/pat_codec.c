/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_codec.h"

#include <stdlib.h>
#include <zlib.h>

struct pat_codec {
    pat_zstd *zstd;
    int level;
};

ls_err pat_codec_new(int level, pat_codec **out)
{
    pat_codec *c = calloc(1, sizeof(*c));
    if (!c) return ls_nomem("packing a trace");
    c->level = level;
    const ls_err err = pat_zstd_new(level, &c->zstd);
    if (err != LS_OK) {
        free(c);
        return err;
    }
    *out = c;
    return LS_OK;
}

void pat_codec_free(pat_codec *c)
{
    if (!c) return;
    pat_zstd_free(c->zstd);
    free(c);
}

size_t pat_codec_bound(size_t len_bytes)
{
    const size_t z = compressBound(len_bytes), zstd = pat_zstd_bound(len_bytes);
    return z > zstd ? z : zstd;
}

static ls_err zlib_pack(const pat_codec *c, const void *in, size_t len_bytes, struct pat_packed *out)
{
    uLongf len = out->room_bytes;
    out->id = PAT_CODEC_ZLIB;
    if (compress2(out->data, &len, in, len_bytes, c->level ? c->level : 1) != Z_OK)
        return ls_fail(LS_ERR_NOMEM, "zlib cannot pack %zu bytes of a trace", len_bytes);
    out->len_bytes = len;
    return LS_OK;
}

static ls_err zlib_unpack(const struct pat_packed *in, uint8_t *out, size_t len_bytes)
{
    uLongf len = len_bytes;
    if (uncompress(out, &len, in->data, in->len_bytes) != Z_OK || len != len_bytes)
        return ls_fail(LS_ERR_FORMAT, "damaged zlib data");
    return LS_OK;
}

ls_err pat_codec_pack(pat_codec *c, const void *in, size_t len_bytes, struct pat_packed *out)
{
    if (pat_codec_best == PAT_CODEC_ZSTD) return pat_zstd_pack(c->zstd, in, len_bytes, out);
    return zlib_pack(c, in, len_bytes, out);
}

ls_err pat_codec_unpack(pat_codec *c, const struct pat_packed *in, uint8_t *out, size_t len_bytes)
{
    if (in->id == PAT_CODEC_ZLIB) return zlib_unpack(in, out, len_bytes);
    return pat_zstd_unpack(c->zstd, in, out, len_bytes);
}
