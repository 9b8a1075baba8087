/* SPDX-License-Identifier: BSD-3-Clause */
/* Loadstone's own trace files (pat_trace_format.h). */
#include "common/ls_vector.h"
#include "patterns/source/pat_codec.h"
#include "patterns/source/pat_input.h"
#include "patterns/source/pat_sources.h"
#include "patterns/source/pat_tables.h"
#include "patterns/source/pat_trace_format.h"
#include "patterns/source/pat_trace_guess.h"
#include "patterns/source/pat_trace_rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { BATCH = 1 << 14 };

struct trace {
    pat_input *input;
    pat_codec *codec;
    uint64_t at_bytes; /* read so far */
    struct pat_guess guess;
    struct pat_rows_reader rows;
    struct pat_tables tables;
    struct pat_source_counts counts;
    struct pat_trace_tail tail;
    bool has_ended;
    /* the chunk: its bytes as they were read, its streams */
    uint64_t chunk_at_bytes;
    uint8_t *packed, *raw;
    size_t packed_room, raw_room;
    struct ls_cursor streams[PAT_STREAMS];
    uint32_t chunk_accesses, chunk_accesses_seen;
    /* the batch */
    struct pat_access accesses[BATCH];
    size_t accesses_len;
    struct pat_event *events;
    size_t events_len, events_room;
};

static bool trace_recognise(const void *bytes, size_t len, const char *path)
{
    (void)path;
    return len >= 8 && memcmp(bytes, PAT_TRACE_MAGIC, 8) == 0;
}

/* Put the file and offset before the text of err. */
static ls_err fail_at(const struct trace *t, ls_err err, uint64_t at_bytes)
{
    char why[256];
    snprintf(why, sizeof(why), "%s", ls_last_error());
    return ls_fail(err, "%s: byte %llu: %s", pat_input_name(t->input), (unsigned long long)at_bytes, why);
}

static ls_err cut(const struct trace *t, const char *what)
{
    return ls_fail(LS_ERR_TRUNCATED,
                   "%s: the trace ends at byte %llu, inside %s; the part before was read (%llu accesses)",
                   pat_input_name(t->input), (unsigned long long)t->at_bytes, what,
                   (unsigned long long)t->counts.accesses);
}

/* --- bytes --- */

/* Read len bytes; *got is less at the end of the file. */
static ls_err read_bytes(struct trace *t, void *out, size_t len, size_t *got)
{
    size_t part;
    for (*got = 0; *got < len; *got += part) {
        LS_TRY(pat_input_read(t->input, (uint8_t *)out + *got, len - *got, &part));
        if (part == 0) break;
        t->at_bytes += part;
    }
    return LS_OK;
}

static ls_err read_all(struct trace *t, void *out, size_t len, const char *what)
{
    size_t got;
    LS_TRY(read_bytes(t, out, len, &got));
    return got == len ? LS_OK : cut(t, what);
}

static ls_err reserve(uint8_t **block, size_t *room, size_t len)
{
    if (len <= *room) return LS_OK;
    uint8_t *grown = realloc(*block, len + len / 4);
    if (!grown) return ls_nomem("%zu bytes of a trace", len);
    *block = grown;
    *room = len + len / 4;
    return LS_OK;
}

/* --- header, chunks, tail --- */

static ls_err check_header(const struct trace *t, const struct pat_trace_header *h)
{
    const char *name = pat_input_name(t->input);
    if (memcmp(h->magic, PAT_TRACE_MAGIC, sizeof(h->magic)) != 0)
        return ls_fail(LS_ERR_FORMAT, "%s is not a trace of loadstone", name);
    if (h->version != PAT_TRACE_VERSION || (h->features_needed & ~PAT_TRACE_NEEDED_KNOWN))
        return ls_fail(
            LS_ERR_VERSION,
            "%s: trace version %u with features %#x; this build reads version %d: use the loadstone "
            "that wrote it or a newer one",
            name, h->version, h->features_needed, PAT_TRACE_VERSION);
    if (h->header_bytes < sizeof(*h) || h->header_bytes > 1 << 16)
        return ls_fail(LS_ERR_FORMAT, "%s is damaged: it has a header of %u bytes (at byte 20)", name,
                       h->header_bytes);
    return LS_OK;
}

