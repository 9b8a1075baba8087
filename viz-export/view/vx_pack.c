/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/view/vx_pack.h"

#include "common/ls_vector.h"
#include "viz-export/vx_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { VX_VARINT_MAX = 10 };

static bool vx_pack_room(struct vx_pack *p, size_t more_bytes)
{
    if (!p->failed) p->failed = LS_GROW(p->bytes, p->room_bytes, p->len_bytes + more_bytes) != LS_OK;
    return !p->failed;
}

void vx_pack_begin(struct vx_pack *p, const char *name, enum vx_column_type type)
{
    if (LS_GROW(p->columns, p->columns_room, p->columns_len + 1) != LS_OK) {
        p->failed = true;
        return;
    }
    struct vx_column *c = &p->columns[p->columns_len++];
    *c = (struct vx_column){.type = type, .at_bytes = p->len_bytes};
    snprintf(c->name, sizeof(c->name), "%s", name);
}

void vx_pack_uint(struct vx_pack *p, uint64_t value)
{
    if (!vx_pack_room(p, VX_VARINT_MAX)) return;
    for (; value >= 0x80; value >>= 7)
        p->bytes[p->len_bytes++] = (uint8_t)(value | 0x80);
    p->bytes[p->len_bytes++] = (uint8_t)value;
    p->columns[p->columns_len - 1].values_len++;
}

void vx_pack_int(struct vx_pack *p, int64_t value)
{
    vx_pack_uint(p, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

/* Round to nearest; a value that would round to infinity becomes NaN. */
static uint32_t vx_float24(double value)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof(bits));
    return isfinite(single) ? (bits + 0x80) >> 8 : 0x7fc000;
}

void vx_pack_floats(struct vx_pack *p, const char *name, const double *values, size_t len)
{
    vx_pack_begin(p, name, VX_COLUMN_F24);
    if (!vx_pack_room(p, len * 3)) return;
    uint8_t *to = p->bytes + p->len_bytes;
    for (size_t i = 0; i < len; i++) {
        const uint32_t bits = vx_float24(values[i]);
        to[i] = (uint8_t)(bits >> 16);
        to[len + i] = (uint8_t)(bits >> 8);
        to[2 * len + i] = (uint8_t)bits;
    }
    p->len_bytes += len * 3;
    p->columns[p->columns_len - 1].values_len = len;
}

void vx_pack_fini(struct vx_pack *p)
{
    free(p->bytes);
    free(p->columns);
    memset(p, 0, sizeof(*p));
}

/* --- writing --- */

/* Deflate into out, or only count the bytes if out is NULL. */
struct vx_deflate {
    z_stream stream;
    struct vx_base64 *out;
    size_t bytes;
};

static void vx_deflate_put(struct vx_deflate *d, const void *bytes, size_t len, int flush)
{
    uint8_t chunk[1 << 14];
    d->stream.next_in = (Bytef *)(uintptr_t)bytes;
    d->stream.avail_in = (uInt)len;
    do {
        d->stream.next_out = chunk;
        d->stream.avail_out = sizeof(chunk);
        deflate(&d->stream, flush);
        const size_t made = sizeof(chunk) - d->stream.avail_out;
        d->bytes += made;
        if (d->out) vx_base64_put(d->out, chunk, made);
    } while (d->stream.avail_out == 0);
}

static ls_err vx_no_memory(void)
{
    return ls_nomem("packing the data of the page");
}

ls_err vx_pack_write(const struct vx_pack *p, const char *text, size_t text_len_bytes, FILE *out)
{
    struct vx_base64 base64 = {.out = out};
    struct vx_deflate d = {.out = &base64};
    if (p->failed || deflateInit(&d.stream, Z_BEST_COMPRESSION) != Z_OK) return vx_no_memory();
    const uint8_t head[4] = {(uint8_t)text_len_bytes, (uint8_t)(text_len_bytes >> 8),
                             (uint8_t)(text_len_bytes >> 16), (uint8_t)(text_len_bytes >> 24)};
    vx_deflate_put(&d, head, sizeof(head), Z_NO_FLUSH);
    vx_deflate_put(&d, text, text_len_bytes, Z_NO_FLUSH);
    vx_deflate_put(&d, p->bytes, p->len_bytes, Z_FINISH);
    deflateEnd(&d.stream);
    vx_base64_end(&base64);
    return LS_OK;
}

size_t vx_pack_deflated_bytes(const struct vx_pack *p, size_t at_bytes)
{
    struct vx_deflate d = {.out = NULL};
    if (p->failed || deflateInit(&d.stream, Z_DEFAULT_COMPRESSION) != Z_OK) return 0;
    const size_t len_bytes = p->len_bytes - at_bytes;
    vx_deflate_put(&d, len_bytes ? p->bytes + at_bytes : NULL, len_bytes, Z_FINISH);
    deflateEnd(&d.stream);
    return d.bytes;
}
