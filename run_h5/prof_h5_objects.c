/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes and layouts in the headers of objects, before libhdf5 reads them: version 1.10 copies as many bytes of
 * an attribute as its type and extents state, also where the header ends before, and divides by the extents of
 * chunks. Structures: HDF5 File Format Specification, version 3.0. */
#include "common/ls_span.h"
#include "run_h5/prof_h5.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PREFIX_MOST_BYTES = 64,
    CHUNKS_MAX = 256,
    CHUNK_MAX_BYTES = 1 << 20,
    CHECKSUM_BYTES = 4,
    RANK_MAX = 32,
    MESSAGE_LAYOUT = 0x08,
    MESSAGE_ATTRIBUTE = 0x0c,
    MESSAGE_CONTINUATION = 0x10,
    MESSAGE_ATTRIBUTE_INFO = 0x15,
    MESSAGE_SHARED = 2,
    CLASS_VLEN = 9
};

static const char damaged[] = "has an object whose header is damaged";
static const char too_short[] = "has an attribute that is longer than its place in the file";
static const char unusual[] = "has an attribute of a kind that Loadstone does not read";
static const char elsewhere[] = "has attributes that are not in the header of their object";

struct prof_chunk {
    uint64_t at, len_bytes;
};

struct prof_object {
    const struct prof_h5_bytes *file;
    unsigned version;
    bool has_order; /* each message has its number */
    struct prof_chunk chunks[CHUNKS_MAX];
    size_t chunks_len;
};

/* The next number of len_bytes; false when fewer are left. */
static bool take(struct ls_cursor *c, unsigned len_bytes, uint64_t *out)
{
    const uint8_t *p = ls_cursor_take(c, len_bytes);
    *out = 0;
    for (unsigned i = 0; p && i < len_bytes; i++)
        *out |= (uint64_t)p[i] << 8 * i;
    return p != NULL;
}

static bool skip(struct ls_cursor *c, size_t len_bytes)
{
    return ls_cursor_take(c, len_bytes) != NULL;
}

/* The span of the next len_bytes, padded to a multiple of 8 in attributes of version 1. */
static bool take_part(struct ls_cursor *c, uint64_t len_bytes, bool is_padded, struct ls_cursor *out)
{
    const uint8_t *p = ls_cursor_take(c, len_bytes);
    if (!p) return false;
    *out = ls_cursor_over(p, len_bytes);
    return !is_padded || skip(c, -len_bytes & 7);
}

static bool read_at(const struct prof_h5_bytes *file, uint64_t at, void *out, size_t len_bytes)
{
    if (at > file->len_bytes - file->base_bytes || len_bytes > file->len_bytes - file->base_bytes - at)
        return false;
    return pread(file->fd, out, len_bytes, (off_t)(file->base_bytes + at)) == (ssize_t)len_bytes;
}

/* IV.A.2.d, datatype message: the class, and the bytes of a value. Other classes have parts of any length. */
static const char *type_of(struct ls_cursor *c, uint64_t *out_class, uint64_t *out_bytes)
{
    enum { FIXED = 0, FLOAT = 1, STRING = 3, FIXED_BYTES = 4, FLOAT_BYTES = 12, BITS_BYTES = 3 };
    uint64_t head;
    if (!take(c, 1, &head) || !skip(c, BITS_BYTES) || !take(c, 4, out_bytes)) return too_short;
    *out_class = head & 0xf;
    switch (*out_class) {
    case FIXED:
        return skip(c, FIXED_BYTES) ? NULL : too_short;
    case FLOAT:
        return skip(c, FLOAT_BYTES) ? NULL : too_short;
    case STRING:
    case CLASS_VLEN:
        return NULL;
    default:
        return unusual;
    }
}

/* The bytes of a value, which may be a text of variable length, as other tools write them. */
static const char *value_bytes(struct ls_cursor *c, uint64_t *out)
{
    enum { VLEN_BYTES = 16 }; /* in the file, whatever the type states: length, address and index */
    uint64_t class, base_bytes;
    const char *problem = type_of(c, &class, out);
    if (problem || class != CLASS_VLEN) return problem;
    *out = VLEN_BYTES;
    problem = type_of(c, &class, &base_bytes);
    return !problem && class == CLASS_VLEN ? unusual : problem;
}

