/* SPDX-License-Identifier: BSD-3-Clause */
#include "spool/spool_reader.h"

#include "common/ls_span.h"
#include "spool/spool_record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct spool_reader {
    char *path;
    const uint8_t *bytes; /* whole file in memory, or NULL: read by chunks */
    uint8_t *buffer;      /* the current chunk, 8-byte aligned */
    struct ls_cursor chunk;
    uint64_t file_len_bytes;
    uint64_t chunk_at_bytes; /* file offset of the current chunk */
    uint64_t rec_at_bytes;   /* of the last record */
    struct spool_file_header header;
};

static uint64_t spool_offset(const spool_reader *r)
{
    return r->chunk_at_bytes + r->chunk.pos_bytes;
}

static ls_err spool_damage(const spool_reader *r, ls_err e, const char *what)
{
    return ls_fail(e, "%s: byte %llu: %s; what stands before it is kept", r->path,
                   (unsigned long long)spool_offset(r), what);
}

static ls_err spool_read_at(const spool_reader *r, uint64_t at_bytes, size_t len_bytes, size_t *out_len)
{
    if (r->bytes) {
        memcpy(r->buffer, r->bytes + at_bytes, len_bytes);
        *out_len = len_bytes;
        return LS_OK;
    }
    /* opened anew for each chunk: a program of ten thousand threads leaves as many files */
    const int fd = open(r->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return ls_fail_errno(errno, "cannot open spool file %s", r->path);
    size_t have = 0;
    while (have < len_bytes) {
        const ssize_t got = pread(fd, r->buffer + have, len_bytes - have, (off_t)(at_bytes + have));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            const int saved = errno;
            close(fd);
            return ls_fail_errno(saved, "cannot read spool file %s", r->path);
        }
        if (got == 0) break;
        have += (size_t)got;
    }
    close(fd);
    *out_len = have;
    return LS_OK;
}

static ls_err spool_load_chunk(spool_reader *r, uint64_t at_bytes)
{
    const uint64_t left = r->file_len_bytes - at_bytes;
    size_t len = left < SPOOL_CHUNK_BYTES ? (size_t)left : SPOOL_CHUNK_BYTES;
    LS_TRY(spool_read_at(r, at_bytes, len, &len));
    r->chunk_at_bytes = at_bytes;
    r->chunk = ls_cursor_over(r->buffer, len);
    return LS_OK;
}

static ls_err spool_check_header(spool_reader *r)
{
    struct spool_file_header *h = &r->header;
    if (!ls_cursor_read(&r->chunk, h, sizeof(*h)))
        return ls_fail(LS_ERR_TRUNCATED, "%s: %llu bytes are too few for the header of a spool file", r->path,
                       (unsigned long long)r->file_len_bytes);
    r->chunk.pos_bytes = 0;
    if (h->magic != SPOOL_MAGIC)
        return ls_fail(LS_ERR_FORMAT, "%s: byte 0: not a Loadstone spool file", r->path);
    if (h->version != SPOOL_VERSION)
        return ls_fail(LS_ERR_VERSION,
                       "%s: byte 8: spool version %u, this program reads version %u: resolve it with the "
                       "Loadstone that recorded it",
                       r->path, h->version, SPOOL_VERSION);
    if (h->features != 0)
        return ls_fail(LS_ERR_VERSION,
                       "%s: byte 56: spool features 0x%llx are not known here: use a newer Loadstone",
                       r->path, (unsigned long long)h->features);
    if (h->header_len_bytes != sizeof(*h) || h->chunk_len_bytes != SPOOL_CHUNK_BYTES)
        return ls_fail(LS_ERR_FORMAT, "%s: byte 10: header of %u and chunks of %u bytes, expected %zu and %u",
                       r->path, h->header_len_bytes, h->chunk_len_bytes, sizeof(*h), SPOOL_CHUNK_BYTES);
    r->chunk.pos_bytes = sizeof(*h);
    return LS_OK;
}

static ls_err spool_start(spool_reader *r, const char *name)
{
    const size_t len = r->file_len_bytes < SPOOL_CHUNK_BYTES ? (size_t)r->file_len_bytes : SPOOL_CHUNK_BYTES;
    r->path = strdup(name);
    r->buffer = malloc(len + 8);
    if (!r->path || !r->buffer)
        return ls_fail(LS_ERR_NOMEM, "%s: out of memory for a chunk of %zu bytes", name, len);
    LS_TRY(spool_load_chunk(r, 0));
    return spool_check_header(r);
}

