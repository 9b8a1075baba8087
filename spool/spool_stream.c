/* SPDX-License-Identifier: BSD-3-Clause */
#include "spool/spool_stream.h"

#include "common/ls_owner.h"
#include "common/ls_sorted.h"
#include "common/ls_span.h"
#include "common/ls_vector.h"

#include <stdlib.h>

ls_err spool_stream_of_file(const char *path, struct spool_stream *out)
{
    *out = (struct spool_stream){0};
    return spool_source_of_file(path, &out->own);
}

/* A piece of a stream, in the order of the file. */
struct spool_found {
    uint32_t stream, sequence, tid;
    struct spool_part part;
};

struct spool_scan {
    const struct spool_source *source;
    struct spool_found *rows;
    size_t len, room;
    bool has_orphan; /* number of records without a stream, the first at orphan_at_bytes */
    uint64_t orphan_at_bytes;
};

static ls_err spool_scan_add(struct spool_scan *s, const struct spool_piece *p, uint64_t at_bytes)
{
    LS_TRY(LS_GROW(s->rows, s->room, s->len + 1));
    s->rows[s->len++] = (struct spool_found){p->stream, p->sequence, p->tid, {at_bytes, at_bytes}};
    return LS_OK;
}

static void spool_scan_orphan(struct spool_scan *s, uint64_t at_bytes)
{
    if (s->has_orphan) return;
    s->has_orphan = true;
    s->orphan_at_bytes = at_bytes;
}

/* Find the pieces of one chunk. Damage ends the search: it is in the previous piece, whose reader will find
 * it. */
static ls_err spool_scan_chunk(struct spool_scan *s, struct ls_cursor *c, uint64_t chunk_at_bytes)
{
    bool is_piece = false;
    for (;;) {
        struct ls_cursor ahead = *c;
        struct spool_rec_header h = {0};
        struct spool_piece p;
        const uint64_t at = chunk_at_bytes + c->pos_bytes;
        const bool has_header = ls_cursor_read(&ahead, &h, sizeof(h));
        if (has_header ? h.type == 0 && h.flags == 0 && h.len_bytes == 0 : ls_cursor_left(c) == 0) break;
        ahead = *c;
        const bool begins = h.type == SPOOL_REC_PIECE && h.len_bytes == sizeof(p);
        const bool is_whole = has_header && h.len_bytes >= sizeof(h) && h.len_bytes % 8 == 0 &&
                              ls_cursor_take(&ahead, h.len_bytes);
        if (is_whole && begins) {
            ls_cursor_read(c, &p, sizeof(p));
            LS_TRY(spool_scan_add(s, &p, at + sizeof(p)));
            is_piece = true;
        } else if (!is_piece) {
            spool_scan_orphan(s, at);
            break;
        }
        if (!is_whole) c->pos_bytes = c->span.len_bytes;
        if (is_whole && !begins) *c = ahead;
        s->rows[s->len - 1].part.end_bytes = chunk_at_bytes + c->pos_bytes;
    }
    return LS_OK;
}

static ls_err spool_scan_all(struct spool_scan *s)
{
    uint64_t buffer[SPOOL_SHARED_CHUNK_BYTES / sizeof(uint64_t)];
    for (uint64_t at = 0; at < s->source->len_bytes; at += SPOOL_SHARED_CHUNK_BYTES) {
        size_t have;
        LS_TRY(spool_source_read(s->source, at, buffer, sizeof(buffer), &have));
        struct ls_cursor c = ls_cursor_over(buffer, have);
        if (at == 0) c.pos_bytes = sizeof(struct spool_file_header);
        if (have > c.pos_bytes) LS_TRY(spool_scan_chunk(s, &c, at));
    }
    return LS_OK;
}

static int spool_compare_found(const void *a, const void *b)
{
    const struct spool_found *x = a, *y = b;
    if (x->stream != y->stream) return x->stream < y->stream ? -1 : 1;
    if (x->sequence != y->sequence) return x->sequence < y->sequence ? -1 : 1;
    return (x->part.at_bytes > y->part.at_bytes) - (x->part.at_bytes < y->part.at_bytes);
}

static ls_err spool_streams_add(struct spool_streams *s, const struct spool_stream *row)
{
    LS_TRY(LS_GROW(s->rows, s->room, s->len + 1));
    s->rows[s->len++] = *row;
    return LS_OK;
}