static ls_err read_header(struct trace *t)
{
    struct pat_trace_header h;
    uint8_t skip[64];
    LS_TRY(read_all(t, &h, sizeof(h), "the header"));
    LS_TRY(check_header(t, &h));
    while (t->at_bytes < h.header_bytes) {
        const size_t left = h.header_bytes - t->at_bytes;
        LS_TRY(read_all(t, skip, left < sizeof(skip) ? left : sizeof(skip), "the header"));
    }
    t->counts.is_sampled = h.features & PAT_TRACE_SAMPLED;
    t->counts.scale = h.scale;
    return LS_OK;
}

static ls_err chunk_damaged(const struct trace *t, const char *what)
{
    return ls_fail(LS_ERR_FORMAT, "%s: the chunk at byte %llu is damaged: %s", pat_input_name(t->input),
                   (unsigned long long)t->chunk_at_bytes, what);
}

/* Length of a chunk's unpacked streams; 0 if it exceeds the limit. */
static size_t raw_bytes_of(const struct pat_trace_chunk *c)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < PAT_STREAMS; i++)
        sum += c->stream_bytes[i];
    return sum <= PAT_TRACE_CHUNK_BYTES_MAX ? (size_t)sum : 0;
}

static ls_err read_packed(struct trace *t, const struct pat_trace_chunk *c)
{
    size_t got = 0, part;
    if (c->packed_bytes > PAT_TRACE_CHUNK_BYTES_MAX) return chunk_damaged(t, "its length");
    while (got < c->packed_bytes) { /* the buffer grows with the bytes read, not with the length in the
                                     * header */
        const size_t left = c->packed_bytes - got, step = left < 1 << 20 ? left : 1 << 20;
        LS_TRY(reserve(&t->packed, &t->packed_room, got + step));
        LS_TRY(read_bytes(t, t->packed + got, step, &part));
        if (part < step) return cut(t, "a chunk");
        got += part;
    }
    const uLong crc =
        crc32(crc32(0, (const Bytef *)c, offsetof(struct pat_trace_chunk, crc)), t->packed, c->packed_bytes);
    return (uint32_t)crc == c->crc ? LS_OK : chunk_damaged(t, "its checksum differs");
}

static ls_err unpack_chunk(struct trace *t, const struct pat_trace_chunk *c)
{
    const size_t raw_bytes = raw_bytes_of(c);
    if (raw_bytes == 0 || c->codec >= PAT_CODEC_COUNT)
        return chunk_damaged(t, "its lengths or its codec are wrong");
    LS_TRY(reserve(&t->raw, &t->raw_room, raw_bytes));
    const struct pat_packed packed = {
        .data = t->packed, .len_bytes = c->packed_bytes, .id = (enum pat_codec_id)c->codec};
    if (c->codec == PAT_CODEC_NONE && c->packed_bytes != raw_bytes) return chunk_damaged(t, "its lengths");
    if (c->codec == PAT_CODEC_NONE)
        memcpy(t->raw, t->packed, raw_bytes);
    else {
        const ls_err err = pat_codec_unpack(t->codec, &packed, t->raw, raw_bytes);
        if (err != LS_OK) return fail_at(t, err, t->chunk_at_bytes);
    }
    const uint8_t *p = t->raw;
    for (size_t i = 0; i < PAT_STREAMS; i++) {
        t->streams[i] = ls_cursor_over(p, c->stream_bytes[i]);
        p += c->stream_bytes[i];
    }
    return LS_OK;
}

