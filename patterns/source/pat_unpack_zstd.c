/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_unpack.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct zstd {
    ZSTD_DStream *stream;
    bool is_between; /* frames */
};

static bool zstd_recognise(const uint8_t *bytes, size_t len)
{
    return len >= 4 && memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0;
}

static ls_err zstd_open(void **out)
{
    struct zstd *z = calloc(1, sizeof(*z));
    if (z) z->stream = ZSTD_createDStream();
    if (!z || !z->stream) {
        free(z);
        return ls_nomem("unpacking zstd data");
    }
    *out = z;
    return LS_OK;
}

static ls_err zstd_step(void *self, struct pat_flow *f)
{
    struct zstd *z = self;
    while (f->in_len || !z->is_between) {
        ZSTD_inBuffer in = {f->in, f->in_len, 0};
        ZSTD_outBuffer out = {f->out, f->out_len, 0};
        const size_t code = ZSTD_decompressStream(z->stream, &out, &in);
        f->in += in.pos;
        f->in_len -= in.pos;
        f->out += out.pos;
        f->out_len -= out.pos;
        if (ZSTD_isError(code))
            return ls_fail(LS_ERR_FORMAT, "damaged zstd data (%s)", ZSTD_getErrorName(code));
        z->is_between = code == 0;
        if (f->in_len == 0 || f->out_len == 0) break;
    }
    f->may_end = z->is_between;
    return LS_OK;
}

static void zstd_close(void *self)
{
    struct zstd *z = self;
    ZSTD_freeDStream(z->stream);
    free(z);
}

const struct pat_unpacker pat_unpacker_zstd = {
    .name = "zstd", .recognise = zstd_recognise, .open = zstd_open, .step = zstd_step, .close = zstd_close};
