/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: soak_ring BYTES [SEED]
 * Rings, records, AUX areas and their decoders with the given number of bytes: one thread represents the kernel and
 * writes records of random sizes as fast as they fit, another one drains. Records that do not fit are counted and
 * reported in LOST records, in AUX areas as truncated. In the end nothing is missing: every sample was read
 * once or is counted as lost, and the sums of all addresses agree. Records and operations cross the end
 * of their ring and area at every offset. If the sums differ: status 1 and the missing samples. */
#include "perf/pe_open.h"
#include "tests/xorshift.h"

#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    PAGE_BYTES = 4096,
    RING_BYTES = 16384,
    AUX_BYTES = 16384,
    CHANNELS = 3, /* two with samples in the ring, one with an AUX area */
    AUX_CHANNEL = 2,
    PART_BYTES = 1 << 20, /* between two changes of the variable that the kernel's thread waits for */
    RECORD_ROOM = 4096,
};

static struct writer {
    uint8_t *memory; /* page, ring, area */
    struct perf_event_mmap_page *page;
    uint64_t random, unsaid; /* losses that no record reported yet */
    uint64_t samples, sum, lost, others, cut, truncated, bytes, reported;
    uint8_t seams[RING_BYTES]; /* how far a record crossed the end */
} writers[CHANNELS];
static struct pe_channel channels[CHANNELS];
static volatile int writing = CHANNELS;
static uint64_t bytes_wanted;

static uint64_t next_random(struct writer *w)
{
    return xorshift(&w->random);
}

static size_t room_of(const struct writer *w)
{
    return RING_BYTES - (size_t)(w->page->data_head - __atomic_load_n(&w->page->data_tail, __ATOMIC_ACQUIRE));
}

static void put_bytes(uint8_t *to, size_t len_bytes, uint64_t head, const void *data, size_t len)
{
    const size_t at = (size_t)(head & (len_bytes - 1)), first = len < len_bytes - at ? len : len_bytes - at;
    memcpy(to + at, data, first);
    memcpy(to, (const uint8_t *)data + first, len - first);
}

/* False when there is no room. */
static bool put_record(struct writer *w, void *record, uint32_t type, size_t len)
{
    const struct perf_event_header h = {.type = type, .size = (uint16_t)len};
    const uint64_t head = w->page->data_head;
    if (room_of(w) < len) return false;
    memcpy(record, &h, sizeof(h));
    put_bytes(w->memory + PAGE_BYTES, RING_BYTES, head, record, len);
    const size_t over = (size_t)(head + len) & (RING_BYTES - 1);
    if ((head & (RING_BYTES - 1)) + len > RING_BYTES) w->seams[over] = 1;
    __atomic_store_n(&w->page->data_head, head + len, __ATOMIC_RELEASE);
    w->bytes += len;
    return true;
}

/* Report lost records as the kernel does: in front of the next record that fits. */
static bool report_lost(struct writer *w)
{
    uint64_t record[3] = {0, 1, w->unsaid};
    if (!w->unsaid) return true;
    if (room_of(w) < sizeof(record) + RECORD_ROOM || !put_record(w, record, PERF_RECORD_LOST, sizeof(record)))
        return false;
    w->unsaid = 0;
    return true;
}

/* Identifier, time, address, and a call chain of any length, which makes the sizes differ. */
static void play_sample(struct writer *w, uint64_t number)
{
    uint64_t record[8 + RECORD_ROOM / 16] = {0};
    const uint64_t random = next_random(w), addr = random | 1, chain = random >> 40 & 0x7f;
    const uint64_t words[] = {1, number, addr, chain};
    memcpy(record + 1, words, sizeof(words));
    if (!report_lost(w) || !put_record(w, record, PERF_RECORD_SAMPLE, 8 * (5 + chain))) {
        w->unsaid++;
        w->lost++;
        return;
    }
    w->samples++;
    w->sum += addr;
}

static void play_other(struct writer *w)
{
    uint8_t record[RECORD_ROOM] = {0};
    if (put_record(w, record, 4000 + (uint32_t)(next_random(w) & 63), 8 + 8 * (next_random(w) & 127)))
        w->others++;
}

/* --- the AUX area --- */

static size_t put_packet(uint8_t *to, uint8_t header, uint64_t payload, size_t len)
{
    to[0] = header;
    memcpy(to + 1, &payload, len);
    return 1 + len;
}

static size_t operation(struct writer *w, uint64_t addr, uint8_t *to)
{
    const uint64_t random = next_random(w);
    size_t len = 0;
    for (uint64_t pads = random & 7; pads > 0; pads--)
        to[len++] = 0;
    len += put_packet(to + len, 0xb0, 0x401000, 8);
    len += put_packet(to + len, 0x49, random >> 8 & 1, 1);
    len += put_packet(to + len, 0xb2, addr, 8);
    if (random & 0x100) len += put_packet(to + len, 0x98, random >> 16 & 0xfff, 2);
    if (random & 0x200) len += put_packet(to + len, 0x52, 2, 2);
    return len + put_packet(to + len, 0x71, random, 8);
}

static bool put_area(struct writer *w, uint64_t flags)
{
    uint64_t record[8] = {0, w->reported, w->page->aux_head - w->reported, flags, 1, 1, 0, 1};
    if (w->page->aux_head == w->reported && !flags) return true;
    if (!put_record(w, record, PERF_RECORD_AUX, sizeof(record))) return false;
    w->reported = w->page->aux_head;
    w->truncated += flags != 0;
    return true;
}

