/* SPDX-License-Identifier: BSD-3-Clause */
#include "spool/spool_reader.h"

#include "common/ls_span.h"
#include "spool/spool_record.h"
#include "spool/spool_unpack.h"

#include <stdlib.h>

struct spool_reader {
    struct spool_stream stream;
    bool is_own;        /* reading the own file, after all pieces */
    size_t pieces_read; /* pieces of the shared file */
    uint64_t *buffer;   /* the current chunk or piece */
    size_t buffer_len_bytes;
    struct ls_cursor chunk;
    uint64_t chunk_at_bytes; /* file offset of the current chunk */
    struct spool_position rec_at;
    struct spool_file_header header;
    struct spool_unpack accesses; /* accesses left in the record that was read last */
    struct spool_access access;
    struct spool_stack_pack stacks; /* stack state of the stream so far */
    struct spool_whole_stack stack;
    struct spool_site_pack sites; /* the same of sites */
    struct spool_whole_site site;
};

static const struct spool_source *spool_source_of(const spool_reader *r)
{
    return r->is_own || !r->stream.shared.path ? &r->stream.own : &r->stream.shared;
}

static uint64_t spool_offset(const spool_reader *r)
{
    return r->chunk_at_bytes + r->chunk.pos_bytes;
}

static ls_err spool_damage_at(const spool_reader *r, ls_err e, uint64_t at_bytes, const char *what)
{
    return ls_fail(e, "%s: byte %llu: %s; the data before it is kept", spool_source_of(r)->path,
                   (unsigned long long)at_bytes, what);
}

static ls_err spool_damage(const spool_reader *r, ls_err e, const char *what)
{
    return spool_damage_at(r, e, spool_offset(r), what);
}

/* [at_bytes, at_bytes + len_bytes) of the current file, as far as it is there, becomes the chunk. */
static ls_err spool_load(spool_reader *r, uint64_t at_bytes, size_t len_bytes)
{
    const struct spool_source *source = spool_source_of(r);
    const uint64_t left = at_bytes < source->len_bytes ? source->len_bytes - at_bytes : 0;
    size_t len = left < len_bytes ? (size_t)left : len_bytes;
    if (len > r->buffer_len_bytes) {
        free(r->buffer);
        r->buffer = malloc(len + 8);
        r->buffer_len_bytes = r->buffer ? len : 0;
        r->chunk = ls_cursor_over(NULL, 0);
        if (!r->buffer) return ls_nomem("a chunk of %zu bytes of %s", len, source->path);
    }
    LS_TRY(spool_source_read(source, at_bytes, r->buffer, len, &len));
    r->chunk_at_bytes = at_bytes;
    r->chunk = ls_cursor_over(r->buffer, len);
    return LS_OK;
}

static ls_err spool_begin_own(spool_reader *r, struct spool_file_header *out)
{
    LS_TRY(spool_source_header(&r->stream.own, SPOOL_CHUNK_BYTES, out));
    r->is_own = true;
    LS_TRY(spool_load(r, 0, SPOOL_CHUNK_BYTES));
    if (r->chunk.span.len_bytes < sizeof(*out))
        return spool_damage(r, LS_ERR_TRUNCATED, "the file became shorter");
    r->chunk.pos_bytes = sizeof(*out);
    return LS_OK;
}

static ls_err spool_start(spool_reader *r)
{
    if (!r->stream.shared.path && !r->stream.fault) return spool_begin_own(r, &r->header);
    const bool is_shared = r->stream.shared.path != NULL;
    LS_TRY(spool_source_header(spool_source_of(r), is_shared ? SPOOL_SHARED_CHUNK_BYTES : SPOOL_CHUNK_BYTES,
                               &r->header));
    r->header.tid = r->stream.tid;
    return LS_OK;
}

ls_err spool_reader_open(const struct spool_stream *stream, spool_reader **out)
{
    spool_reader *r = calloc(1, sizeof(*r));
    if (!r) return ls_nomem("a reader of a spool");
    r->stream = *stream;
    const ls_err e = spool_start(r);
    if (e == LS_OK)
        *out = r;
    else
        spool_reader_free(r);
    return e;
}

ls_err spool_reader_open_bytes(const void *bytes, size_t len_bytes, const char *name, spool_reader **out)
{
    const struct spool_stream stream = {.own = {.path = name, .bytes = bytes, .len_bytes = len_bytes}};
    return spool_reader_open(&stream, out);
}

void spool_reader_free(spool_reader *r)
{
    if (!r) return;
    free(r->buffer);
    free(r);
}

const struct spool_file_header *spool_reader_header(const spool_reader *r)
{
    return &r->header;
}

/* A killed writer leaves at most one empty chunk after its current one. */
static bool spool_may_end_here(const spool_reader *r)
{
    return r->is_own && r->stream.own.len_bytes <= r->chunk_at_bytes + 2 * (uint64_t)SPOOL_CHUNK_BYTES;
}

