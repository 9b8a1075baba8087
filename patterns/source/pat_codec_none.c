/* SPDX-License-Identifier: BSD-3-Clause */
/* Built without libzstd: traces are packed by zlib. */
#include "patterns/source/pat_codec.h"

const enum pat_codec_id pat_codec_best = PAT_CODEC_ZLIB;

ls_err pat_zstd_new(int level, pat_zstd **out)
{
    (void)level;
    *out = NULL;
    return LS_OK;
}

void pat_zstd_free(pat_zstd *z)
{
    (void)z;
}

size_t pat_zstd_bound(size_t len_bytes)
{
    return len_bytes;
}

static ls_err lacking(void)
{
    return ls_fail(LS_ERR_UNSUPPORTED,
                   "packed by zstd, which this build lacks: install libzstd-dev and configure again");
}

ls_err pat_zstd_pack(pat_zstd *z, const void *in, size_t len_bytes, struct pat_packed *out)
{
    (void)z, (void)in, (void)len_bytes, (void)out;
    return lacking();
}

ls_err pat_zstd_unpack(pat_zstd *z, const struct pat_packed *in, uint8_t *out, size_t len_bytes)
{
    (void)z, (void)in, (void)out, (void)len_bytes;
    return lacking();
}
