/* SPDX-License-Identifier: BSD-3-Clause */
/* Data that the fake kernel writes: records into rings, packets into AUX areas. */
#include "fake_kernel.h"
#include "tests/perf/fake_event.h"
#include "tests/perf/fake_memory.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

struct record {
    uint8_t bytes[512];
    size_t len;
};

static void put(struct record *r, const void *data, size_t len)
{
    memcpy(r->bytes + r->len, data, len);
    r->len += len;
}

static void put_word(struct record *r, uint64_t word)
{
    put(r, &word, sizeof(word));
}

static void begin(struct record *r, uint32_t type, uint16_t misc)
{
    const struct perf_event_header h = {.type = type, .misc = misc};
    r->len = 0;
    put(r, &h, sizeof(h));
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The ring of the play: found once. */
static struct {
    const struct fake_event *of;
    uint8_t *file;
    size_t mapped;
} played;

static void forget_ring(void)
{
    if (played.of) munmap(played.file, FILE_BYTES + PAGE_BYTES);
    played.of = NULL;
}

static bool find_ring(const struct fake_event *e)
{
    if (played.of == e) return true;
    forget_ring();
    played.mapped = fake_mapped_bytes(fake_process_of(e->pid), (size_t)(e - fake_events));
    played.file = mmap(NULL, FILE_BYTES + PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, e->memory, 0);
    if (played.file == MAP_FAILED) return false;
    played.of = e;
    return true;
}

/* Into its ring, or that of the event to which its output was redirected. */
static void write_record(const struct fake_event *of, struct record *r)
{
    const struct fake_event *e = of->output ? of->output : of;
    if (!find_ring(e) || played.mapped <= PAGE_BYTES) return;
    uint8_t *file = played.file;
    struct perf_event_mmap_page *page = (void *)file;
    const size_t room = played.mapped - PAGE_BYTES;
    const uint64_t head = page->data_head;
    ((struct perf_event_header *)(void *)r->bytes)->size = (uint16_t)r->len;
    for (size_t i = 0; i < r->len; i++)
        file[PAGE_BYTES + ((head + i) & (room - 1))] = r->bytes[i];
    __atomic_store_n(&page->data_head, head + r->len, __ATOMIC_RELEASE);
}

static bool is_locked(const struct fake_play *p)
{
    return p->data_src >> PERF_MEM_LOCK_SHIFT & PERF_MEM_LOCK_LOCKED;
}

/* IBS before Linux 6.1 has only registers: capabilities, then IBS_OP_CTL, RIP, DATA, DATA2, DATA3, DC_LIN,
 * DC_PHYS (AMD64 Architecture Programmer's Manual vol. 2). */
static void put_ibs(struct record *r, const struct fake_play *p, uint64_t i)
{
    enum { IS_LOAD = 1, IS_STORE = 2, DC_MISS = 1 << 7, LOCKED = 1 << 15, LIN_VALID = 1 << 17 };
    enum { L2_MISS = 1 << 20, DRAM = 3 };
    const bool is_store = p->data_src & PERF_MEM_OP_STORE;
    const uint64_t lock = is_locked(p) ? LOCKED : 0;
    const uint64_t load = IS_LOAD | DC_MISS | LIN_VALID | L2_MISS | (p->latency_first + i) << 32;
    const uint64_t words[] = {0,
                              p->ip,
                              0,
                              is_store ? 0 : DRAM,
                              lock | (is_store ? IS_STORE | LIN_VALID : load),
                              p->base + i * p->stride_bytes,
                              0};
    const uint32_t head[] = {sizeof(uint32_t) + sizeof(words), 0};
    put(r, head, sizeof(head));
    put(r, words, sizeof(words));
}

/* IBS (recognised by cnt_ctl): the kernel writes "not available" for accesses that were not locked. */
static uint64_t word_of(const struct fake_event *e, const struct fake_play *p)
{
    enum { CNT_CTL = 1 << 19 };
    const bool is_na = (e->attr.config & CNT_CTL) && !is_locked(p);
    return p->data_src | (is_na ? (uint64_t)PERF_MEM_LOCK_NA << PERF_MEM_LOCK_SHIFT : 0);
}

/* tid 1 in process 1, for every kind of record. */
static void write_sample(const struct fake_event *e, const struct fake_play *p, uint64_t i, pid_t tid,
                         uint16_t misc)
{
    const uint64_t type = e->attr.sample_type;
    const uint32_t ids[2] = {(uint32_t)fake_process_of(tid), (uint32_t)tid}, cpu[2] = {(uint32_t)e->cpu, 0};
    struct record r;
    begin(&r, PERF_RECORD_SAMPLE, misc | PERF_RECORD_MISC_EXACT_IP);
    if (type & PERF_SAMPLE_IDENTIFIER) put_word(&r, (uint64_t)(e - fake_events) + 1000);
    if (type & PERF_SAMPLE_IP) put_word(&r, p->ip);
    if (type & PERF_SAMPLE_TID) put(&r, ids, sizeof(ids));
    if (type & PERF_SAMPLE_TIME) put_word(&r, now_ns());
    if (type & PERF_SAMPLE_ADDR) put_word(&r, type & PERF_SAMPLE_RAW ? 0 : p->base + i * p->stride_bytes);
    if (type & PERF_SAMPLE_CPU) put(&r, cpu, sizeof(cpu));
    if (type & PERF_SAMPLE_PERIOD) put_word(&r, e->attr.sample_period);
    if (type & PERF_SAMPLE_CALLCHAIN) put_word(&r, 0);
    if (type & PERF_SAMPLE_RAW) put_ibs(&r, p, i);
    if (type & (PERF_SAMPLE_WEIGHT | 1u << 24)) put_word(&r, p->latency_first + i);
    if (type & PERF_SAMPLE_DATA_SRC) put_word(&r, word_of(e, p));
    if (type & 1u << 22) put_word(&r, PAGE_BYTES);
    write_record(e, &r);
}

/* --- the AUX area --- */

static void put_packet(struct record *r, uint8_t header, uint64_t payload, size_t len)
{
    put(r, &header, 1);
    put(r, &payload, len);
}

/* Packets of Arm's SPE (DDI 0487): address of the instruction, context, operation, address of the data, total
 * latency, fake_events, data source, time. */
static void spe_operation(struct record *r, const struct fake_play *p, uint64_t i)
{
    enum { FOREIGN_TID = 0xdead, ATOMIC = 0x6, EVENTS_RETIRED = 0x2, EVENTS_WALK = 0x20, SOURCE_DRAM = 0xe };
    const bool is_store = p->data_src & PERF_MEM_OP_STORE;
    r->len = 0;
    put_packet(r, 0xb0, p->ip, 8);
    put_packet(r, 0x64, FOREIGN_TID, 4);
    put_packet(r, 0x49, is_store | (is_locked(p) ? ATOMIC : 0), 1);
    put_packet(r, 0xb2, p->base + i * p->stride_bytes, 8);
    put_packet(r, 0x98, p->latency_first + i, 2);
    put_packet(r, 0x52, EVENTS_RETIRED | (i % 2 ? EVENTS_WALK : 0), 2);
    put_packet(r, 0x43, is_store ? 0 : SOURCE_DRAM, 1);
    put_packet(r, 0x71, now_ns(), 8);
}

/* Flags of the record, and the bytes that no record announced yet. */
static void put_aux(struct fake_event *e, const struct perf_event_mmap_page *page, uint64_t flags, pid_t tid)
{
    const uint32_t ids[2] = {(uint32_t)fake_process_of(tid), (uint32_t)tid}, cpu[2] = {(uint32_t)e->cpu, 0};
    struct record r;
    if (page->aux_head == e->aux_announced && !flags) return;
    begin(&r, PERF_RECORD_AUX, 0);
    put_word(&r, e->aux_announced);
    put_word(&r, page->aux_head - e->aux_announced);
    put_word(&r, flags);
    put(&r, ids, sizeof(ids));
    put_word(&r, now_ns());
    put(&r, cpu, sizeof(cpu));
    put_word(&r, (uint64_t)(e - fake_events) + 1000);
    e->aux_announced = page->aux_head;
    write_record(e, &r);
}

/* Between the earlier write and the read of the tail: see pe_aux_release. */
static uint64_t room_of_area(const struct perf_event_mmap_page *page)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return page->aux_size - (page->aux_head - __atomic_load_n(&page->aux_tail, __ATOMIC_ACQUIRE));
}