static ls_err read_tail(struct trace *t, const struct pat_trace_chunk *c)
{
    if (c->packed_bytes != sizeof(t->tail)) return chunk_damaged(t, "the length of the tail is wrong");
    memcpy(&t->tail, t->packed, sizeof(t->tail));
    if (t->tail.accesses != t->counts.accesses)
        return chunk_damaged(t, "the tail counts another number of accesses");
    t->counts.skipped = t->tail.skipped;
    t->counts.lost = t->tail.lost;
    t->has_ended = true;
    return LS_OK;
}

/* Read the next chunk; the current one must be used up. */
static ls_err next_chunk(struct trace *t)
{
    struct pat_trace_chunk c;
    if (t->chunk_accesses != t->chunk_accesses_seen)
        return chunk_damaged(t, "it holds another number of accesses");
    for (size_t i = 0; i < PAT_STREAMS; i++)
        if (ls_cursor_left(&t->streams[i])) return chunk_damaged(t, "its streams do not end together");
    t->chunk_at_bytes = t->at_bytes;
    LS_TRY(read_all(t, &c, sizeof(c), "a chunk's header, or its end is missing"));
    if (c.magic != PAT_TRACE_CHUNK && c.magic != PAT_TRACE_TAIL)
        return chunk_damaged(t, "it does not begin like one");
    LS_TRY(read_packed(t, &c));
    if (c.magic == PAT_TRACE_TAIL) return read_tail(t, &c);
    t->chunk_accesses = c.accesses;
    t->chunk_accesses_seen = 0;
    return unpack_chunk(t, &c);
}

/* --- operations --- */

static ls_err switch_thread(struct trace *t)
{
    uint64_t thread;
    if (!pat_varint_get(&t->streams[PAT_STREAM_SITES], &thread) || thread >= t->tables.threads_len)
        return chunk_damaged(t, "the number of a thread is out of range");
    return pat_guess_switch(&t->guess, (uint32_t)thread);
}

static ls_err add_event(struct trace *t, const struct pat_event *event)
{
    LS_TRY(LS_GROW(t->events, t->events_room, t->events_len + 1));
    t->events[t->events_len++] = *event;
    return LS_OK;
}

static ls_err read_rest(struct trace *t)
{
    const ls_err err = pat_rows_get(&t->rows, &t->streams[PAT_STREAM_REST]);
    if (err != LS_OK) return fail_at(t, err, t->chunk_at_bytes);
    return t->rows.is_event ? add_event(t, &t->rows.event) : LS_OK;
}

/* Read the address that belongs to op; false when the stream ends. */
static inline bool read_addr(struct ls_cursor *c, unsigned len, const struct pat_track *k, uint64_t *out)
{
    uint64_t z = 0;
    if (len == 0) {
        *out = k->addr + k->step;
        return true;
    }
    if (!ls_cursor_read(c, &z, len)) return false;
    *out = k->addr + pat_unzigzag(z);
    return true;
}

static ls_err read_access(struct trace *t, uint8_t op)
{
    struct pat_guess_thread *past = t->guess.thread;
    uint64_t site, addr;
    if (!past) return chunk_damaged(t, "an access without a thread");
    site = pat_guess_site(past);
    if (op & PAT_TRACE_SITE && !pat_varint_get(&t->streams[PAT_STREAM_SITES], &site))
        return chunk_damaged(t, "the number of a site is out of range");
    if (site >= t->tables.sites_len) return chunk_damaged(t, "the number of a site is out of range");
    struct pat_track *k = pat_guess_track(past, (uint32_t)site);
    if (!k) return ls_nomem("reading %s", pat_input_name(t->input));
    if (!read_addr(&t->streams[PAT_STREAM_ADDRS], op & PAT_TRACE_KIND, k, &addr))
        return chunk_damaged(t, "an address is missing");
    pat_guess_learn(past, k, (uint32_t)site, addr);
    t->accesses[t->accesses_len++] =
        (struct pat_access){.addr = addr, .site = (uint32_t)site, .thread = t->guess.thread_row};
    return LS_OK;
}

