/* SPDX-License-Identifier: BSD-3-Clause */
/* Record the program's natural domains in the spool as they change. The content of a domain or map is written
 * once: equal content is recorded by the number of the first copy, and a changed one by its changed
 * pieces. */
#include "common/ls_compat.h"
#include "ndm/ndm_registry.h"
#include "ndm/ndm_wire.h"
#include "runtime/core/rt_collector.h"
#include "runtime/core/rt_registry.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_tap_sigsafe.h"
#include "spool/spool_put_domains_sigsafe.h"

#include <string.h>
#include <sys/mman.h>

bool ndm_keeps_unreported = true;

/* Arrays that grow, in memory of our own: we must not use the program's allocator. */

enum { GROWN_FIRST_BYTES = 4096 };

#define GROWN(type)      \
    struct {             \
        type *rows;      \
        size_t len, cap; \
    }

/* Zeroed pages; NULL without memory. */
static void *grown_map(size_t len_bytes)
{
    const long at =
        ls_syscall(SYS_mmap, NULL, len_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at < 0 && at > -GROWN_FIRST_BYTES ? NULL : (void *)at;
}

/* Grow to twice the room, or to len; NULL without memory, and nothing has changed then. */
static void *grown_more(void *rows, size_t *cap, size_t len, size_t row_bytes)
{
    size_t want = *cap ? 2 * *cap : GROWN_FIRST_BYTES / row_bytes;
    if (want < len) want = len;
    const long at = rows ? ls_syscall(SYS_mremap, rows, *cap * row_bytes, want * row_bytes, MREMAP_MAYMOVE)
                         : (long)(uintptr_t)grown_map(want * row_bytes);
    if (at == 0 || (at < 0 && at > -GROWN_FIRST_BYTES)) return NULL;
    *cap = want;
    return (void *)at;
}

/* Provide at least len_rows rows, new ones zero; false without memory. */
#define grown_room(grown, len_rows)                                                            \
    __extension__({                                                                            \
        __typeof__(grown) grown_ = (grown);                                                    \
        const size_t len_ = (len_rows);                                                        \
        bool ok_ = true;                                                                       \
        if (len_ > grown_->cap) {                                                              \
            void *more_ = grown_more(grown_->rows, &grown_->cap, len_, sizeof(*grown_->rows)); \
            ok_ = more_ != NULL;                                                               \
            if (ok_) grown_->rows = more_;                                                     \
        }                                                                                      \
        if (ok_ && len_ > grown_->len) grown_->len = len_;                                     \
        ok_;                                                                                   \
    })

/* Append; false without memory. */
#define grown_add(grown, row)                                      \
    __extension__({                                                \
        const bool added_ = grown_room((grown), (grown)->len + 1); \
        if (added_) (grown)->rows[(grown)->len - 1] = (row);       \
        added_;                                                    \
    })

/* Divisor for the part of the spool's cap that all domains and maps together may take; without a cap, the
 * default cap counts. */
enum { RT_DOMAINS_PART = 2 };
#define RT_DOMAINS_USUAL_BYTES (UINT64_C(512) << 20)

/* Content that is in the spool. */
struct rt_content {
    uint64_t hash, total_bytes; /* as it is now */
    uint32_t first_piece;       /* hashes of its pieces, in pieces */
    uint32_t users;             /* domains and maps that ever named it */
};

/* All under the registry's lock. */
static struct {
    GROWN(struct rt_content) contents; /* number - 1 */
    GROWN(uint64_t) pieces;
    GROWN(uint32_t) domains, maps; /* number - 1: the number of its content, 0: none */
    uint64_t written_bytes;
    uint8_t *buffer; /* room for one piece */
} kept;

/* --- bytes, in pieces --- */

/* One walk through the bytes of a domain or map. */
struct rt_walk {
    void (*on_piece)(struct rt_walk *w, const void *bytes, uint32_t len_bytes, uint64_t hash);
    struct rt_content *old; /* previous content; NULL: none */
    uint32_t number;
    uint64_t total_bytes, done_bytes, hash;
    uint32_t fill_bytes, piece;
    bool failed;
};

/* MurmurHash64A's mixing (Appleby), a word at a time: the input is the program's own data, so it need not
 * resist attacks. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    const uint64_t m = UINT64_C(0xc6a4a7935bd1e995);
    word *= m;
    word ^= word >> 47;
    word *= m;
    return (hash ^ word) * m;
}

static uint64_t hash_of(const uint8_t *bytes, uint32_t len_bytes)
{
    uint64_t hash = len_bytes, word;
    for (uint32_t i = 0; i + sizeof(word) <= len_bytes; i += sizeof(word)) {
        memcpy(&word, bytes + i, sizeof(word));
        hash = mix(hash, word);
    }
    return hash ^ hash >> 29;
}

static void end_piece(struct rt_walk *w)
{
    const uint64_t hash = hash_of(kept.buffer, w->fill_bytes); /* wire lengths are multiples of 8 */
    w->hash = mix(w->hash, hash);
    if (w->on_piece) w->on_piece(w, kept.buffer, w->fill_bytes, hash);
    w->done_bytes += w->fill_bytes;
    w->piece++;
    w->fill_bytes = 0;
}