static void write_area(uint8_t *area, struct perf_event_mmap_page *page, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        area[(page->aux_head + i) & (page->aux_size - 1)] = bytes[i];
    page->aux_head += len;
}

/* As many as fit; if one does not, its first part is announced as truncated, and the event is off until the
 * program switches it on again. The first bytes are skipped, so that the area begins again soon. */
static uint64_t write_operations(struct fake_event *e, const struct fake_play *p, pid_t tid)
{
    enum { BEFORE_END = 1000, CUT_BYTES = 20 };
    struct record r;
    uint64_t done = 0;
    uint8_t *file = mmap(NULL, FILE_BYTES + PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, e->memory, 0);
    struct perf_event_mmap_page *page = (void *)file;
    uint8_t *area = file + page->aux_offset;
    if (!page->aux_head) e->aux_announced = page->aux_head = page->aux_tail = page->aux_size - BEFORE_END;
    for (; done < p->len; done++) {
        spe_operation(&r, p, done);
        if (room_of_area(page) < r.len) break;
        write_area(area, page, r.bytes, r.len);
    }
    if (done < p->len) {
        /* a thread that comes onto a CPU whose area is full switches the event off without a word */
        const bool is_silent = e->stops++ % 2;
        if (!is_silent && room_of_area(page) >= CUT_BYTES) write_area(area, page, r.bytes, CUT_BYTES);
        put_aux(e, page, is_silent ? 0 : PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL, tid);
        e->is_on = false;
    } else if (!p->is_held) {
        put_aux(e, page, p->lost ? PERF_AUX_FLAG_COLLISION : 0, tid);
    }
    munmap(file, FILE_BYTES + PAGE_BYTES);
    return done;
}

