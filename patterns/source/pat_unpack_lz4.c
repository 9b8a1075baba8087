/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_unpack.h"

#include <lz4frame.h>
#include <stdlib.h>
#include <string.h>

struct lz4 {
    LZ4F_dctx *context;
    bool is_between; /* frames */
};

static bool lz4_recognise(const uint8_t *bytes, size_t len)
{
    return len >= 4 && memcmp(bytes, "\x04\x22\x4d\x18", 4) == 0;
}

static ls_err lz4_open(void **out)
{
    struct lz4 *l = calloc(1, sizeof(*l));
    if (!l || LZ4F_isError(LZ4F_createDecompressionContext(&l->context, LZ4F_VERSION))) {
        free(l);
        return ls_nomem("unpacking lz4 data");
    }
    *out = l;
    return LS_OK;
}

static ls_err lz4_step(void *self, struct pat_flow *f)
{
    struct lz4 *l = self;
    while (f->in_len || !l->is_between) {
        size_t used = f->in_len, made = f->out_len;
        const size_t code = LZ4F_decompress(l->context, f->out, &made, f->in, &used, NULL);
        if (LZ4F_isError(code))
            return ls_fail(LS_ERR_FORMAT, "damaged lz4 data (%s)", LZ4F_getErrorName(code));
        f->in += used;
        f->in_len -= used;
        f->out += made;
        f->out_len -= made;
        l->is_between = code == 0;
        if (f->in_len == 0 || f->out_len == 0) break;
    }
    f->may_end = l->is_between;
    return LS_OK;
}

static void lz4_close(void *self)
{
    struct lz4 *l = self;
    LZ4F_freeDecompressionContext(l->context);
    free(l);
}

const struct pat_unpacker pat_unpacker_lz4 = {
    .name = "lz4", .recognise = lz4_recognise, .open = lz4_open, .step = lz4_step, .close = lz4_close};
