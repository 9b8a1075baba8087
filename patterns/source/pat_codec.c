/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_codec.h"
#include "config.h"

#include <stdlib.h>
#include <zlib.h>

/* NULL: this build lacks libzstd, and packs by zlib. */
#ifdef HAVE_ZSTD
static const struct pat_codec_row *const codec_zstd = &pat_codec_zstd;
const enum pat_codec_id pat_codec_best = PAT_CODEC_ZSTD;
#else
static const struct pat_codec_row *const codec_zstd;
const enum pat_codec_id pat_codec_best = PAT_CODEC_ZLIB;
#endif

struct pat_codec {
    void *zstd;
    int level;
};

ls_err pat_codec_new(int level, pat_codec **out)
{
    pat_codec *c = calloc(1, sizeof(*c));
    if (!c) return ls_nomem("packing a trace");
    c->level = level;
    const ls_err err = codec_zstd ? codec_zstd->open(level, &c->zstd) : LS_OK;
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
    if (codec_zstd) codec_zstd->close(c->zstd);
    free(c);
}

size_t pat_codec_bound(size_t len_bytes)
{
    return codec_zstd ? codec_zstd->bound(len_bytes) : compressBound(len_bytes);
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
    return codec_zstd ? codec_zstd->pack(c->zstd, in, len_bytes, out) : zlib_pack(c, in, len_bytes, out);
}

ls_err pat_codec_unpack(pat_codec *c, const struct pat_packed *in, uint8_t *out, size_t len_bytes)
{
    if (in->id == PAT_CODEC_ZLIB) return zlib_unpack(in, out, len_bytes);
    if (codec_zstd) return codec_zstd->unpack(c->zstd, in, out, len_bytes);
    return ls_fail(LS_ERR_UNSUPPORTED,
                   "packed by zstd, which this build lacks: install libzstd-dev and configure again");
}
