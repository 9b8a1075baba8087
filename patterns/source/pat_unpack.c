/* SPDX-License-Identifier: BSD-3-Clause */
/* gzip is read by zlib, because libarchive (3.6) does not verify its checksums. */
#include "patterns/source/pat_unpack.h"
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16, GZIP_PART = 1 << 30 }; /* with gzip's header */

struct gzip {
    struct pat_file *file;
    z_stream stream;
    bool is_between; /* members */
    bool has_ended;  /* bytes after the last member are padding: ignored, as gzip does */
};

static ls_err gzip_open(struct pat_file *f, enum pat_packing packing, void **out)
{
    struct gzip *g = calloc(1, sizeof(*g));
    (void)packing;
    if (!g || inflateInit2(&g->stream, GZIP_WINDOW) != Z_OK) {
        free(g);
        return ls_nomem("unpacking gzip data");
    }
    g->file = f;
    *out = g;
    return LS_OK;
}

static ls_err gzip_inflate(struct gzip *g, uint8_t *out, size_t room, size_t *out_len)
{
    struct pat_file *f = g->file;
    z_stream *s = &g->stream;
    s->next_in = (Bytef *)f->at;
    s->avail_in = (uInt)f->left;
    s->next_out = out;
    s->avail_out = room > GZIP_PART ? GZIP_PART : (uInt)room;
    const int code = inflate(s, Z_NO_FLUSH);
    f->left -= (size_t)(s->next_in - f->at);
    f->at = s->next_in;
    *out_len = (size_t)(s->next_out - out);
    g->is_between = code == Z_STREAM_END;
    if (code == Z_MEM_ERROR) return ls_nomem("unpacking gzip data");
    if (code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR) return LS_OK;
    return ls_fail(LS_ERR_FORMAT, "damaged gzip data (%s)", s->msg ? s->msg : "no header");
}

static ls_err gzip_read(void *self, void *out, size_t room, size_t *out_len)
{
    struct gzip *g = self;
    for (*out_len = 0; !g->has_ended && *out_len == 0;) {
        if (g->file->left == 0) LS_TRY(pat_file_read(g->file));
        if (g->file->left == 0 && !g->is_between) return LS_ERR_TRUNCATED;
        if (g->file->left == 0 || (g->is_between && g->file->at[0] != 0x1f)) {
            g->has_ended = true;
            return LS_OK;
        }
        if (g->is_between) inflateReset(&g->stream);
        LS_TRY(gzip_inflate(g, out, room, out_len));
    }
    return LS_OK;
}

static void gzip_close(void *self)
{
    struct gzip *g = self;
    inflateEnd(&g->stream);
    free(g);
}

static const struct pat_unpacking unpacking_gzip = {
    .open = gzip_open, .read = gzip_read, .close = gzip_close};

#ifdef HAVE_LIBARCHIVE
#define UNPACKING_ARCHIVE (&pat_unpacking_archive)
#else
#define UNPACKING_ARCHIVE NULL
#endif

static const struct pat_unpacker unpackers[] = {
    {"gzip", PAT_PACKING_GZIP, {"\x1f\x8b"}, &unpacking_gzip},
    {"zip", PAT_PACKING_ZIP, {"PK\x03\x04", "PK\x05\x06"}, UNPACKING_ARCHIVE},
    {"zstd", PAT_PACKING_ZSTD, {"\x28\xb5\x2f\xfd"}, UNPACKING_ARCHIVE},
    {"lz4", PAT_PACKING_LZ4, {"\x04\x22\x4d\x18"}, UNPACKING_ARCHIVE},
};

static bool unpacker_has_magic(const struct pat_unpacker *u, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < sizeof(u->magics) / sizeof(u->magics[0]) && u->magics[i]; i++) {
        const size_t magic_len = strlen(u->magics[i]);
        if (len >= magic_len && memcmp(bytes, u->magics[i], magic_len) == 0) return true;
    }
    return false;
}

const struct pat_unpacker *pat_unpacker_of(const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < sizeof(unpackers) / sizeof(unpackers[0]); i++)
        if (unpacker_has_magic(&unpackers[i], bytes, len)) return &unpackers[i];
    return NULL;
}