static void take_bytes(void *walk, const void *bytes, size_t len_bytes)
{
    struct rt_walk *w = walk;
    for (const uint8_t *at = bytes; len_bytes > 0;) {
        const size_t room = SPOOL_DATA_PIECE_BYTES - w->fill_bytes;
        const size_t n = len_bytes < room ? len_bytes : room;
        memcpy(kept.buffer + w->fill_bytes, at, n);
        w->fill_bytes += (uint32_t)n;
        at += n;
        len_bytes -= n;
        if (w->fill_bytes == SPOOL_DATA_PIECE_BYTES) end_piece(w);
    }
}

/* A domain or a map. */
struct rt_subject {
    const struct ndm_geometry *geometry;
    const struct ndm_map *map;
};

static uint64_t subject_bytes(const struct rt_subject *s)
{
    return s->geometry ? ndm_geometry_wire_bytes(s->geometry) : ndm_map_wire_bytes(s->map);
}

static void walk_through(struct rt_walk *w, const struct rt_subject *s)
{
    w->hash = w->total_bytes = subject_bytes(s);
    if (s->geometry)
        ndm_geometry_put(s->geometry, take_bytes, w);
    else
        ndm_map_put(s->map, take_bytes, w);
    if (w->fill_bytes > 0) end_piece(w);
}

/* --- content --- */

static void put_piece(struct rt_walk *w, const void *bytes, uint32_t len_bytes, uint64_t hash)
{
    uint64_t *const before = w->old ? &kept.pieces.rows[w->old->first_piece + w->piece] : NULL;
    if (before && *before == hash) return;
    const struct spool_domain_data rec = {.time_ns = ls_clock_mono_ns(),
                                          .total_bytes = w->total_bytes,
                                          .first_byte = w->done_bytes,
                                          .data = w->number};
    const struct spool_text piece = {bytes, len_bytes};
    if (!spool_put_domain_data(rt_spool_writer(rt_tls.thread), rec, piece)) w->failed = true;
    kept.written_bytes += len_bytes;
    if (before)
        *before = hash;
    else if (!grown_add(&kept.pieces, hash))
        w->failed = true;
}

static bool has_room(uint64_t more_bytes)
{
    const uint64_t cap = rt_state.config.spool_max_bytes;
    const uint64_t most = cap ? cap / RT_DOMAINS_PART : RT_DOMAINS_USUAL_BYTES;
    return kept.written_bytes <= most && more_bytes <= most - kept.written_bytes;
}

static uint32_t find_content(uint64_t hash, uint64_t total_bytes)
{
    for (size_t i = kept.contents.len; i-- > 0;)
        if (kept.contents.rows[i].hash == hash && kept.contents.rows[i].total_bytes == total_bytes)
            return (uint32_t)i + 1;
    return 0;
}

/* Write it whole under a new number; 0: failed. */
static uint32_t write_new(const struct rt_subject *s, const struct rt_walk *seen)
{
    const struct rt_content content = {
        .hash = seen->hash, .total_bytes = seen->total_bytes, .first_piece = (uint32_t)kept.pieces.len};
    struct rt_walk w = {.on_piece = put_piece, .number = (uint32_t)kept.contents.len + 1};
    if (!has_room(seen->total_bytes) || !grown_add(&kept.contents, content)) return 0;
    walk_through(&w, s);
    if (!w.failed) return w.number;
    kept.contents.rows[w.number - 1].total_bytes = 0; /* nobody shares half of it */
    return 0;
}

/* Write the pieces that changed; 0: there is no room for more. */
static uint32_t write_changes(const struct rt_subject *s, uint32_t number, const struct rt_walk *seen)
{
    struct rt_content *c = &kept.contents.rows[number - 1];
    struct rt_walk w = {.on_piece = put_piece, .number = number, .old = c};
    if (!has_room(seen->total_bytes)) return 0;
    walk_through(&w, s);
    c->hash = seen->hash;
    return w.failed ? 0 : number;
}

static bool have_buffer(void)
{
    if (!kept.buffer) kept.buffer = grown_map(SPOOL_DATA_PIECE_BYTES);
    return kept.buffer != NULL;
}

