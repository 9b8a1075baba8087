/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/trace/plugin/trc_slot.h"

#include "tools/trace/trc_ring.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* TRC_SINK_ROWS_GATED is one row, so that each access checks the gate. */
enum { TRC_SINK_ROWS = 16, TRC_SINK_ROWS_GATED = 1, TRC_WAIT_NS = 100000000 };

/* The part of a block that is written when nothing is recorded. */
struct trc_sink_block {
    _Alignas(64) char bytes[offsetof(struct trc_block, rows) + TRC_SINK_ROWS * sizeof(struct trc_access)];
};

static struct trc_sink_block trc_none; /* length and limit 0: the first access takes the slow path */
static __thread struct trc_sink_block trc_sink_bytes __attribute__((tls_model("initial-exec")));
__thread struct trc_own trc_own = {.block = (struct trc_block *)(void *)trc_none.bytes};
struct trc_ring *trc_ring;
static struct {
    pthread_key_t key;
    bool is_child;         /* in a forked child of the program, which is not followed */
    bool is_readers_child; /* the reader is its parent, as for the launched program */
    uint32_t first_off;
    bool (*gate)(void); /* whether the calling thread may record; NULL: yes */
} trc_slots;

static struct trc_block *trc_sink_block(void)
{
    struct trc_block *sink = (struct trc_block *)(void *)trc_sink_bytes.bytes;
    __asm__("" : "+r"(sink)); /* hide from the compiler that only its first rows exist */
    sink->len = 0;
    sink->limit = trc_slots.gate ? TRC_SINK_ROWS_GATED : TRC_SINK_ROWS;
    return sink;
}

static void trc_wake_reader(void)
{
    if (!TRC_LOAD(trc_ring->is_reader_asleep)) return;
    __atomic_fetch_add(&trc_ring->wake, 1, __ATOMIC_RELEASE);
    trc_futex_wake(&trc_ring->wake, 1);
}

/* Check that the reader is alive, so that the program never waits for one that has ended. */
static bool trc_reader_is_gone(void)
{
    if (TRC_LOAD(trc_ring->is_closed)) return true;
    const pid_t reader = (pid_t)trc_ring->reader_pid;
    /* the parent changes at once, but a killed reader can be signalled until somebody waits for it */
    if (trc_slots.is_readers_child ? getppid() == reader : kill(reader, 0) == 0 || errno != ESRCH)
        return false;
    TRC_STORE(trc_ring->is_closed, 1);
    return true;
}

/* Errors: false if there is no reader. */
static bool trc_wait_for_reader(void)
{
    const uint32_t seen = TRC_LOAD(trc_ring->released);
    trc_wake_reader();
    if (TRC_LOAD(trc_ring->filled) >= TRC_FILLED_MAX) trc_futex_wait(&trc_ring->released, seen, TRC_WAIT_NS);
    return !trc_reader_is_gone();
}