static ls_err read_op(struct trace *t, uint8_t op)
{
    const unsigned kind = op & PAT_TRACE_KIND;
    if (kind <= PAT_TRACE_ADDR_MAX && op < 2 * PAT_TRACE_SITE) return read_access(t, op);
    if (op == PAT_TRACE_THREAD) return switch_thread(t);
    if (op == PAT_TRACE_REST) return read_rest(t);
    return chunk_damaged(t, "an unknown operation");
}

/* True if the next operation is an event that must wait for the next batch. */
static inline bool is_event_next(const struct trace *t, uint8_t op)
{
    const struct ls_cursor *c = &t->streams[PAT_STREAM_REST];
    return op == PAT_TRACE_REST && t->accesses_len > 0 && ls_cursor_left(c) > 0 &&
           c->span.data[c->pos_bytes] < PAT_TRACE_ROW_SITE;
}

/* Decode the chunk until the batch is full. *is_full: it is; else the chunk is used up. */
static ls_err read_ops(struct trace *t, bool *is_full)
{
    struct ls_cursor *ops = &t->streams[PAT_STREAM_OPS];
    *is_full = true;
    for (; ops->pos_bytes < ops->span.len_bytes; ops->pos_bytes++) {
        const uint8_t op = ops->span.data[ops->pos_bytes];
        if (t->accesses_len == BATCH || is_event_next(t, op)) return LS_OK;
        LS_TRY(read_op(t, op));
    }
    *is_full = false;
    return LS_OK;
}

static ls_err trace_fill(struct trace *t)
{
    bool is_full = false;
    while (!t->has_ended && !is_full) {
        const size_t before = t->accesses_len;
        if (ls_cursor_left(&t->streams[PAT_STREAM_OPS]) == 0) {
            if (before || t->events_len) break; /* if a chunk is truncated, only this chunk is lost */
            LS_TRY(next_chunk(t));
        }
        LS_TRY(read_ops(t, &is_full));
        t->chunk_accesses_seen += (uint32_t)(t->accesses_len - before);
        t->counts.accesses += t->accesses_len - before;
    }
    return LS_OK;
}

static ls_err trace_next(void *self, struct pat_batch *b)
{
    struct trace *t = self;
    t->accesses_len = t->events_len = 0;
    LS_TRY(trace_fill(t));
    *b = (struct pat_batch){.events = t->events,
                            .events_len = t->events_len,
                            .accesses = t->accesses,
                            .accesses_len = t->accesses_len};
    return LS_OK;
}

static void trace_close(void *self)
{
    struct trace *t = self;
    pat_input_free(t->input);
    pat_codec_free(t->codec);
    pat_guess_fini(&t->guess);
    pat_tables_fini(&t->tables);
    free(t->packed);
    free(t->raw);
    free(t->events);
    free(t);
}

static ls_err trace_open(const char *path, const struct pat_source_options *o, void **out)
{
    struct trace *t = calloc(1, sizeof(*t));
    (void)o;
    if (!t) return ls_nomem("reading %s", path);
    t->rows.tables = &t->tables;
    t->guess.thread_row = PAT_NONE;
    ls_err err = pat_input_open(path, &t->input);
    if (err == LS_OK) err = pat_codec_new(0, &t->codec);
    if (err == LS_OK) err = read_header(t);
    if (err != LS_OK) {
        trace_close(t);
        return err;
    }
    *out = t;
    return LS_OK;
}

static const struct pat_tables *trace_tables(const void *self)
{
    return &((const struct trace *)self)->tables;
}

static struct pat_source_counts trace_counts(const void *self)
{
    return ((const struct trace *)self)->counts;
}

const struct pat_source_format pat_source_trace = {.name = "trace",
                                                   .text = "loadstone trace",
                                                   .recognise = trace_recognise,
                                                   .open = trace_open,
                                                   .next = trace_next,
                                                   .tables = trace_tables,
                                                   .counts = trace_counts,
                                                   .close = trace_close};