static void write_incidents(const struct fake_event *e, const struct fake_play *p)
{
    struct record r;
    if (p->lost) {
        begin(&r, PERF_RECORD_LOST, 0);
        put_word(&r, 1000);
        put_word(&r, p->lost);
        write_record(e, &r);
    }
    if (p->hardware_lost) {
        begin(&r, 13, 0); /* PERF_RECORD_LOST_SAMPLES */
        put_word(&r, p->hardware_lost);
        write_record(e, &r);
    }
    for (uint64_t i = 0; i < p->throttled; i++) {
        begin(&r, i % 2 ? PERF_RECORD_UNTHROTTLE : PERF_RECORD_THROTTLE, 0);
        put_word(&r, now_ns());
        put_word(&r, 1000);
        put_word(&r, 1000);
        write_record(e, &r);
    }
    begin(&r, 4711, 0); /* fields of a later kernel */
    put_word(&r, 1);
    write_record(e, &r);
}

/* The requested event among the ones that are on, sample, and belong to this process on one CPU, or to this
 * thread. */
static struct fake_event *event_to_play(pid_t tid, uint64_t wanted)
{
    struct fake_event *found = NULL;
    const pid_t pid = fake_process_of(tid);
    for (size_t i = 0; i < fake_events_len; i++) {
        struct fake_event *e = &fake_events[i];
        if (!e->is_on || !e->attr.sample_period || fake_process_of(e->pid) != pid) continue;
        if (e->cpu < 0 && e->target != tid) continue;
        if (found && found->cpu != e->cpu) continue;
        found = e;
        if (wanted-- == 0) break;
    }
    return found;
}

void fake_play_at(pid_t tid, uint64_t at)
{
    struct fake_play p;
    if (!fake_peek(tid, at, &p, sizeof(p))) return;
    struct fake_event *e = event_to_play(tid, p.event);
    p.played = e && !e->has_aux ? p.len : 0;
    p.period_events = e ? e->attr.sample_period : 0;
    for (uint64_t k = 0; k < p.played; k++) {
        if (p.latency_first + k < (e->attr.config1 & 0xffff)) continue; /* ldlat */
        if (e->is_cpu_wide) write_sample(e, &p, k, 1, PERF_RECORD_MISC_USER);
        if (fake_samples_kernel) write_sample(e, &p, k, tid, PERF_RECORD_MISC_KERNEL);
        write_sample(e, &p, k, tid, PERF_RECORD_MISC_USER);
    }
    if (e && e->has_aux) p.played = write_operations(e, &p, tid);
    if (e) write_incidents(e, &p);
    forget_ring();
    fake_poke(tid, at, &p, sizeof(p));
}