static struct trc_block *trc_block_pop(void)
{
    uint64_t head = TRC_LOAD(trc_ring->free_blocks);
    while ((uint32_t)head != 0) {
        struct trc_block *b = &trc_ring->blocks[(uint32_t)head - 1];
        const uint64_t next = ((head >> 32) + 1) << 32 | __atomic_load_n(&b->next, __ATOMIC_RELAXED);
        if (__atomic_compare_exchange_n(&trc_ring->free_blocks, &head, next, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return b;
    }
    uint32_t made = TRC_LOAD(trc_ring->blocks_made);
    while (made < TRC_BLOCKS)
        if (__atomic_compare_exchange_n(&trc_ring->blocks_made, &made, made + 1, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return &trc_ring->blocks[made];
    return NULL;
}

/* NULL: the reader is gone. */
static struct trc_block *trc_block_take(void)
{
    while (TRC_LOAD(trc_ring->filled) >= TRC_FILLED_MAX)
        if (!trc_wait_for_reader()) return NULL;
    struct trc_block *b;
    while (!(b = trc_block_pop()))
        if (!trc_wait_for_reader()) return NULL;
    return b;
}

static void trc_block_push(struct trc_block *b)
{
    const uint64_t at = __atomic_fetch_add(&trc_ring->queue_tail, 1, __ATOMIC_ACQ_REL);
    __atomic_fetch_add(&trc_ring->filled, 1, __ATOMIC_ACQ_REL);
    TRC_STORE(b->state, TRC_FILLED);
    TRC_STORE(trc_ring->queue[at % TRC_BLOCKS], (uint32_t)(b - trc_ring->blocks) + 1);
    trc_wake_reader();
}

static bool trc_block_open(struct trc_own *own)
{
    struct trc_block *b = trc_block_take();
    if (!b) return false;
    b->thread = own->thread;
    b->serial = own->serial++;
    b->limit = TRC_BLOCK_ROWS;
    TRC_STORE(b->len, 0);
    TRC_STORE(b->state, TRC_OPEN);
    own->open = b;
    own->mark = UINT64_MAX;
    TRC_STORE(own->slot->block, (uint32_t)(b - trc_ring->blocks) + 1);
    return true;
}

static void trc_block_close(struct trc_own *own)
{
    struct trc_block *b = own->open;
    if (!b) return;
    own->open = NULL;
    trc_block_push(b);
    TRC_STORE(own->slot->block, 0);
}

static struct trc_slot *trc_slot_take(void)
{
    for (uint32_t i = 0; i < TRC_SLOTS; i++) {
        uint32_t unused = 0;
        struct trc_slot *l = &trc_ring->slots[i];
        if (TRC_LOAD(l->is_used) ||
            !__atomic_compare_exchange_n(&l->is_used, &unused, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            continue;
        uint32_t most = TRC_LOAD(trc_ring->slots_used);
        while (most <= i && !__atomic_compare_exchange_n(&trc_ring->slots_used, &most, i + 1, false,
                                                         __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            ;
        return l;
    }
    return NULL;
}

static void trc_slot_begin(struct trc_own *own)
{
    own->is_begun = true;
    own->slot = trc_slot_take();
    own->thread = __atomic_fetch_add(&trc_ring->threads_len, 1, __ATOMIC_ACQ_REL);
    own->is_missed = !own->slot || own->thread >= TRC_THREADS;
    if (own->is_missed) {
        __atomic_fetch_add(&trc_ring->threads_missed, 1, __ATOMIC_RELAXED);
        return;
    }
    trc_ring->threads[own->thread] = (uint32_t)ls_syscall(SYS_gettid);
    pthread_setspecific(trc_slots.key, own);
}

static void trc_slot_end(void *unused)
{
    struct trc_own *own = &trc_own;
    (void)unused;
    if (!own->slot) return;
    trc_block_close(own);
    TRC_STORE(own->slot->is_used, 0);
    own->slot = NULL;
    own->is_missed = true;
    own->block = trc_sink_block();
}

static void trc_row(struct trc_block *b, uint64_t addr, uint32_t site)
{
    b->rows[b->len] = (struct trc_access){addr, site, b->thread};
    TRC_STORE(b->len, b->len + 1);
}

/* A block with room for a mark, a break and a row. */
static struct trc_block *trc_block_with_room(struct trc_own *own)
{
    if (own->open && own->open->len + 3 > TRC_BLOCK_ROWS) trc_block_close(own);
    if (!own->open && !trc_block_open(own)) {
        own->is_missed = true; /* the reader has ended */
        return NULL;
    }
    return own->open;
}

/* Handle the first access of a thread. */
static struct trc_own *trc_own_met(void)
{
    if (!trc_own.is_met) trc_own.off += trc_slots.first_off;
    trc_own.is_met = true;
    return &trc_own;
}

struct trc_block *trc_slot_look(void)
{
    struct trc_own *own = trc_own_met();
    const bool is_on = !own->off && (!trc_slots.gate || trc_slots.gate());
    if (is_on && !own->is_begun) trc_slot_begin(own);
    struct trc_block *b = is_on && !own->is_missed ? trc_block_with_room(own) : NULL;
    if (!b) {
        own->is_broken = own->serial > 0; /* it has recorded before */
        own->merged_left = 0;
        return own->block = trc_sink_block();
    }
    __atomic_store_n(&b->limit, TRC_BLOCK_ROWS, __ATOMIC_SEQ_CST);
    const uint64_t mark = __atomic_load_n(&trc_ring->events_len, __ATOMIC_SEQ_CST);
    if (mark != own->mark) trc_row(b, mark, TRC_MARK);
    own->mark = mark;
    if (own->is_broken) trc_row(b, 0, TRC_BREAK);
    own->is_broken = false;
    return own->block = b;
}

void trc_slot_off(void)
{
    if (trc_own_met()->off++ == 0) trc_own.block = (struct trc_block *)(void *)trc_none.bytes;
}

void trc_slot_on(void)
{
    if (trc_own_met()->off == 0 || --trc_own.off > 0) return;
    trc_own.block = (struct trc_block *)(void *)trc_none.bytes;
}

/* Make all threads check the gate before their next row. */
static void trc_poke_all(void)
{
    const uint32_t slots = TRC_LOAD(trc_ring->slots_used);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < slots; i++) {
        const uint32_t block = TRC_LOAD(trc_ring->slots[i].block);
        if (block) __atomic_store_n(&trc_ring->blocks[block - 1].limit, 0, __ATOMIC_SEQ_CST);
    }
}

void trc_event_put(enum trc_event_kind kind, const uint64_t words[6])
{
    struct trc_own *own = trc_own_met();
    if (trc_slots.is_child || TRC_LOAD(trc_ring->is_closed)) return;
    if (!own->is_begun) trc_slot_begin(own);
    const uint64_t number = __atomic_fetch_add(&trc_ring->events_len, 1, __ATOMIC_SEQ_CST);
    while (number - TRC_LOAD(trc_ring->events_done) >= TRC_EVENTS) {
        const uint32_t seen = TRC_LOAD(trc_ring->released);
        trc_wake_reader();
        if (number - TRC_LOAD(trc_ring->events_done) >= TRC_EVENTS)
            trc_futex_wait(&trc_ring->released, seen, TRC_WAIT_NS / 100);
        if (trc_reader_is_gone()) return;
    }
    struct trc_event *e = &trc_ring->events[number % TRC_EVENTS];
    e->kind = kind;
    e->thread = own->thread;
    memcpy(e->words, words, sizeof(e->words));
    TRC_STORE(e->ready, number + 1);
    trc_poke_all();
}

uint32_t trc_text_put(const char *text, uint32_t *len)
{
    const uint32_t at = __atomic_fetch_add(&trc_ring->texts_len, *len, __ATOMIC_ACQ_REL);
    if (at > TRC_TEXT_BYTES || *len > TRC_TEXT_BYTES - at) {
        __atomic_fetch_sub(&trc_ring->texts_len, *len, __ATOMIC_ACQ_REL);
        __atomic_fetch_add(&trc_ring->texts_missed, 1, __ATOMIC_RELAXED);
        *len = 0;
        return 0;
    }
    memcpy(trc_ring->texts + at, text, *len);
    return at;
}

/* Drop everything in the child of a fork, which inherits the parent's open block. */
static void trc_after_fork(void)
{
    struct trc_own *own = &trc_own;
    trc_slots.is_child = true;
    __atomic_fetch_add(&trc_ring->forks, 1, __ATOMIC_RELAXED);
    memset(own, 0, sizeof(*own));
    own->is_met = own->is_begun = own->is_missed = true;
    own->off = 1;
    own->block = trc_sink_block();
}

bool trc_is_followed(void)
{
    return !trc_slots.is_child;
}

void trc_slot_set_gate(bool (*gate)(void))
{
    trc_slots.gate = gate;
}

int trc_slot_init(struct trc_ring *ring, unsigned starts_off)
{
    trc_ring = ring;
    trc_slots.is_readers_child = getppid() == (pid_t)ring->reader_pid;
    trc_slots.first_off = starts_off;
    const int err = pthread_key_create(&trc_slots.key, trc_slot_end);
    return err ? err : pthread_atfork(NULL, NULL, trc_after_fork);
}