static ls_err spool_finish_open(spool_reader *r, const char *name, spool_reader **out)
{
    if (!r) return ls_fail(LS_ERR_NOMEM, "%s: out of memory", name);
    const ls_err e = spool_start(r, name);
    if (e == LS_OK)
        *out = r;
    else
        spool_reader_free(r);
    return e;
}

ls_err spool_reader_open(const char *path, spool_reader **out)
{
    struct stat st;
    if (stat(path, &st) != 0) return ls_fail_errno(errno, "cannot read spool file %s", path);
    if (!S_ISREG(st.st_mode)) return ls_fail(LS_ERR_FORMAT, "%s: not a regular file", path);
    spool_reader *r = calloc(1, sizeof(*r));
    if (r) r->file_len_bytes = (uint64_t)st.st_size;
    return spool_finish_open(r, path, out);
}

ls_err spool_reader_open_bytes(const void *bytes, size_t len_bytes, const char *name, spool_reader **out)
{
    spool_reader *r = calloc(1, sizeof(*r));
    if (r) {
        r->bytes = bytes;
        r->file_len_bytes = len_bytes;
    }
    return spool_finish_open(r, name, out);
}

void spool_reader_free(spool_reader *r)
{
    if (!r) return;
    free(r->path);
    free(r->buffer);
    free(r);
}

const struct spool_file_header *spool_reader_header(const spool_reader *r)
{
    return &r->header;
}

const char *spool_reader_path(const spool_reader *r)
{
    return r->path;
}

/* A killed writer leaves at most one empty chunk behind the one it was writing. */
static bool spool_may_end_here(const spool_reader *r)
{
    return r->file_len_bytes <= r->chunk_at_bytes + 2 * (uint64_t)SPOOL_CHUNK_BYTES;
}

/* Is there another chunk? At the end of the file *out_more is false. */
static ls_err spool_next_chunk(spool_reader *r, bool *out_more)
{
    const uint64_t at = r->chunk_at_bytes + SPOOL_CHUNK_BYTES;
    *out_more = r->chunk.span.len_bytes == SPOOL_CHUNK_BYTES && at < r->file_len_bytes;
    return *out_more ? spool_load_chunk(r, at) : LS_OK;
}

/* The record under the cursor: checked and taken. NULL in *out: a zero header ends the file. */
static ls_err spool_take_record(spool_reader *r, const struct spool_rec_header **out)
{
    struct ls_cursor ahead = r->chunk;
    struct spool_rec_header h;
    *out = NULL;
    if (!ls_cursor_read(&ahead, &h, sizeof(h)))
        return spool_damage(r, LS_ERR_TRUNCATED, "the file ends inside a record");
    if (h.type == 0 && h.flags == 0 && h.len_bytes == 0)
        return spool_may_end_here(r) ? LS_OK
                                     : spool_damage(r, LS_ERR_FORMAT, "a hole before the end of the file");
    if (h.len_bytes < sizeof(h) || h.len_bytes % 8 != 0)
        return spool_damage(r, LS_ERR_FORMAT, "impossible record length");
    if (h.len_bytes > ls_cursor_left(&r->chunk))
        return spool_damage(r, r->chunk.span.len_bytes < SPOOL_CHUNK_BYTES ? LS_ERR_TRUNCATED : LS_ERR_FORMAT,
                            "a record reaches over the end of its chunk");
    const struct spool_rec_header *rec = (const void *)(r->chunk.span.data + r->chunk.pos_bytes);
    const char *fault = spool_rec_fault(rec);
    if (fault) return spool_damage(r, LS_ERR_FORMAT, fault);
    r->rec_at_bytes = spool_offset(r);
    r->chunk.pos_bytes += h.len_bytes;
    *out = rec;
    return LS_OK;
}

ls_err spool_reader_next(spool_reader *r, const struct spool_rec_header **out)
{
    for (;;) {
        bool more = true;
        *out = NULL;
        if (ls_cursor_left(&r->chunk) == 0) LS_TRY(spool_next_chunk(r, &more));
        if (!more) return LS_OK;
        LS_TRY(spool_take_record(r, out));
        if (!*out || (*out)->type != SPOOL_REC_PAD) return LS_OK;
    }
}

uint64_t spool_reader_offset(const spool_reader *r)
{
    return r->rec_at_bytes;
}