static ls_err spool_streams_group(struct spool_streams *s, const struct spool_scan *scan)
{
    for (size_t from = 0, to; from < scan->len; from = to) {
        const struct spool_found *first = &scan->rows[from];
        struct spool_stream stream = {
            .tid = first->tid, .number = first->stream, .shared = *scan->source, .pieces = s->parts + from};
        for (to = from; to < scan->len && scan->rows[to].stream == first->stream; to++) {
            if (stream.fault) continue;
            if (scan->rows[to].sequence != to - from) {
                stream.fault = "a piece of this thread's records is missing";
                stream.fault_at_bytes = scan->rows[to].part.at_bytes;
                continue;
            }
            s->parts[to] = scan->rows[to].part;
            stream.pieces_len++;
        }
        LS_TRY(spool_streams_add(s, &stream));
    }
    s->scanned_len = s->len;
    if (!scan->has_orphan) return LS_OK;
    const struct spool_stream orphan = {.number = UINT32_MAX,
                                        .shared = *scan->source,
                                        .fault = "records of no thread",
                                        .fault_at_bytes = scan->orphan_at_bytes};
    return spool_streams_add(s, &orphan);
}

static ls_err spool_streams_fill(struct spool_streams *out, struct spool_scan *scan)
{
    LS_TRY(spool_scan_all(scan));
    if (scan->len > 0) qsort(scan->rows, scan->len, sizeof(*scan->rows), spool_compare_found);
    out->parts = calloc(scan->len + 1, sizeof(*out->parts));
    if (!out->parts) return ls_nomem("the pieces of %s", scan->source->path);
    return spool_streams_group(out, scan);
}

ls_err spool_streams_scan(const struct spool_source *shared, struct spool_streams *out)
{
    struct spool_scan scan = {.source = shared};
    const ls_err e = spool_streams_fill(out, &scan);
    free(scan.rows);
    return e;
}

/* The PIECE record that the file begins with, if any. */
static bool spool_begins_with_piece(const struct spool_source *own, struct spool_piece *out)
{
    size_t have;
    return spool_source_read(own, sizeof(struct spool_file_header), out, sizeof(*out), &have) == LS_OK &&
           have == sizeof(*out) && out->rec.type == SPOOL_REC_PIECE && out->rec.len_bytes == sizeof(*out);
}

static struct spool_stream *spool_streams_numbered(const struct spool_streams *s, uint32_t number)
{
    size_t low;
    LS_COUNT_FIRST(low, s->scanned_len, i, s->rows[i].number < number);
    return low < s->scanned_len && s->rows[low].number == number ? &s->rows[low] : NULL;
}

ls_err spool_streams_add_own(struct spool_streams *s, const struct spool_source *own, uint32_t tid,
                             uint32_t number)
{
    struct spool_piece p;
    const struct spool_stream row = {.tid = tid, .number = number, .own = *own};
    if (!spool_begins_with_piece(own, &p) || p.sequence == 0) return spool_streams_add(s, &row);
    struct spool_stream *before = spool_streams_numbered(s, p.stream);
    if (before && before->pieces_len == p.sequence && !before->own.path) {
        before->own = *own;
        return LS_OK;
    }
    const struct spool_stream torn = {.tid = tid,
                                      .number = number,
                                      .own = *own,
                                      .fault = "the records of this thread that come before are missing",
                                      .fault_at_bytes = sizeof(struct spool_file_header)};
    return spool_streams_add(s, &torn);
}

static int spool_compare_streams(const void *a, const void *b)
{
    const struct spool_stream *x = a, *y = b;
    if (x->tid != y->tid) return x->tid < y->tid ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

void spool_streams_sort(struct spool_streams *s)
{
    if (s->len > 0) qsort(s->rows, s->len, sizeof(*s->rows), spool_compare_streams);
}

void spool_streams_fini(struct spool_streams *s)
{
    free(s->rows);
    free(s->parts);
    *s = (struct spool_streams){0};
}

bool spool_source_is_shared(const struct spool_source *s)
{
    struct spool_file_header h;
    size_t have;
    return spool_source_read(s, 0, &h, sizeof(h), &have) == LS_OK && have == sizeof(h) &&
           h.magic == SPOOL_MAGIC && h.chunk_len_bytes == SPOOL_SHARED_CHUNK_BYTES;
}

uid_t spool_streams_author(const struct spool_streams *s)
{
    uid_t author = LS_OWNER_OURS;
    for (size_t i = 0; i < s->len; i++)
        author = ls_owner_meet(author, ls_owner_meet(s->rows[i].shared.author, s->rows[i].own.author));
    return author;
}
