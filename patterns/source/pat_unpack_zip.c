/* SPDX-License-Identifier: BSD-3-Clause */
/* Zip archives, read forward: PKWARE's APPNOTE 6.3, sections 4.3.7 (local header), 4.3.9 (descriptor behind a
 * member), 4.5.3 (64-bit lengths). */
#include "patterns/source/pat_unpack.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    LOCAL_MAGIC = 0x04034b50,
    CENTRAL_MAGIC = 0x02014b50,
    END_MAGIC = 0x06054b50,
    END64_MAGIC = 0x06064b50,
    DESCRIPTOR_MAGIC = 0x08074b50,
    LOCAL_BYTES = 30,
    ENCRYPTED = 1,
    DESCRIPTOR_FOLLOWS = 8,
    STORED = 0,
    DEFLATED = 8,
    EXTRA_64 = 1
};

struct zip;
typedef ls_err zip_state(struct zip *z, struct pat_flow *f);

struct zip {
    zip_state *state;
    z_stream stream;
    uint8_t head[LOCAL_BYTES + 2 * 65535]; /* local header, name, extra; or a descriptor */
    size_t head_len;
    uint64_t packed_left;             /* of a stored member */
    uint64_t packed_bytes, raw_bytes; /* of the member so far */
    uint32_t flags, method, crc_told, crc;
};

static zip_state read_local, read_names, read_stored, read_deflated, read_descriptor, skip_rest;

static uint64_t number_at(const uint8_t *p, size_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, p, bytes);
    return value;
}

/* Collect head up to len bytes; false when the input ends before. */
static bool collect(struct zip *z, struct pat_flow *f, size_t len)
{
    const size_t wanted = len - z->head_len, part = wanted < f->in_len ? wanted : f->in_len;
    memcpy(z->head + z->head_len, f->in, part);
    z->head_len += part;
    f->in += part;
    f->in_len -= part;
    return z->head_len == len;
}

static ls_err skip_rest(struct zip *z, struct pat_flow *f)
{
    (void)z;
    f->in_len = 0;
    return LS_OK;
}

static ls_err read_local(struct zip *z, struct pat_flow *f)
{
    if (z->head_len < 4 && !collect(z, f, 4)) return LS_OK;
    const uint32_t magic = (uint32_t)number_at(z->head, 4);
    if (magic == CENTRAL_MAGIC || magic == END_MAGIC || magic == END64_MAGIC) {
        z->state = skip_rest; /* the directory repeats what was read */
        return LS_OK;
    }
    if (magic != LOCAL_MAGIC) return ls_fail(LS_ERR_FORMAT, "damaged zip data (no member begins here)");
    if (!collect(z, f, LOCAL_BYTES)) return LS_OK;
    z->state = read_names;
    return LS_OK;
}

/* The packed length, which may be in a field of 64 bits. */
static uint64_t packed_length(const struct zip *z, size_t name_len, size_t extra_len)
{
    const uint64_t told = number_at(z->head + 18, 4);
    const uint8_t *p = z->head + LOCAL_BYTES + name_len, *end = p + extra_len;
    while (told == UINT32_MAX && end - p >= 4) {
        const size_t len = (size_t)number_at(p + 2, 2);
        if (len > (size_t)(end - p - 4)) break;
        if (number_at(p, 2) == EXTRA_64 && len >= 16) return number_at(p + 12, 8);
        p += 4 + len;
    }
    return told;
}

static ls_err read_names(struct zip *z, struct pat_flow *f)
{
    const size_t name_len = (size_t)number_at(z->head + 26, 2);
    const size_t extra_len = (size_t)number_at(z->head + 28, 2);
    if (!collect(z, f, LOCAL_BYTES + name_len + extra_len)) return LS_OK;
    z->flags = (uint32_t)number_at(z->head + 6, 2);
    z->method = (uint32_t)number_at(z->head + 8, 2);
    z->crc_told = (uint32_t)number_at(z->head + 14, 4);
    z->packed_left = packed_length(z, name_len, extra_len);
    z->packed_bytes = z->raw_bytes = 0;
    z->crc = (uint32_t)crc32(0, NULL, 0);
    z->head_len = 0;
    if (z->flags & ENCRYPTED) return ls_fail(LS_ERR_UNSUPPORTED, "the zip archive is encrypted");
    if (z->method != DEFLATED && (z->method != STORED || z->flags & DESCRIPTOR_FOLLOWS))
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "a zip member is packed by method %u; deflated and stored ones are read", z->method);
    if (z->method == DEFLATED) inflateReset(&z->stream);
    z->state = z->method == DEFLATED ? read_deflated : read_stored;
    return LS_OK;
}

