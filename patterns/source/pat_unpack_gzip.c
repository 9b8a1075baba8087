/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_unpack.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct gzip {
    z_stream stream;
    bool is_between; /* members */
    bool has_ended;  /* what follows the last member is none (padding): left alone, as gzip does */
};

enum { GZIP_WINDOW = 15 + 16 }; /* with gzip's header */

static bool gzip_recognise(const uint8_t *bytes, size_t len)
{
    return len >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

static ls_err gzip_open(void **out)
{
    struct gzip *g = calloc(1, sizeof(*g));
    if (!g || inflateInit2(&g->stream, GZIP_WINDOW) != Z_OK) {
        free(g);
        return ls_nomem("unpacking gzip data");
    }
    *out = g;
    return LS_OK;
}

static ls_err inflate_some(struct gzip *g, struct pat_flow *f)
{
    g->stream.next_in = (Bytef *)f->in;
    g->stream.avail_in = f->in_len > 1u << 30 ? 1u << 30 : (uInt)f->in_len;
    g->stream.next_out = f->out;
    g->stream.avail_out = f->out_len > 1u << 30 ? 1u << 30 : (uInt)f->out_len;
    const int code = inflate(&g->stream, Z_NO_FLUSH);
    f->in_len -= (size_t)(g->stream.next_in - f->in);
    f->in = g->stream.next_in;
    f->out_len -= (size_t)(g->stream.next_out - f->out);
    f->out = g->stream.next_out;
    if (code == Z_MEM_ERROR) return ls_nomem("unpacking gzip data");
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        return ls_fail(LS_ERR_FORMAT, "damaged gzip data (%s)", g->stream.msg ? g->stream.msg : "no header");
    g->is_between = code == Z_STREAM_END;
    return LS_OK;
}

static ls_err gzip_step(void *self, struct pat_flow *f)
{
    struct gzip *g = self;
    while (!g->has_ended && !(g->is_between && f->in_len == 0)) {
        if (g->is_between && f->in[0] != 0x1f) g->has_ended = true;
        if (g->is_between) inflateReset(&g->stream);
        if (!g->has_ended) LS_TRY(inflate_some(g, f));
        if (f->in_len == 0 || f->out_len == 0) break;
    }
    if (g->has_ended) f->in_len = 0;
    f->may_end = g->is_between;
    return LS_OK;
}

static void gzip_close(void *self)
{
    struct gzip *g = self;
    inflateEnd(&g->stream);
    free(g);
}

const struct pat_unpacker pat_unpacker_gzip = {
    .name = "gzip", .recognise = gzip_recognise, .open = gzip_open, .step = gzip_step, .close = gzip_close};
