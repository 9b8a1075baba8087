/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_trace_writer.h"
#include "common/ls_outputs.h"
#include "patterns/source/pat_codec.h"
#include "patterns/source/pat_trace_format.h"
#include "patterns/source/pat_trace_guess.h"
#include "patterns/source/pat_trace_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* Bytes that an operation may take in each stream: two numbers of sites (thread and site), an address. */
enum {
    OPS_ROOM = 2 * PAT_TRACE_CHUNK_OPS,
    SITES_ROOM = 2 * PAT_VARINT_MAX * PAT_TRACE_CHUNK_OPS,
    ADDRS_ROOM = (PAT_TRACE_ADDR_MAX + 1) * PAT_TRACE_CHUNK_OPS,
    REST_FULL = 1 << 20
};

struct pat_trace_writer {
    char *path;
    int fd;
    pat_codec *codec;
    struct pat_guess guess;
    uint8_t *ops, *sites, *addrs; /* fixed room */
    size_t ops_len, sites_len, addrs_len;
    struct pat_rows rows; /* the stream of the rest */
    uint32_t accesses;    /* in the chunk */
    uint64_t accesses_all, bytes;
    bool *is_named; /* for each home: its label was written */
    size_t named_room;
};

static ls_err no_memory(const pat_trace_writer *w)
{
    return ls_nomem("writing the trace %s", w->path);
}

static ls_err write_all(pat_trace_writer *w, const void *data, size_t len_bytes)
{
    const uint8_t *p = data;
    w->bytes += len_bytes;
    while (len_bytes > 0) {
        const ssize_t wrote = write(w->fd, p, len_bytes);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) return ls_fail_errno(errno, "the trace %s cannot be written", w->path);
        p += wrote;
        len_bytes -= (size_t)wrote;
    }
    return LS_OK;
}

static ls_err write_header(pat_trace_writer *w, const struct pat_trace_about *about)
{
    struct pat_trace_header h = {.version = PAT_TRACE_VERSION,
                                 .features = about->is_sampled ? PAT_TRACE_SAMPLED : 0,
                                 .header_bytes = sizeof(h),
                                 .scale = about->scale == 0 ? 1 : about->scale};
    memcpy(h.magic, PAT_TRACE_MAGIC, sizeof(h.magic));
    return write_all(w, &h, sizeof(h));
}

static ls_err writer_open(pat_trace_writer *w, const char *path, const struct pat_trace_about *about)
{
    w->path = strdup(path);
    w->ops = malloc(OPS_ROOM);
    w->sites = malloc(SITES_ROOM);
    w->addrs = malloc(ADDRS_ROOM);
    if (!w->path || !w->ops || !w->sites || !w->addrs) return ls_nomem("writing the trace %s", path);
    LS_TRY(pat_codec_new(about->level, &w->codec));
    w->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (w->fd < 0) return ls_fail_errno(errno, "the trace %s cannot be created", path);
    ls_draft_hold(w->fd);
    return write_header(w, about);
}

ls_err pat_trace_writer_new(const char *path, const struct pat_trace_about *about, pat_trace_writer **out)
{
    pat_trace_writer *w = calloc(1, sizeof(*w));
    if (!w) return ls_nomem("writing the trace %s", path);
    w->fd = -1;
    w->guess.thread_row = PAT_NONE;
    const ls_err err = writer_open(w, path, about);
    if (err != LS_OK) {
        pat_trace_writer_free(w);
        return err;
    }
    *out = w;
    return LS_OK;
}

void pat_trace_writer_free(pat_trace_writer *w)
{
    if (!w) return;
    if (w->fd >= 0) close(w->fd);
    pat_codec_free(w->codec);
    pat_guess_fini(&w->guess);
    pat_rows_fini(&w->rows);
    free(w->ops);
    free(w->sites);
    free(w->addrs);
    free(w->is_named);
    free(w->path);
    free(w);
}

/* --- chunks --- */

static ls_err write_chunk(pat_trace_writer *w, struct pat_trace_chunk *c, const void *packed)
{
    const size_t checked = offsetof(struct pat_trace_chunk, crc);
    c->crc = (uint32_t)crc32(crc32(0, (const Bytef *)c, checked), packed, c->packed_bytes);
    LS_TRY(write_all(w, c, sizeof(*c)));
    return write_all(w, packed, c->packed_bytes);
}