/* Is there another chunk of the own file? At its end *out_more is false. */
static ls_err spool_next_own(spool_reader *r, bool *out_more)
{
    const uint64_t at = r->chunk_at_bytes + SPOOL_CHUNK_BYTES;
    *out_more = r->chunk.span.len_bytes == SPOOL_CHUNK_BYTES && at < r->stream.own.len_bytes;
    return *out_more ? spool_load(r, at, SPOOL_CHUNK_BYTES) : LS_OK;
}

/* Continue after the current chunk or piece. At the end *out_more is false. */
static ls_err spool_next_chunk(spool_reader *r, bool *out_more)
{
    const struct spool_stream *s = &r->stream;
    struct spool_file_header h;
    *out_more = true;
    if (r->is_own) return spool_next_own(r, out_more);
    if (r->pieces_read < s->pieces_len) {
        const struct spool_part *p = &s->pieces[r->pieces_read];
        LS_TRY(spool_load(r, p->at_bytes, (size_t)(p->end_bytes - p->at_bytes)));
        r->pieces_read++;
        return LS_OK;
    }
    if (s->fault) return spool_damage_at(r, LS_ERR_FORMAT, s->fault_at_bytes, s->fault);
    *out_more = s->own.path != NULL;
    return *out_more ? spool_begin_own(r, &h) : LS_OK;
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
    if (h.len_bytes > ls_cursor_left(&r->chunk)) {
        const uint64_t end = r->chunk_at_bytes + r->chunk.span.len_bytes;
        const uint32_t chunk_len_bytes = r->is_own ? SPOOL_CHUNK_BYTES : SPOOL_SHARED_CHUNK_BYTES;
        return spool_damage(r, end % chunk_len_bytes != 0 ? LS_ERR_TRUNCATED : LS_ERR_FORMAT,
                            "a record reaches over the end of its chunk");
    }
    const struct spool_rec_header *rec = (const void *)(r->chunk.span.data + r->chunk.pos_bytes);
    const char *fault = spool_rec_fault(rec);
    if (fault) return spool_damage(r, LS_ERR_FORMAT, fault);
    r->rec_at = (struct spool_position){.is_own = r->is_own, .at_bytes = spool_offset(r)};
    r->chunk.pos_bytes += h.len_bytes;
    *out = rec;
    return LS_OK;
}

/* The stack of STACK_DIFF; NULL where a record before it is missing. */
static ls_err spool_take_stack(spool_reader *r, const struct spool_rec_header **out)
{
    const enum spool_unpacked is = spool_unpack_stack(&r->stacks, (const void *)*out, &r->stack);
    if (is == SPOOL_UNPACKED_DAMAGED)
        return spool_damage_at(r, LS_ERR_FORMAT, r->rec_at.at_bytes, "a stack that makes no sense");
    *out = is == SPOOL_UNPACKED ? &r->stack.head.rec : NULL;
    return LS_OK;
}

/* The site of SITE_DIFF; NULL where a record before it is missing. */
static ls_err spool_take_site(spool_reader *r, const struct spool_rec_header **out)
{
    const enum spool_unpacked is = spool_unpack_site(&r->sites, (const void *)*out, &r->site);
    if (is == SPOOL_UNPACKED_DAMAGED)
        return spool_damage_at(r, LS_ERR_FORMAT, r->rec_at.at_bytes, "a call path that makes no sense");
    *out = is == SPOOL_UNPACKED ? &r->site.head.rec : NULL;
    return LS_OK;
}

ls_err spool_reader_next(spool_reader *r, const struct spool_rec_header **out)
{
    for (;;) {
        *out = NULL;
        if (r->accesses.head.accesses_len) {
            if (!spool_unpack_next(&r->accesses, &r->access))
                return spool_damage_at(r, LS_ERR_FORMAT, r->rec_at.at_bytes, "accesses that make no sense");
            *out = &r->access.rec;
            return LS_OK;
        }
        for (bool more = true; ls_cursor_left(&r->chunk) == 0;) {
            LS_TRY(spool_next_chunk(r, &more));
            if (!more) return LS_OK;
        }
        LS_TRY(spool_take_record(r, out));
        if (!*out) return LS_OK;
        switch ((*out)->type) {
        case SPOOL_REC_ACCESSES:
            spool_unpack_begin(&r->accesses, (const void *)*out);
            break;
        case SPOOL_REC_STACK_DIFF:
            LS_TRY(spool_take_stack(r, out));
            if (*out) return LS_OK;
            break;
        case SPOOL_REC_SITE_DIFF:
            LS_TRY(spool_take_site(r, out));
            if (*out) return LS_OK;
            break;
        case SPOOL_REC_PAD:
        case SPOOL_REC_PIECE:
            break;
        default:
            return LS_OK;
        }
    }
}

struct spool_position spool_reader_position(const spool_reader *r)
{
    return r->rec_at;
}