/* IV.A.2.b, dataspace message: the number of values. */
static const char *values_of(struct ls_cursor *c, uint64_t *out)
{
    enum { HAS_MOST = 1, TYPE_NULL = 2, TYPE_MOST = 2, REST_OF_1 = 5 };
    uint64_t version, rank, flags, type = 0, extent;
    *out = 1;
    if (!take(c, 1, &version) || !take(c, 1, &rank) || !take(c, 1, &flags)) return too_short;
    if (version == 1 ? !skip(c, REST_OF_1) : !take(c, 1, &type)) return too_short;
    if (version < 1 || version > 2 || rank > RANK_MAX || type > TYPE_MOST) return unusual;
    for (uint64_t i = 0; i < rank; i++) {
        if (!take(c, 8, &extent)) return too_short;
        if (__builtin_mul_overflow(*out, extent, out)) return too_short;
    }
    if (flags & HAS_MOST && !skip(c, 8 * rank)) return too_short;
    if (type == TYPE_NULL) *out = 0;
    return NULL;
}

/* IV.A.2.m, attribute message */
static const char *check_attribute(struct ls_cursor c)
{
    uint64_t version, flags, name_bytes, type_bytes, space_bytes, encoding, bytes, values;
    struct ls_cursor name, type, space;
    if (!take(&c, 1, &version) || !take(&c, 1, &flags) || !take(&c, 2, &name_bytes) ||
        !take(&c, 2, &type_bytes) || !take(&c, 2, &space_bytes))
        return too_short;
    if (version < 1 || version > 3 || (version > 1 && flags)) return unusual;
    if (version == 3 && !take(&c, 1, &encoding)) return too_short;
    const bool is_padded = version == 1;
    if (!take_part(&c, name_bytes, is_padded, &name) || !take_part(&c, type_bytes, is_padded, &type) ||
        !take_part(&c, space_bytes, is_padded, &space))
        return too_short;
    if (!memchr(name.span.data, 0, name.span.len_bytes)) return too_short;
    const char *problem = value_bytes(&type, &bytes);
    if (!problem) problem = values_of(&space, &values);
    if (problem) return problem;
    if (__builtin_mul_overflow(bytes, values, &bytes) || bytes > ls_cursor_left(&c)) return too_short;
    return NULL;
}

/* IV.A.2.v, attribute info message: are they in a separate heap? */
static const char *check_attribute_info(struct ls_cursor c)
{
    enum { HAS_ORDER = 1 };
    uint64_t version, flags, heap;
    if (!take(&c, 1, &version) || !take(&c, 1, &flags)) return too_short;
    if (flags & HAS_ORDER && !skip(&c, 2)) return too_short;
    if (!take(&c, 8, &heap)) return too_short;
    return heap == UINT64_MAX ? NULL : elsewhere;
}

/* IV.A.2.i, data layout message */
static const char *check_layout(struct ls_cursor c)
{
    enum { CHUNKED = 2, RESERVED_BYTES = 5, ADDRESS_BYTES = 8 };
    uint64_t version, class, rank, flags, extent_bytes = 4, extent;
    if (!take(&c, 1, &version)) return damaged;
    const bool is_old = version < 3;
    if (is_old && !take(&c, 1, &rank)) return damaged;
    if (!take(&c, 1, &class)) return damaged;
    if (class != CHUNKED) return NULL;
    if (version == 4 && !take(&c, 1, &flags)) return damaged;
    if (is_old ? !skip(&c, RESERVED_BYTES) : !take(&c, 1, &rank)) return damaged;
    if (version == 4 ? !take(&c, 1, &extent_bytes) : !skip(&c, ADDRESS_BYTES)) return damaged;
    /* the last extent is that of a value */
    if (version > 4 || rank < 2 || rank > RANK_MAX + 1 || extent_bytes > sizeof(extent)) return damaged;
    for (uint64_t i = 0; i < rank; i++)
        if (!take(&c, (unsigned)extent_bytes, &extent) || extent == 0) return "has chunks without values";
    return NULL;
}

static const char *note_chunk(struct prof_object *o, struct ls_cursor c)
{
    struct prof_chunk next;
    if (!take(&c, 8, &next.at) || !take(&c, 8, &next.len_bytes) || o->chunks_len == CHUNKS_MAX)
        return damaged;
    o->chunks[o->chunks_len++] = next;
    return NULL;
}