/* Some operations, then the record; where they find no room, the last one is cut off. */
static void play_area(struct writer *w)
{
    uint8_t bytes[256], *area = w->memory + PAGE_BYTES + RING_BYTES;
    if (room_of(w) < 1024) return;
    for (uint64_t left = next_random(w) & 63; left > 0; left--) {
        const uint64_t addr = (next_random(w) & (UINT64_MAX >> 16)) | 1;
        const size_t len = operation(w, addr, bytes);
        const size_t room =
            AUX_BYTES - (size_t)(w->page->aux_head - __atomic_load_n(&w->page->aux_tail, __ATOMIC_ACQUIRE));
        const size_t fits = len < room ? len : room;
        put_bytes(area, AUX_BYTES, w->page->aux_head, bytes, fits);
        w->page->aux_head += fits;
        w->bytes += fits;
        if (fits < len) {
            w->lost++;
            w->cut += fits > 7; /* less may be padding */
            put_area(w, PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL);
            return;
        }
        w->samples++;
        w->sum += addr;
    }
    put_area(w, 0);
}

/* --- both sides --- */

static void wait_for_reader(const struct writer *w)
{
    while (w->page->data_head != __atomic_load_n(&w->page->data_tail, __ATOMIC_ACQUIRE))
        sched_yield();
}

/* Write alternately at full speed, so that many records are lost, and no faster than they are read. */
static void *kernel_main(void *data)
{
    struct writer *w = data;
    for (uint64_t number = 1; w->bytes < bytes_wanted / CHANNELS; number++) {
        if (w == &writers[AUX_CHANNEL])
            play_area(w);
        else if (next_random(w) % 16)
            play_sample(w, number);
        else
            play_other(w);
        if (room_of(w) < RING_BYTES / 2 && (w->bytes / PART_BYTES % 2 == 0 || next_random(w) % 64 == 0))
            wait_for_reader(w);
    }
    wait_for_reader(w);
    report_lost(w);
    __atomic_sub_fetch(&writing, 1, __ATOMIC_RELEASE);
    return NULL;
}

static uint64_t sums[CHANNELS], seen[CHANNELS], last_time[CHANNELS], disorder;

static void on_sample(void *user, const struct pe_channel *channel, const struct pe_sample *s)
{
    const size_t l = (size_t)(channel - channels);
    (void)user;
    seen[l]++;
    sums[l] += s->addr;
    if (l == AUX_CHANNEL) return;
    disorder += s->time <= last_time[l];
    last_time[l] = s->time;
}

static void open_writer(struct writer *w, struct pe_channel *l, uint64_t seed)
{
    w->memory = mmap(NULL, PAGE_BYTES + RING_BYTES + AUX_BYTES, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (w->memory == MAP_FAILED) exit(2);
    w->page = (void *)w->memory;
    w->random = seed;
    l->events_len = 1;
    l->ring = (struct pe_ring){.page = w->page, .data = w->memory + PAGE_BYTES, .data_len_bytes = RING_BYTES};
    if (l != &channels[AUX_CHANNEL]) return;
    w->page->aux_size = AUX_BYTES;
    l->aux = (struct pe_aux){.data = w->memory + PAGE_BYTES + RING_BYTES,
                             .len_bytes = AUX_BYTES,
                             .sources = PE_SPE_SOURCES_COMMON};
}

static int missing(const char *what, uint64_t is, uint64_t should)
{
    if (is == should) return 0;
    printf("%s: %llu, not %llu\n", what, (unsigned long long)is, (unsigned long long)should);
    return 1;
}

static int check(const struct pe_drain *d)
{
    uint64_t lost = 0, others = 0, samples = 0;
    size_t seams = 0;
    int bad = missing("samples out of order", disorder, 0);
    for (int l = 0; l < CHANNELS; l++) {
        bad |= missing("samples of a ring", seen[l], writers[l].samples);
        bad |= missing("sum of their addresses", sums[l], writers[l].sum);
        lost += l == AUX_CHANNEL ? 0 : writers[l].lost;
        others += writers[l].others;
        samples += writers[l].samples;
    }
    bad |= missing("samples in all", d->counts.samples, samples);
    bad |= missing("lost ones", d->counts.lost, lost);
    bad |= missing("other records", d->counts.others, others);
    bad |= missing("truncated areas", d->counts.aux_truncated, writers[AUX_CHANNEL].truncated);
    bad |= d->counts.broken > writers[AUX_CHANNEL].truncated;
    for (size_t i = 0; i < RING_BYTES; i++)
        seams += writers[0].seams[i];
    printf("%llu samples read, %llu reported as lost, %llu areas truncated, %zu offsets over the end\n",
           (unsigned long long)samples, (unsigned long long)lost,
           (unsigned long long)writers[AUX_CHANNEL].truncated, seams);
    return bad;
}

int main(int argc, char **argv)
{
    static uint8_t bounce[PE_RECORD_MAX_BYTES];
    pthread_t threads[CHANNELS];
    struct pe_drain d = {.layout = {.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME |
                                                   PERF_SAMPLE_ADDR | PERF_SAMPLE_CALLCHAIN},
                         .bounce = bounce,
                         .sample = on_sample};
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    bytes_wanted = argc > 1 ? (uint64_t)strtod(argv[1], NULL) : 1000000;
    for (int l = 0; l < CHANNELS; l++)
        open_writer(&writers[l], &channels[l], seed * 77 + (uint64_t)l + 1);
    for (int l = 0; l < CHANNELS; l++)
        if (pthread_create(&threads[l], NULL, kernel_main, &writers[l]) != 0) return 2;
    bool is_last;
    do {
        is_last = __atomic_load_n(&writing, __ATOMIC_ACQUIRE) == 0;
        if (!pe_drain_channels(&d, channels, CHANNELS, UINT64_MAX)) sched_yield();
    } while (!is_last);
    for (int l = 0; l < CHANNELS; l++)
        pthread_join(threads[l], NULL);
    return check(&d);
}
