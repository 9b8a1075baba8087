/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/trace/host/trc_reader.h"

#include "common/ls_vector.h"
#include "tools/trace/trc_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TRC_SLEEP_NS = 5000000 };

/* A block that the reader holds, or that its thread is still writing to. */
struct trc_piece {
    struct trc_block *block;
    uint32_t done;   /* rows */
    bool is_open;    /* its thread may still write to it */
    bool has_queued; /* it was taken from the queue */
};

/* Blocks of a thread in their order. */
struct trc_stream {
    struct trc_piece *pieces;
    size_t first, len, room;
    uint64_t next_serial; /* serial of the block after the last piece */
    uint64_t mark;        /* events before its next row */
};

struct trc_reader {
    struct trc_ring *ring;
    struct trc_stream *streams; /* by thread */
    size_t streams_len;
    uint32_t *busy; /* threads with pieces */
    size_t busy_len, busy_room, turn;
    uint64_t queue_head, events_done;
    int ended;
    bool has_swept;
    bool is_spent[TRC_BLOCKS]; /* read before it was taken from the queue, in which it still is */
};

ls_err trc_reader_new(trc_reader **out, int *fd)
{
    trc_reader *r = calloc(1, sizeof(*r));
    *fd = memfd_create("loadstone-trace", MFD_CLOEXEC);
    if (!r || *fd < 0 || ftruncate(*fd, sizeof(struct trc_ring)) != 0) {
        const int saved = errno;
        if (*fd >= 0) close(*fd);
        free(r);
        return ls_fail_errno(saved, "cannot create the memory that the tracer writes to");
    }
    void *at = mmap(NULL, sizeof(struct trc_ring), PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (at == MAP_FAILED) {
        const int saved = errno;
        close(*fd);
        free(r);
        return ls_fail_errno(saved, "cannot map the memory that the tracer writes to");
    }
    r->ring = at;
    r->ring->reader_pid = (uint32_t)getpid();
    TRC_STORE(r->ring->magic, TRC_MAGIC);
    *out = r;
    return LS_OK;
}

void trc_reader_free(trc_reader *r)
{
    if (!r) return;
    for (size_t i = 0; i < r->streams_len; i++)
        free(r->streams[i].pieces);
    free(r->streams);
    free(r->busy);
    munmap(r->ring, sizeof(*r->ring));
    free(r);
}

struct trc_ring *trc_reader_ring(const trc_reader *r)
{
    return r->ring;
}

void trc_reader_set_ended(trc_reader *r)
{
    TRC_STORE(r->ended, 1);
    __atomic_fetch_add(&r->ring->wake, 1, __ATOMIC_RELEASE);
    trc_futex_wake(&r->ring->wake, 1);
}

static void trc_release_all_waiters(struct trc_ring *ring)
{
    __atomic_fetch_add(&ring->released, 1, __ATOMIC_RELEASE);
    trc_futex_wake(&ring->released, TRC_SLOTS);
}

void trc_reader_close(trc_reader *r)
{
    TRC_STORE(r->ring->is_closed, 1);
    trc_release_all_waiters(r->ring);
}

static void trc_give_back(trc_reader *r, struct trc_block *b)
{
    struct trc_ring *ring = r->ring;
    TRC_STORE(b->state, TRC_FREE);
    uint64_t head = TRC_LOAD(ring->free_blocks), next;
    do {
        __atomic_store_n(&b->next, (uint32_t)head, __ATOMIC_RELAXED);
        next = ((head >> 32) + 1) << 32 | (uint64_t)(b - ring->blocks + 1);
    } while (!__atomic_compare_exchange_n(&ring->free_blocks, &head, next, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
    const uint32_t before = __atomic_fetch_sub(&ring->filled, 1, __ATOMIC_ACQ_REL);
    if (before >= TRC_FILLED_MAX) trc_release_all_waiters(ring);
}

/* End the run without memory for reading, because the need is small and the program cannot wait for it. */
static void trc_need(ls_err grown)
{
    if (grown != LS_OK) abort();
}

static struct trc_stream *trc_stream_of(trc_reader *r, uint32_t thread)
{
    const size_t len = r->streams_len;
    if (thread >= len) {
        trc_need(LS_GROW(r->streams, r->streams_len, (size_t)thread + 1));
        memset(r->streams + len, 0, (r->streams_len - len) * sizeof(*r->streams));
    }
    return &r->streams[thread];
}

/* Handle a block from the queue that the stream already has, or had. */
static void trc_stream_known(trc_reader *r, struct trc_stream *s, struct trc_block *b)
{
    bool *is_spent = &r->is_spent[b - r->ring->blocks];
    for (size_t i = 0; i < s->len; i++) {
        struct trc_piece *p = &s->pieces[s->first + i];
        if (p->block != b) continue;
        p->is_open = false;
        p->has_queued = true;
    }
    if (*is_spent) trc_give_back(r, b);
    *is_spent = false;
}

static void trc_stream_add(trc_reader *r, struct trc_block *b, bool has_queued)
{
    struct trc_stream *s = trc_stream_of(r, b->thread);
    if (b->serial < s->next_serial) {
        if (has_queued) trc_stream_known(r, s, b);
        return;
    }
    if (s->first + s->len == s->room && s->first > 0) {
        memmove(s->pieces, s->pieces + s->first, s->len * sizeof(*s->pieces));
        s->first = 0;
    }
    trc_need(LS_GROW(s->pieces, s->room, s->first + s->len + 1));
    if (s->len == 0) {
        trc_need(LS_GROW(r->busy, r->busy_room, r->busy_len + 1));
        r->busy[r->busy_len++] = b->thread;
    }
    if (s->len > 0)
        s->pieces[s->first + s->len - 1].is_open = false; /* its thread continues in another block */
    s->pieces[s->first + s->len++] =
        (struct trc_piece){.block = b, .is_open = !has_queued, .has_queued = has_queued};
    s->next_serial = b->serial + 1;
}

static void trc_take_queue(trc_reader *r)
{
    struct trc_ring *ring = r->ring;
    for (;;) {
        uint32_t *slot = &ring->queue[r->queue_head % TRC_BLOCKS];
        const uint32_t block = TRC_LOAD(*slot);
        if (block == 0 || block > TRC_BLOCKS) return;
        *slot = 0;
        r->queue_head++;
        trc_stream_add(r, &ring->blocks[block - 1], true);
    }
}

/* Take the next block of each thread if it is full but not yet in the queue, or queued after such a block. */
static bool trc_take_filled(trc_reader *r)
{
    const uint32_t made = TRC_LOAD(r->ring->blocks_made);
    bool is_any = false;
    for (uint32_t i = 0; i < made && i < TRC_BLOCKS; i++) {
        struct trc_block *b = &r->ring->blocks[i];
        if (TRC_LOAD(b->state) != TRC_FILLED || b->serial != trc_stream_of(r, b->thread)->next_serial)
            continue;
        trc_stream_add(r, b, false);
        is_any = true;
    }
    return is_any;
}

/* Take the rows that threads have written to their open blocks so far. */
static void trc_take_open(trc_reader *r)
{
    const uint32_t slots = TRC_LOAD(r->ring->slots_used);
    while (TRC_LOAD(r->ring->queue_tail) != r->queue_head && trc_take_filled(r))
        ;
    for (uint32_t i = 0; i < slots && i < TRC_SLOTS; i++) {
        const uint32_t block = TRC_LOAD(r->ring->slots[i].block);
        if (block == 0 || block > TRC_BLOCKS) continue;
        struct trc_block *b = &r->ring->blocks[block - 1];
        if (TRC_LOAD(b->state) != TRC_OPEN)
            continue; /* check it before the other fields, which are set before it */
        if (b->serial == trc_stream_of(r, b->thread)->next_serial) trc_stream_add(r, b, false);
    }
}

/* Drop the piece at the front: earlier calls returned its rows. */
static void trc_stream_pop(trc_reader *r, struct trc_stream *s, size_t busy)
{
    const struct trc_piece *p = &s->pieces[s->first];
    if (p->has_queued)
        trc_give_back(r, p->block);
    else
        r->is_spent[p->block - r->ring->blocks] = true;
    s->first++;
    if (--s->len > 0) return;
    s->first = 0;
    r->busy[busy] = r->busy[--r->busy_len];
}

/* Rows of accesses from at on. */
static uint32_t trc_run_len(const struct trc_block *b, uint32_t at, uint32_t len)
{
    uint32_t end = at;
    while (end < len && b->rows[end].site < TRC_BREAK)
        end++;
    return end - at;
}

enum trc_step { TRC_STEP_ITEM, TRC_STEP_AGAIN, TRC_STEP_NOTHING };

/* Do one step in the stream of the thread with number busy. */
static enum trc_step trc_stream_step(trc_reader *r, size_t busy, struct trc_item *out)
{
    struct trc_stream *s = &r->streams[r->busy[busy]];
    struct trc_piece *p = &s->pieces[s->first];
    struct trc_block *b = p->block;
    const bool is_open = p->is_open;
    const uint32_t len = TRC_LOAD(b->len);
    if (p->done >= len || p->done >= TRC_BLOCK_ROWS) {
        if (is_open) return TRC_STEP_NOTHING;
        trc_stream_pop(r, s, busy);
        return TRC_STEP_AGAIN;
    }
    const struct trc_access *row = &b->rows[p->done];
    if (row->site == TRC_MARK) {
        s->mark = row->addr;
        p->done++;
        return TRC_STEP_AGAIN;
    }
    if (s->mark > r->events_done) return TRC_STEP_NOTHING;
    out->thread = b->thread;
    if (row->site == TRC_BREAK) {
        out->kind = TRC_ITEM_BREAK;
        p->done++;
        return TRC_STEP_ITEM;
    }
    out->kind = TRC_ITEM_ACCESSES;
    out->accesses = row;
    out->len = trc_run_len(b, p->done, len < TRC_BLOCK_ROWS ? len : TRC_BLOCK_ROWS);
    p->done += (uint32_t)out->len;
    return TRC_STEP_ITEM;
}

/* Return the next rows of any thread that precede the next event. */
static bool trc_take_rows(trc_reader *r, struct trc_item *out)
{
    for (size_t tried = 0; tried < r->busy_len;) {
        if (r->turn >= r->busy_len) r->turn = 0;
        const enum trc_step step = trc_stream_step(r, r->turn, out);
        if (step == TRC_STEP_ITEM) return true;
        if (step == TRC_STEP_AGAIN) {
            tried = 0;
            continue;
        }
        r->turn++;
        tried++;
    }
    return false;
}

static bool trc_event_is_there(const trc_reader *r)
{
    return TRC_LOAD(r->ring->events[r->events_done % TRC_EVENTS].ready) == r->events_done + 1;
}

static void trc_take_event(trc_reader *r, struct trc_item *out)
{
    out->kind = TRC_ITEM_EVENT;
    out->event = r->ring->events[r->events_done % TRC_EVENTS];
    out->thread = out->event.thread;
    r->events_done++;
    TRC_STORE(r->ring->events_done, r->events_done);
    if (r->events_done % (TRC_EVENTS / 4) == 0) trc_release_all_waiters(r->ring);
}

/* Take the blocks that were not in the queue yet when the program ended or was killed, by serial number. */
static void trc_sweep(trc_reader *r)
{
    struct trc_ring *ring = r->ring;
    bool is_more = true;
    r->has_swept = true;
    while (is_more) {
        is_more = false;
        const uint32_t made = TRC_LOAD(ring->blocks_made);
        for (uint32_t i = 0; i < made && i < TRC_BLOCKS; i++) {
            struct trc_block *b = &ring->blocks[i];
            if (b->state == TRC_FREE || b->serial != trc_stream_of(r, b->thread)->next_serial) continue;
            trc_stream_add(r, b, false);
            is_more = true;
        }
    }
    for (size_t i = 0; i < r->busy_len; i++) { /* no thread writes to them now */
        struct trc_stream *s = &r->streams[r->busy[i]];
        for (size_t k = 0; k < s->len; k++)
            s->pieces[s->first + k].is_open = false;
    }
}

static void trc_sleep(trc_reader *r)
{
    struct trc_ring *ring = r->ring;
    const uint32_t seen = TRC_LOAD(ring->wake);
    __atomic_store_n(&ring->is_reader_asleep, 1, __ATOMIC_SEQ_CST);
    if (TRC_LOAD(ring->queue[r->queue_head % TRC_BLOCKS]) == 0 && !TRC_LOAD(r->ended))
        trc_futex_wait(&ring->wake, seen, TRC_SLEEP_NS);
    __atomic_store_n(&ring->is_reader_asleep, 0, __ATOMIC_SEQ_CST);
}

/* Skip an event that was begun but not published because the program was killed. Later rows are delivered. */
static bool trc_skip_lost_event(trc_reader *r)
{
    if (r->events_done >= TRC_LOAD(r->ring->events_len)) return false;
    r->events_done++;
    return true;
}

void trc_reader_next(trc_reader *r, struct trc_item *out)
{
    memset(out, 0, sizeof(*out));
    for (;;) {
        const bool has_ended = TRC_LOAD(r->ended);
        const bool has_event = trc_event_is_there(r); /* read first, so that earlier rows are visible */
        trc_take_queue(r);
        if (trc_take_rows(r, out)) return;
        if (has_event) {
            trc_take_open(r);
            trc_take_queue(r);
            trc_take_open(r);
            if (trc_take_rows(r, out)) return;
            trc_take_event(r, out);
            return;
        }
        if (!has_ended) {
            trc_sleep(r);
            continue;
        }
        if (!r->has_swept) {
            trc_sweep(r);
            continue;
        }
        if (trc_skip_lost_event(r)) continue;
        out->kind = TRC_ITEM_END;
        return;
    }
}