/* IV.A.1, the messages of a chunk */
static const char *check_messages(struct prof_object *o, struct ls_cursor c)
{
    enum { HEAD_1_BYTES = 8, HEAD_2_BYTES = 4, ORDER_BYTES = 2, RESERVED_BYTES = 3 };
    const size_t head_bytes =
        o->version == 1 ? HEAD_1_BYTES : HEAD_2_BYTES + (o->has_order ? ORDER_BYTES : 0);
    const char *problem = NULL;
    while (!problem && ls_cursor_left(&c) >= head_bytes) {
        uint64_t type, len_bytes, flags;
        struct ls_cursor message;
        take(&c, o->version == 1 ? 2 : 1, &type);
        take(&c, 2, &len_bytes);
        take(&c, 1, &flags);
        if (o->version == 1) skip(&c, RESERVED_BYTES);
        if (o->has_order) skip(&c, ORDER_BYTES);
        if (!take_part(&c, len_bytes, false, &message)) return damaged;
        if (type == MESSAGE_LAYOUT) problem = check_layout(message);
        if (type == MESSAGE_ATTRIBUTE)
            problem = flags & MESSAGE_SHARED ? elsewhere : check_attribute(message);
        if (type == MESSAGE_ATTRIBUTE_INFO) problem = check_attribute_info(message);
        if (type == MESSAGE_CONTINUATION) problem = note_chunk(o, message);
    }
    return problem;
}

static const char *check_chunk(struct prof_object *o, struct prof_chunk chunk, bool is_first)
{
    static const char signature[] = "OCHK";
    const size_t around = o->version == 1 || is_first ? 0 : sizeof(signature) - 1 + CHECKSUM_BYTES;
    if (chunk.len_bytes > CHUNK_MAX_BYTES || chunk.len_bytes < around) return damaged;
    uint8_t *bytes = malloc(chunk.len_bytes + 1);
    const char *problem = bytes ? NULL : prof_h5_no_memory;
    if (!problem && !read_at(o->file, chunk.at, bytes, chunk.len_bytes)) problem = damaged;
    if (!problem && around && memcmp(bytes, signature, sizeof(signature) - 1) != 0) problem = damaged;
    if (!problem) {
        const size_t begin = around ? sizeof(signature) - 1 : 0;
        problem = check_messages(o, ls_cursor_over(bytes + begin, chunk.len_bytes - around));
    }
    free(bytes);
    return problem;
}

/* IV.A.1.a: version 1 */
static bool read_prefix_1(struct prof_object *o, struct ls_cursor c, uint64_t at, struct prof_chunk *first)
{
    enum { BEFORE_SIZE_BYTES = 8, PREFIX_BYTES = 16 };
    o->version = 1;
    first->at = at + PREFIX_BYTES;
    return skip(&c, BEFORE_SIZE_BYTES) && take(&c, 4, &first->len_bytes);
}

/* IV.A.1.b: version 2, after the signature */
static bool read_prefix_2(struct prof_object *o, struct ls_cursor c, uint64_t at, struct prof_chunk *first)
{
    enum {
        SIZE_OF_SIZE = 3,
        HAS_ORDER = 4,
        HAS_PHASES = 16,
        HAS_TIMES = 32,
        PHASES_BYTES = 4,
        TIMES_BYTES = 16
    };
    uint64_t flags;
    if (!take(&c, 1, &flags)) return false;
    o->version = 2;
    o->has_order = flags & HAS_ORDER;
    if (flags & HAS_TIMES && !skip(&c, TIMES_BYTES)) return false;
    if (flags & HAS_PHASES && !skip(&c, PHASES_BYTES)) return false;
    if (!take(&c, 1u << (flags & SIZE_OF_SIZE), &first->len_bytes)) return false;
    first->at = at + c.pos_bytes;
    return true;
}

const char *prof_h5_object_problem(const struct prof_h5_bytes *file, uint64_t at)
{
    static const uint8_t begin_2[] = {'O', 'H', 'D', 'R', 2};
    uint8_t prefix[PREFIX_MOST_BYTES] = {0};
    const uint64_t end = file->len_bytes - file->base_bytes, left = at < end ? end - at : 0;
    struct prof_object o = {.file = file};
    struct prof_chunk first;
    struct ls_cursor c = ls_cursor_over(prefix, sizeof(prefix));
    const size_t have = left < sizeof(prefix) ? left : sizeof(prefix);
    if (!read_at(file, at, prefix, have)) return damaged;
    const bool is_2 = memcmp(prefix, begin_2, sizeof(begin_2)) == 0;
    if (is_2) skip(&c, sizeof(begin_2));
    if (!is_2 && prefix[0] != 1) return damaged;
    if (!(is_2 ? read_prefix_2(&o, c, at, &first) : read_prefix_1(&o, c, at, &first))) return damaged;
    const char *problem = check_chunk(&o, first, true);
    for (size_t i = 0; !problem && i < o.chunks_len; i++)
        problem = check_chunk(&o, o.chunks[i], false);
    return problem;
}
