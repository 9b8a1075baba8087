/* SPDX-License-Identifier: BSD-3-Clause */
/* How a data set is stored, and its rows. libhdf5 1.10 accepts chunks of any length and reads beyond those
 * that are too short, so packed chunks are unpacked here. It reads chunks without a filter as if they had
 * their full length, as long as it does not cache them (prof_h5_open). */
#include "run_h5/prof_h5.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { FILTERS_MAX = 32, CHUNKS_MAX = 1 << 17, CHUNK_MAX_BYTES = 64 << 20 };

static const char damaged[] = "cannot be read: the file is damaged or truncated";

struct prof_filter {
    H5Z_filter_t id;
    unsigned value_bytes; /* of H5Z_FILTER_SHUFFLE */
};

struct prof_filters {
    size_t len;
    struct prof_filter rows[FILTERS_MAX];
};

/* Return false for filters that Loadstone does not write: this code does not need them. */
static bool prof_get_filters(hid_t properties, struct prof_filters *out)
{
    const int len = H5Pget_nfilters(properties);
    if (len < 0 || len > FILTERS_MAX) return false;
    *out = (struct prof_filters){.len = (size_t)len};
    for (unsigned i = 0; i < (unsigned)len; i++) {
        unsigned flags;
        size_t values_len = 1;
        struct prof_filter *f = &out->rows[i];
        f->id = H5Pget_filter2(properties, i, &flags, &values_len, &f->value_bytes, 0, NULL, NULL);
        if (f->id != H5Z_FILTER_DEFLATE && (f->id != H5Z_FILTER_SHUFFLE || f->value_bytes == 0)) return false;
    }
    return true;
}