/* Return the number of this content, after writing it to the spool where it is new; 0: it could not be
 * written. before: the number that the domain or map had. */
static uint32_t content_of(const struct rt_subject *s, uint32_t before)
{
    struct rt_walk seen = {0};
    if (!have_buffer()) return 0;
    walk_through(&seen, s);
    uint32_t number = find_content(seen.hash, seen.total_bytes);
    if (number == 0 && before && kept.contents.rows[before - 1].users == 1 &&
        kept.contents.rows[before - 1].total_bytes == seen.total_bytes)
        return write_changes(s, before, &seen);
    if (number == 0) number = write_new(s, &seen);
    if (number != 0 && number != before) kept.contents.rows[number - 1].users++;
    return number;
}

/* --- events --- */

/* The row of domain or map `number` in its table; NULL: no memory. */
#define ROW_OF(table, number) (grown_room(&(table), (number)) ? &(table).rows[(number)-1] : NULL)

/* Charge the whole time: a long call here is no sample of many similar calls, and no reason to record fewer blocks. */
static void charge(uint64_t begin_ns)
{
    const uint64_t spent_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
    __atomic_fetch_add(&rt_state.budget.copies_ns, spent_ns, __ATOMIC_RELAXED);
    rt_budget_hook_forget();
}

static void left_out(void)
{
    rt_event_count_sigsafe(SPOOL_EVENT_DOMAINS_LEFT_OUT, 1, 0);
}

static void put_domain(struct rt_thread *t, uint32_t domain, const struct ndm_geometry *g)
{
    const struct rt_subject subject = {.geometry = g};
    uint32_t *row = ROW_OF(kept.domains, domain);
    const uint32_t data = row ? content_of(&subject, *row) : 0;
    if (data == 0) return left_out();
    *row = data;
    const struct spool_domain rec = {.time_ns = ls_clock_mono_ns(), .domain = domain, .data = data};
    spool_put_domain(rt_spool_writer(t), rec);
}

static void put_map(struct rt_thread *t, uint32_t map, uint32_t domain, const struct ndm_map *m)
{
    const struct rt_subject subject = {.map = m};
    uint32_t *row = ROW_OF(kept.maps, map);
    const uint32_t data = row ? content_of(&subject, *row) : 0;
    if (data == 0) return left_out();
    *row = data;
    const struct spool_map rec = {.time_ns = ls_clock_mono_ns(), .map = map, .domain = domain, .data = data};
    spool_put_map(rt_spool_writer(t), rec);
}

static void on_domain(void *user, uint32_t domain, const struct ndm_geometry *g)
{
    (void)user;
    struct rt_thread *t = rt_enter();
    if (!t) return;
    const uint64_t begin_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    put_domain(t, domain, g);
    charge(begin_ns);
    rt_leave();
}

static void on_domain_remove(void *user, uint32_t domain)
{
    (void)user;
    struct rt_thread *t = rt_enter();
    if (!t) return;
    spool_put_domain_end(rt_spool_writer(t), ls_clock_mono_ns(), domain);
    rt_leave();
}

static void on_map(void *user, uint32_t map, uint32_t domain, const struct ndm_map *m)
{
    (void)user;
    struct rt_thread *t = rt_enter();
    if (!t) return;
    const uint64_t begin_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    if (m->kind == NDM_MAP_CALLBACK) rt_collector_need(true);
    put_map(t, map, domain, m);
    charge(begin_ns);
    rt_leave();
}

static void on_node_map(void *user, uint32_t node, uint32_t map)
{
    (void)user;
    struct rt_thread *t = rt_enter();
    if (!t) return;
    if (ndm_calls_len() > 0) rt_tap_want(true);
    spool_put_node_map(rt_spool_writer(t), ls_clock_mono_ns(), node, map);
    rt_leave();
}

static void on_settle(void *user)
{
    (void)user;
    rt_collector_drain();
}

static const struct ndm_sink sink = {
    .domain_add = on_domain,
    .domain_change = on_domain,
    .domain_remove = on_domain_remove,
    .map_add = on_map,
    .node_map = on_node_map,
    .settle = on_settle,
};

void rt_domains_init(void)
{
    ndm_registry_set_sink(&sink);
}

void rt_domains_end(void)
{
    ndm_registry_set_sink(NULL);
    /* the next spool has nothing yet */
    kept.contents.len = kept.pieces.len = 0;
    if (kept.domains.len) memset(kept.domains.rows, 0, kept.domains.len * sizeof(kept.domains.rows[0]));
    if (kept.maps.len) memset(kept.maps.rows, 0, kept.maps.len * sizeof(kept.maps.rows[0]));
    kept.written_bytes = 0;
}