/* Concatenate the streams, in a block that also has room for them packed. */
static uint8_t *join_streams(const pat_trace_writer *w, size_t raw_bytes, size_t room_bytes)
{
    uint8_t *raw = malloc(raw_bytes + room_bytes), *p = raw;
    if (!raw) return NULL;
    p = (uint8_t *)memcpy(p, w->ops, w->ops_len) + w->ops_len;
    p = (uint8_t *)memcpy(p, w->sites, w->sites_len) + w->sites_len;
    p = (uint8_t *)memcpy(p, w->addrs, w->addrs_len) + w->addrs_len;
    if (w->rows.len_bytes) memcpy(p, w->rows.data, w->rows.len_bytes);
    return raw;
}

static ls_err pack_chunk(pat_trace_writer *w, struct pat_trace_chunk *c, size_t raw_bytes)
{
    const size_t room_bytes = pat_codec_bound(raw_bytes);
    uint8_t *raw = join_streams(w, raw_bytes, room_bytes);
    if (!raw) return no_memory(w);
    struct pat_packed p = {.data = raw + raw_bytes, .room_bytes = room_bytes};
    ls_err err = pat_codec_pack(w->codec, raw, raw_bytes, &p);
    if (err == LS_OK) {
        const bool is_smaller = p.len_bytes < raw_bytes;
        c->codec = is_smaller ? p.id : PAT_CODEC_NONE;
        c->packed_bytes = (uint32_t)(is_smaller ? p.len_bytes : raw_bytes);
        err = write_chunk(w, c, is_smaller ? p.data : raw);
    }
    free(raw);
    return err;
}

static ls_err flush_chunk(pat_trace_writer *w)
{
    struct pat_trace_chunk c = {.magic = PAT_TRACE_CHUNK,
                                .stream_bytes = {(uint32_t)w->ops_len, (uint32_t)w->sites_len,
                                                 (uint32_t)w->addrs_len, (uint32_t)w->rows.len_bytes},
                                .accesses = w->accesses};
    if (w->ops_len == 0) return LS_OK;
    LS_TRY(pack_chunk(w, &c, w->ops_len + w->sites_len + w->addrs_len + w->rows.len_bytes));
    w->accesses_all += w->accesses;
    w->ops_len = w->sites_len = w->addrs_len = w->rows.len_bytes = w->accesses = 0;
    return LS_OK;
}

static ls_err flush_if_full(pat_trace_writer *w)
{
    return w->ops_len >= PAT_TRACE_CHUNK_OPS || w->rows.len_bytes >= REST_FULL ? flush_chunk(w) : LS_OK;
}

/* --- rows and events --- */

/* Add one operation for a row or event just appended to the rest. */
static ls_err note_rest(pat_trace_writer *w, ls_err err)
{
    LS_TRY(err);
    w->ops[w->ops_len++] = PAT_TRACE_REST;
    return flush_if_full(w);
}

static ls_err grow_named(pat_trace_writer *w, size_t homes_len)
{
    if (homes_len <= w->named_room) return LS_OK;
    bool *grown = realloc(w->is_named, 2 * homes_len);
    if (!grown) return no_memory(w);
    memset(grown + w->named_room, 0, 2 * homes_len - w->named_room);
    w->is_named = grown;
    w->named_room = 2 * homes_len;
    return LS_OK;
}

static ls_err put_homes(pat_trace_writer *w, const struct pat_tables *t)
{
    LS_TRY(grow_named(w, t->homes_len));
    while (w->rows.known.homes_len < t->homes_len) {
        const size_t i = w->rows.known.homes_len;
        LS_TRY(note_rest(w, pat_rows_put_home(&w->rows, &t->homes[i])));
        w->is_named[i] = t->homes[i].label != NULL;
    }
    return LS_OK;
}

/* Rows that others refer to come first. */
static ls_err put_tables(pat_trace_writer *w, const struct pat_tables *t)
{
    const struct pat_tables *known = &w->rows.known;
    while (known->modules_len < t->modules_len)
        LS_TRY(note_rest(w, pat_rows_put_module(&w->rows, &t->modules[known->modules_len])));
    while (known->sites_len < t->sites_len)
        LS_TRY(note_rest(w, pat_rows_put_site(&w->rows, &t->sites[known->sites_len])));
    if (known->homes_len < t->homes_len) LS_TRY(put_homes(w, t));
    while (known->ranges_len < t->ranges_len)
        LS_TRY(note_rest(w, pat_rows_put_range(&w->rows, &t->ranges[known->ranges_len])));
    while (known->threads_len < t->threads_len)
        LS_TRY(note_rest(w, pat_rows_put_thread(&w->rows, t->threads[known->threads_len].label)));
    while (known->phases_len < t->phases_len)
        LS_TRY(note_rest(w, pat_rows_put_phase(&w->rows, t->phases[known->phases_len])));
    return LS_OK;
}