const char *prof_h5_storage_problem(hid_t dataset, hid_t type)
{
    const hid_t properties = H5Dget_create_plist(dataset);
    if (properties < 0) return "cannot be read: the file is damaged";
    const H5D_layout_t layout = H5Pget_layout(properties);
    hsize_t chunk[H5S_MAX_RANK];
    uint64_t bytes = H5Tget_size(type);
    unsigned options = 0;
    struct prof_filters filters;
    const char *problem = NULL;
    /* libhdf5 1.10 reads beyond the values of a compact one that are fewer than its rows */
    if (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
        problem = "is stored in a way that Loadstone does not read";
    if (layout == H5D_VIRTUAL) problem = "is a virtual data set: other files are not opened";
    if (H5Pget_external_count(properties) > 0)
        problem = "has its values in another file, which is not opened";
    const int axes = layout == H5D_CHUNKED ? H5Pget_chunk(properties, H5S_MAX_RANK, chunk) : 0;
    if (axes > 0) H5Pget_chunk_opts(properties, &options); /* the last chunks may be without filters */
    if (!prof_get_filters(properties, &filters) || options != 0)
        problem = "is packed in a way that Loadstone does not read";
    for (int i = 0; i < axes; i++)
        if (__builtin_mul_overflow(bytes, chunk[i], &bytes) || bytes > CHUNK_MAX_BYTES)
            problem = "has chunks of more than 64 MiB";
    H5Pclose(properties);
    return problem;
}

/* --- packed chunks --- */

struct prof_box {
    hsize_t start[PROF_GET_AXES_MAX], len[PROF_GET_AXES_MAX];
};

struct prof_unpacker {
    hid_t dataset, type, space;
    int axes;
    struct prof_box wanted, chunk; /* the chunk advances through the requested rows */
    size_t value_bytes, chunk_bytes, room_bytes;
    struct prof_filters filters;
    uint8_t *bytes, *spare; /* each of room_bytes */
    uint8_t *fill;          /* a chunk of fill values; NULL: no chunk was missing so far */
};

/* Put the bytes of each value together: the filter stores the first bytes of all, then the second ones. */
static void prof_unshuffle(uint8_t *to, const uint8_t *from, size_t len_bytes, size_t value_bytes)
{
    const size_t values = len_bytes / value_bytes, whole_bytes = values * value_bytes;
    for (size_t b = 0; b < value_bytes && values > 0; b++)
        for (size_t i = 0; i < values; i++)
            to[i * value_bytes + b] = from[b * values + i];
    memcpy(to + whole_bytes, from + whole_bytes, len_bytes - whole_bytes);
}

/* Undo the filters of the chunk in u->bytes, which has len_bytes. Bit i of skipped: filter i was not applied. */
static const char *prof_unpack(struct prof_unpacker *u, uint32_t skipped, size_t len_bytes)
{
    for (size_t i = u->filters.len; i-- > 0;) {
        const struct prof_filter *f = &u->filters.rows[i];
        uLongf unpacked_bytes = f->id == H5Z_FILTER_SHUFFLE ? len_bytes : u->chunk_bytes;
        if (skipped >> i & 1) continue;
        if (f->id == H5Z_FILTER_SHUFFLE)
            prof_unshuffle(u->spare, u->bytes, len_bytes, f->value_bytes);
        else if (uncompress(u->spare, &unpacked_bytes, u->bytes, len_bytes) != Z_OK)
            return "has a chunk that is damaged, or longer than its rows";
        uint8_t *unpacked = u->spare;
        u->spare = u->bytes;
        u->bytes = unpacked;
        len_bytes = unpacked_bytes;
    }
    return len_bytes == u->chunk_bytes ? NULL : "has a chunk that is shorter or longer than its rows";
}

/* Copy the requested rows of this chunk. */
static struct prof_box prof_part(const struct prof_unpacker *u)
{
    struct prof_box part;
    for (int i = 0; i < u->axes; i++) {
        const hsize_t end = u->chunk.start[i] + u->chunk.len[i], last = u->wanted.start[i] + u->wanted.len[i];
        part.start[i] = u->chunk.start[i] > u->wanted.start[i] ? u->chunk.start[i] : u->wanted.start[i];
        part.len[i] = (end < last ? end : last) - part.start[i];
    }
    return part;
}

/* Copy a part of the unpacked chunk from this axis on. */
static void prof_copy_part(const struct prof_unpacker *u, const struct prof_box *part, int axis,
                           const uint8_t *chunk, uint8_t *values)
{
    size_t chunk_step = u->value_bytes, step = u->value_bytes;
    for (int i = axis + 1; i < u->axes; i++) {
        chunk_step *= u->chunk.len[i];
        step *= u->wanted.len[i];
    }
    chunk += (part->start[axis] - u->chunk.start[axis]) * chunk_step;
    values += (part->start[axis] - u->wanted.start[axis]) * step;
    if (axis == u->axes - 1)
        memcpy(values, chunk, part->len[axis] * step);
    else
        for (hsize_t i = 0; i < part->len[axis]; i++)
            prof_copy_part(u, part, axis + 1, chunk + i * chunk_step, values + i * step);
}

/* Make a chunk of fill values, which libhdf5 reads where the file has no chunk. */
static const char *prof_make_fill(struct prof_unpacker *u, const hsize_t *where)
{
    static const hsize_t one[PROF_GET_AXES_MAX] = {1, 1, 1, 1};
    u->fill = malloc(u->chunk_bytes);
    if (!u->fill) return prof_h5_no_memory;
    const hid_t memory_space = H5Screate_simple(u->axes, one, NULL);
    H5Sselect_hyperslab(u->space, H5S_SELECT_SET, where, NULL, one, NULL);
    const herr_t e = H5Dread(u->dataset, u->type, memory_space, u->space, H5P_DEFAULT, u->fill);
    H5Sclose(memory_space);
    if (e < 0) return damaged;
    for (size_t at = u->value_bytes; at < u->chunk_bytes; at += u->value_bytes)
        memcpy(u->fill + at, u->fill, u->value_bytes);
    return NULL;
}

/* Read the wanted rows of this chunk, as values of the type in the file. */
static const char *prof_read_chunk(struct prof_unpacker *u, uint8_t *values)
{
    const struct prof_box part = prof_part(u);
    const char *problem = NULL;
    hsize_t len_bytes;
    uint32_t skipped;
    /* fails for a missing chunk; a damaged index was detected when the chunks were counted */
    if (H5Dget_chunk_storage_size(u->dataset, u->chunk.start, &len_bytes) < 0) {
        if (!u->fill) problem = prof_make_fill(u, part.start);
        if (!problem) prof_copy_part(u, &part, 0, u->fill, values);
        return problem;
    }
    if (len_bytes > u->room_bytes) return "has a chunk that is longer than its rows";
    if (H5Dread_chunk(u->dataset, H5P_DEFAULT, u->chunk.start, &skipped, u->bytes) < 0) return damaged;
    problem = prof_unpack(u, skipped, len_bytes);
    if (!problem) prof_copy_part(u, &part, 0, u->bytes, values);
    return problem;
}

/* Move to the chunk with the first wanted rows along the axis. */
static void prof_to_first_chunk(struct prof_unpacker *u, int axis)
{
    u->chunk.start[axis] = u->wanted.start[axis] - u->wanted.start[axis] % u->chunk.len[axis];
}

static bool prof_to_next_chunk(struct prof_unpacker *u)
{
    for (int i = u->axes - 1; i >= 0; i--) {
        u->chunk.start[i] += u->chunk.len[i];
        if (u->chunk.start[i] < u->wanted.start[i] + u->wanted.len[i]) return true;
        prof_to_first_chunk(u, i);
    }
    return false;
}

static const char *prof_read_chunks(struct prof_unpacker *u, hid_t memory_type, void *values)
{
    uint64_t values_len = 1, chunks_len = 1;
    const char *problem = NULL;
    u->value_bytes = u->chunk_bytes = H5Tget_size(u->type);
    for (int i = 0; i < u->axes; i++) {
        values_len *= u->wanted.len[i];
        u->chunk_bytes *= u->chunk.len[i];
        if (__builtin_mul_overflow(chunks_len, u->wanted.len[i] / u->chunk.len[i] + 1, &chunks_len) ||
            chunks_len > CHUNKS_MAX)
            return "is in too many chunks";
        prof_to_first_chunk(u, i);
    }
    u->room_bytes = 2 * u->chunk_bytes + 64; /* more than the length of random bytes after deflate */
    u->bytes = malloc(u->room_bytes);
    u->spare = malloc(u->room_bytes);
    if (!u->bytes || !u->spare) problem = prof_h5_no_memory;
    while (!problem) {
        problem = prof_read_chunk(u, values);
        if (!prof_to_next_chunk(u)) break;
    }
    free(u->bytes);
    free(u->spare);
    free(u->fill);
    if (problem) return problem;
    return H5Tconvert(u->type, memory_type, values_len, values, NULL, H5P_DEFAULT) < 0 ? damaged : NULL;
}

/* --- both --- */

static const char *prof_read_plain(const struct prof_unpacker *u, hid_t memory_type, void *values)
{
    const hid_t memory_space = H5Screate_simple(u->axes, u->wanted.len, NULL);
    if (u->axes > 0)
        H5Sselect_hyperslab(u->space, H5S_SELECT_SET, u->wanted.start, NULL, u->wanted.len, NULL);
    const herr_t e = H5Dread(u->dataset, memory_type, memory_space, u->space, H5P_DEFAULT, values);
    H5Sclose(memory_space);
    return e < 0 ? damaged : NULL;
}

static const char *prof_read_wanted(struct prof_unpacker *u, hid_t properties, hid_t memory_type,
                                    void *values)
{
    hsize_t chunks_len = 0;
    for (int i = 0; i < u->axes; i++)
        if (u->wanted.len[i] == 0) return NULL;
    if (!prof_get_filters(properties, &u->filters)) return damaged;
    if (H5Pget_layout(properties) != H5D_CHUNKED || u->filters.len == 0)
        return prof_read_plain(u, memory_type, values);
    if (H5Pget_chunk(properties, PROF_GET_AXES_MAX, u->chunk.len) != u->axes) return damaged;
    if (H5Dget_num_chunks(u->dataset, u->space, &chunks_len) < 0) return damaged;
    return chunks_len > 0 ? prof_read_chunks(u, memory_type, values)
                          : prof_read_plain(u, memory_type, values);
}

const char *prof_h5_read_rows(hid_t dataset, hid_t memory_type, uint64_t first, uint64_t len, void *values)
{
    const hid_t properties = H5Dget_create_plist(dataset);
    struct prof_unpacker u = {
        .dataset = dataset, .type = H5Dget_type(dataset), .space = H5Dget_space(dataset)};
    const char *problem = damaged;
    u.axes = H5Sget_simple_extent_ndims(u.space);
    if (u.axes >= 0 && u.axes <= PROF_GET_AXES_MAX) {
        H5Sget_simple_extent_dims(u.space, u.wanted.len, NULL);
        u.wanted.start[0] = first;
        u.wanted.len[0] = len;
        problem = prof_read_wanted(&u, properties, memory_type, values);
    }
    H5Sclose(u.space);
    H5Tclose(u.type);
    H5Pclose(properties);
    return problem;
}