static ls_err end_member(struct zip *z)
{
    z->state = read_local;
    z->head_len = 0;
    return z->crc == z->crc_told ? LS_OK : ls_fail(LS_ERR_FORMAT, "damaged zip data (a checksum differs)");
}

/* Bytes of the member went out. */
static void account(struct zip *z, const uint8_t *out, size_t len)
{
    z->crc = (uint32_t)crc32_z(z->crc, out, len);
    z->raw_bytes += len;
}

static ls_err read_stored(struct zip *z, struct pat_flow *f)
{
    size_t part = f->in_len < f->out_len ? f->in_len : f->out_len;
    if (part > z->packed_left) part = (size_t)z->packed_left;
    memcpy(f->out, f->in, part);
    account(z, f->out, part);
    f->in += part;
    f->in_len -= part;
    f->out += part;
    f->out_len -= part;
    z->packed_left -= part;
    return z->packed_left == 0 ? end_member(z) : LS_OK;
}

static ls_err read_deflated(struct zip *z, struct pat_flow *f)
{
    z->stream.next_in = (Bytef *)f->in;
    z->stream.avail_in = f->in_len > 1u << 30 ? 1u << 30 : (uInt)f->in_len;
    z->stream.next_out = f->out;
    z->stream.avail_out = f->out_len > 1u << 30 ? 1u << 30 : (uInt)f->out_len;
    const int code = inflate(&z->stream, Z_NO_FLUSH);
    const size_t used = (size_t)(z->stream.next_in - f->in), made = (size_t)(z->stream.next_out - f->out);
    account(z, f->out, made);
    z->packed_bytes += used;
    f->in += used;
    f->in_len -= used;
    f->out += made;
    f->out_len -= made;
    if (code == Z_MEM_ERROR) return ls_nomem("unpacking zip data");
    if (code == Z_STREAM_END && z->flags & DESCRIPTOR_FOLLOWS)
        z->state = read_descriptor;
    else if (code == Z_STREAM_END)
        return end_member(z);
    else if (code != Z_OK && code != Z_BUF_ERROR)
        return ls_fail(LS_ERR_FORMAT, "damaged zip data (%s)", z->stream.msg ? z->stream.msg : "inflate");
    return LS_OK;
}

/* Maybe a magic, the checksum, two lengths of 32 or 64 bits: which, only the lengths themselves tell. */
static ls_err read_descriptor(struct zip *z, struct pat_flow *f)
{
    if (z->head_len < 4 && !collect(z, f, 4)) return LS_OK;
    const size_t magic = number_at(z->head, 4) == DESCRIPTOR_MAGIC ? 4 : 0;
    if (z->head_len < magic + 12 && !collect(z, f, magic + 12)) return LS_OK;
    const bool is_short = number_at(z->head + magic + 4, 4) == (uint32_t)z->packed_bytes &&
                          number_at(z->head + magic + 8, 4) == (uint32_t)z->raw_bytes;
    if (!is_short && !collect(z, f, magic + 20)) return LS_OK;
    z->crc_told = (uint32_t)number_at(z->head + magic, 4);
    return end_member(z);
}

static bool zip_recognise(const uint8_t *bytes, size_t len)
{
    if (len < 4) return false;
    const uint64_t magic = number_at(bytes, 4);
    return magic == LOCAL_MAGIC || magic == END_MAGIC;
}

static ls_err zip_open(void **out)
{
    struct zip *z = calloc(1, sizeof(*z));
    if (!z || inflateInit2(&z->stream, -15) != Z_OK) {
        free(z);
        return ls_nomem("unpacking zip data");
    }
    z->state = read_local;
    *out = z;
    return LS_OK;
}

static ls_err zip_step(void *self, struct pat_flow *f)
{
    struct zip *z = self;
    do
        LS_TRY(z->state(z, f));
    while (f->in_len && f->out_len);
    f->may_end = z->state == skip_rest;
    return LS_OK;
}

static void zip_close(void *self)
{
    struct zip *z = self;
    inflateEnd(&z->stream);
    free(z);
}

const struct pat_unpacker pat_unpacker_zip = {
    .name = "zip", .recognise = zip_recognise, .open = zip_open, .step = zip_step, .close = zip_close};