/* --- accesses --- */

static ls_err switch_thread(pat_trace_writer *w, uint32_t thread)
{
    LS_TRY(pat_guess_switch(&w->guess, thread));
    w->ops[w->ops_len++] = PAT_TRACE_THREAD;
    w->sites_len += pat_varint_put(w->sites + w->sites_len, thread);
    return LS_OK;
}

/* Number of bytes of z without leading zero bytes, at least 1. */
static inline unsigned bytes_of(uint64_t z)
{
    return z ? (71u - (unsigned)__builtin_clzll(z)) / 8 : 1;
}

static ls_err put_access(pat_trace_writer *w, const struct pat_access *a)
{
    if (a->thread != w->guess.thread_row) LS_TRY(switch_thread(w, a->thread));
    struct pat_guess_thread *t = w->guess.thread;
    struct pat_track *k = pat_guess_track(t, a->site);
    if (!k) return no_memory(w);
    uint8_t op = 0;
    if (a->site != pat_guess_site(t)) {
        op = PAT_TRACE_SITE;
        w->sites_len += pat_varint_put(w->sites + w->sites_len, a->site);
    }
    if (a->addr != k->addr + k->step) {
        const uint64_t z = pat_zigzag(a->addr - k->addr);
        const unsigned len = bytes_of(z);
        memcpy(w->addrs + w->addrs_len, &z, sizeof(z));
        w->addrs_len += len;
        op |= (uint8_t)len;
    }
    w->ops[w->ops_len++] = op;
    w->accesses++;
    pat_guess_learn(t, k, a->site, a->addr);
    return LS_OK;
}

static ls_err put_accesses(pat_trace_writer *w, const struct pat_batch *b, const struct pat_tables *t)
{
    for (size_t i = 0; i < b->accesses_len; i++) {
        const struct pat_access *a = &b->accesses[i];
        if (a->site >= t->sites_len || a->thread >= t->threads_len)
            return ls_fail(LS_ERR_ARG, "trace %s: an access has no row for its site or thread", w->path);
        LS_TRY(put_access(w, a));
        if (w->ops_len >= PAT_TRACE_CHUNK_OPS) LS_TRY(flush_chunk(w));
    }
    return LS_OK;
}

ls_err pat_trace_writer_put(pat_trace_writer *w, const struct pat_batch *b, const struct pat_tables *t)
{
    LS_TRY(put_tables(w, t));
    for (size_t i = 0; i < b->events_len; i++)
        LS_TRY(note_rest(w, pat_rows_put_event(&w->rows, &b->events[i])));
    return put_accesses(w, b, t);
}

static ls_err finish(pat_trace_writer *w, const struct pat_tables *t, struct pat_trace_tail *tail)
{
    LS_TRY(put_tables(w, t));
    for (size_t i = 0; i < t->homes_len; i++)
        if (!w->is_named[i] && t->homes[i].label)
            LS_TRY(note_rest(w, pat_rows_put_label(&w->rows, (uint32_t)i, t->homes[i].label)));
    LS_TRY(flush_chunk(w));
    tail->accesses = w->accesses_all;
    struct pat_trace_chunk c = {.magic = PAT_TRACE_TAIL, .packed_bytes = sizeof(*tail)};
    LS_TRY(write_chunk(w, &c, tail));
    const int fd = w->fd;
    w->fd = -1;
    return close(fd) == 0 ? LS_OK : ls_fail_errno(errno, "the trace %s cannot be written", w->path);
}

ls_err pat_trace_writer_finish(pat_trace_writer *w, const struct pat_tables *t, uint64_t skipped,
                               uint64_t lost)
{
    struct pat_trace_tail tail = {.skipped = skipped, .lost = lost};
    const ls_err err = finish(w, t, &tail);
    pat_trace_writer_free(w);
    return err;
}
