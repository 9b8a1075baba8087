/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings, records and decoders against words made by hand after the kernel's headers. */
#include "perf/pe_sample.h"
#include "perf/pe_open.h"
#include "perf/pe_spe.h"
#include "tests/unit.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* --- words --- */

static struct pe_sample decoded(uint64_t word)
{
    struct pe_sample s = pe_sample_missing();
    pe_data_src_decode(word, LS_LATENCY_USE, &s);
    return s;
}

#define LVL(bits) ((uint64_t)(bits) << PERF_MEM_LVL_SHIFT)
#define NUM(number) ((uint64_t)(number) << PERF_MEM_LVLNUM_SHIFT)
#define HIT LVL(PERF_MEM_LVL_HIT)
#define REMOTE (UINT64_C(1) << PERF_MEM_REMOTE_SHIFT)
#define HOPS(number) ((uint64_t)(number) << PERF_MEM_HOPS_SHIFT)

static void data_source_by_number_level_and_distance(void **state)
{
    (void)state;
    static const struct {
        uint64_t word;
        uint8_t source, level;
    } rows[] = {
        {NUM(1) | HIT, LS_SOURCE_L1, 0},
        {NUM(0xc), LS_SOURCE_LFB, LS_NOT_REPORTED},
        {NUM(2), LS_SOURCE_L2, 1},
        {NUM(3), LS_SOURCE_L3, 2},
        {NUM(3) | LVL(PERF_MEM_LVL_MISS), LS_NOT_REPORTED, LS_NOT_REPORTED},
        {NUM(3) | REMOTE, LS_SOURCE_REMOTE_CACHE, 3},
        {NUM(0xb) | HOPS(1), LS_SOURCE_PEER_CACHE, 2},
        {NUM(0xb) | REMOTE | HOPS(2), LS_SOURCE_REMOTE_CACHE, 3},
        {NUM(0xd), LS_SOURCE_DRAM, 3},
        {NUM(0xd) | REMOTE, LS_SOURCE_REMOTE_DRAM, 3},
        {NUM(0xe), LS_SOURCE_PMEM, 3},
        {NUM(9), LS_SOURCE_CXL, 3},
        {NUM(0xa), LS_SOURCE_IO, LS_NOT_REPORTED},
        {NUM(0xf) | HIT | LVL(PERF_MEM_LVL_L2), LS_SOURCE_L2, 1}, /* the old field alone */
        {HIT | LVL(PERF_MEM_LVL_REM_RAM1), LS_SOURCE_REMOTE_DRAM, 3},
        {HIT | LVL(PERF_MEM_LVL_REM_CCE2), LS_SOURCE_REMOTE_CACHE, 3},
        {LVL(PERF_MEM_LVL_MISS | PERF_MEM_LVL_L1), LS_NOT_REPORTED,
         LS_NOT_REPORTED},                                          /* a store that missed */
        {UINT64_C(0x1e05080021), LS_NOT_REPORTED, LS_NOT_REPORTED}, /* all fields "not available" */
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(decoded(rows[i].word).source, rows[i].source);
        assert_int_equal(decoded(rows[i].word).level, rows[i].level);
    }
}

#define REGION(number) ((uint64_t)(number) << 46)
#define SNOOP(bits) ((uint64_t)(bits) << PERF_MEM_SNOOP_SHIFT)
#define OLD(bits) (LVL(bits) | HIT)

/* As each vendor's part of the kernel fills them: arch/x86/events/intel/ds.c, amd/ibs.c,
 * arch/powerpc/perf/isa207-common.c. */
static void words_of_each_vendor(void **state)
{
    (void)state;
    enum { INTEL = LS_LATENCY_USE, AMD = LS_LATENCY_L1_MISS, POWER = LS_LATENCY_THRESHOLD };
    static const struct {
        uint8_t kind;
        uint64_t word;
        uint8_t source, level;
    } rows[] = {
        /* Sandy Bridge before Linux 4.14: no numbers; another socket's caches */
        {INTEL, OLD(PERF_MEM_LVL_REM_CCE1) | SNOOP(PERF_MEM_SNOOP_HITM), LS_SOURCE_REMOTE_CACHE, 3},
        {INTEL, NUM(3) | OLD(PERF_MEM_LVL_L3) | SNOOP(PERF_MEM_SNOOP_HITM), LS_SOURCE_L3, 2},
        {INTEL, NUM(0xb) | HIT | REMOTE | SNOOP(PERF_MEM_SNOOP_HITM), LS_SOURCE_REMOTE_CACHE,
         3},                                                   /* Skylake */
        {INTEL, NUM(5) | HIT, LS_SOURCE_LFB, LS_NOT_REPORTED}, /* Lunar Lake */
        {INTEL, NUM(6) | HIT, LS_SOURCE_L4, 2},
        {INTEL, NUM(7) | HIT, LS_SOURCE_L1, 0}, /* Panther Lake */
        {INTEL, NUM(3) | OLD(PERF_MEM_LVL_L3) | REGION(2), LS_SOURCE_L3, 2},
        {INTEL, NUM(3) | OLD(PERF_MEM_LVL_L3) | REGION(6), LS_SOURCE_PEER_CACHE, 2},
        {INTEL, NUM(3) | OLD(PERF_MEM_LVL_L3 | PERF_MEM_LVL_REM_CCE1) | REMOTE | REGION(5),
         LS_SOURCE_REMOTE_CACHE, 3},
        {INTEL, NUM(0xd) | HIT | REGION(7), LS_SOURCE_IO, LS_NOT_REPORTED},
        {INTEL, NUM(0xd) | OLD(PERF_MEM_LVL_LOC_RAM) | REGION(9), LS_SOURCE_DRAM, 3},
        {INTEL, NUM(0xf) | OLD(PERF_MEM_LVL_UNC), LS_SOURCE_UNCACHED, 3},
        /* Zen 3 and Zen 4 before Linux 6.6: no numbers except for sources outside of caches */
        {AMD, OLD(PERF_MEM_LVL_L3 | PERF_MEM_LVL_REM_CCE1), LS_SOURCE_L3, 2},
        {AMD, OLD(PERF_MEM_LVL_REM_CCE1), LS_SOURCE_PEER_CACHE, 2},
        {AMD, OLD(PERF_MEM_LVL_REM_CCE2), LS_SOURCE_REMOTE_CACHE, 3},
        {AMD, OLD(PERF_MEM_LVL_REM_RAM1), LS_SOURCE_REMOTE_DRAM, 3},
        {AMD, NUM(0xa) | LVL(PERF_MEM_LVL_IO) | REMOTE | HOPS(2), LS_SOURCE_IO, LS_NOT_REPORTED},
        /* and from there on */
        {AMD, NUM(0xb) | OLD(PERF_MEM_LVL_L3 | PERF_MEM_LVL_REM_CCE1) | HOPS(1), LS_SOURCE_L3, 2},
        {AMD, NUM(0xb) | OLD(PERF_MEM_LVL_REM_CCE1) | REMOTE | HOPS(1), LS_SOURCE_PEER_CACHE, 2},
        {AMD, NUM(0xb) | OLD(PERF_MEM_LVL_REM_CCE2) | REMOTE | HOPS(2), LS_SOURCE_REMOTE_CACHE, 3},
        {AMD, NUM(0xd) | OLD(PERF_MEM_LVL_REM_RAM1) | REMOTE | HOPS(2), LS_SOURCE_REMOTE_DRAM, 3},
        {AMD, NUM(8) | OLD(PERF_MEM_LVL_UNC), LS_SOURCE_UNCACHED, 3},
        /* POWER9 before and from Linux 5.17, POWER10 */
        {POWER, OLD(PERF_MEM_LVL_REM_CCE1) | SNOOP(PERF_MEM_SNOOP_HIT), LS_SOURCE_PEER_CACHE, 2},
        {POWER, NUM(2) | OLD(PERF_MEM_LVL_L2) | REMOTE | HOPS(1), LS_SOURCE_PEER_CACHE, 2},
        {POWER, NUM(0xb) | OLD(PERF_MEM_LVL_REM_CCE1) | REMOTE | HOPS(3), LS_SOURCE_REMOTE_CACHE, 3},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pe_sample s = pe_sample_missing();
        pe_data_src_decode(rows[i].word, (enum ls_latency)rows[i].kind, &s);
        if (s.source != rows[i].source) fprintf(stderr, "row %zu: %s\n", i, ls_source_text(s.source));
        assert_int_equal(s.source, rows[i].source);
        assert_int_equal(s.level, rows[i].level);
    }
}

static void snoop_tlb_lock_and_op(void **state)
{
    (void)state;
    const struct pe_sample s =
        decoded(PERF_MEM_OP_STORE | UINT64_C(0x10) << PERF_MEM_SNOOP_SHIFT |
                UINT64_C(0x2) << PERF_MEM_LOCK_SHIFT | (UINT64_C(0x2) | 0x10) << PERF_MEM_TLB_SHIFT);
    assert_int_equal(s.op, PE_OP_STORE);
    assert_int_equal(s.snoop, PE_SNOOP_HITM);
    assert_int_equal(s.locked, 1);
    assert_int_equal(s.tlb, PE_TLB_L2_HIT);
    assert_int_equal(decoded((UINT64_C(4) | 0x18) << PERF_MEM_TLB_SHIFT).tlb, PE_TLB_MISS);
    assert_int_equal(decoded((UINT64_C(2) | 0x18) << PERF_MEM_TLB_SHIFT).tlb, LS_NOT_REPORTED); /* either */
    assert_int_equal(decoded(UINT64_C(2) << PERF_MEM_SNOOPX_SHIFT).snoop, PE_SNOOP_PEER);
}

/* Words as the kernel's sources fill them, for accesses that are locked, not locked, and unknown. */
static void each_vendors_encoding_of_locked_is_decoded(void **state)
{
    (void)state;
    enum { LOAD = PERF_MEM_OP_LOAD };
    const uint64_t tlb = (UINT64_C(2) | 0x18) << PERF_MEM_TLB_SHIFT;
    const uint64_t locked = UINT64_C(2) << PERF_MEM_LOCK_SHIFT, na = UINT64_C(1) << PERF_MEM_LOCK_SHIFT;
    const struct {
        uint64_t word;
        enum ls_latency kind;
        uint8_t locked;
    } rows[] = {
        {LOAD | tlb | locked, LS_LATENCY_USE, 1},
        {LOAD | tlb, LS_LATENCY_USE, 0},
        {LOAD | UINT64_C(1) << PERF_MEM_TLB_SHIFT | na, LS_LATENCY_USE, LS_NOT_REPORTED}, /* Nehalem */
        {LOAD | tlb | locked, LS_LATENCY_L1_MISS, 1},
        {LOAD | tlb | na, LS_LATENCY_L1_MISS, 0},
        {LOAD | tlb, LS_LATENCY_L1_MISS, LS_NOT_REPORTED},
        {LOAD, LS_LATENCY_THRESHOLD, LS_NOT_REPORTED},   /* POWER */
        {LOAD, LS_LATENCY_USE, LS_NOT_REPORTED},         /* the same word, taken for Intel's */
        {LOAD | tlb, LS_LATENCY_TOTAL, LS_NOT_REPORTED}, /* the word that perf makes of an SPE's packets */
        {LOAD | tlb | locked, LS_LATENCY_TOTAL, 1},
        {LOAD | tlb, LS_LATENCY_NONE, LS_NOT_REPORTED},
        {UINT64_C(0x1e05080021), LS_LATENCY_L1_MISS, LS_NOT_REPORTED}, /* no access at all */
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pe_sample s = pe_sample_missing();
        pe_data_src_decode(rows[i].word, rows[i].kind, &s);
        if (s.locked != rows[i].locked) fail_msg("row %zu: %u, not %u", i, s.locked, rows[i].locked);
    }
}

static void weights_of_both_kinds(void **state)
{
    (void)state;
    struct pe_sample s = pe_sample_missing();
    s.has = PE_SAMPLE_WEIGHT_STRUCT;
    s.weight = UINT64_C(7) << 32 | 300;
    pe_weight_decode(LS_LATENCY_USE, &s);
    assert_int_equal(s.latency_cycles, 300);
    assert_int_equal(s.other_cycles, 7);
    assert_int_equal(s.latency_kind, LS_LATENCY_USE);
    s.has = PERF_SAMPLE_WEIGHT;
    s.weight = UINT64_MAX;
    pe_weight_decode(LS_LATENCY_USE, &s);
    assert_int_equal(s.latency_cycles, UINT32_MAX);
    s.weight = 0;
    pe_weight_decode(LS_LATENCY_L1_MISS, &s);
    assert_int_equal(s.latency_kind, LS_LATENCY_NONE);
}

/* --- IBS --- */

static struct pe_sample ibs(uint32_t caps, uint64_t data2, uint64_t data3, uint32_t *size_bytes)
{
    static uint8_t raw[60];
    const uint64_t words[7] = {0, 0x401000, 100u << 16, data2, data3, 0x7f0000003000, 0x5000};
    struct pe_sample s = pe_sample_missing();
    memcpy(raw, &caps, 4);
    memcpy(raw + 4, words, sizeof(words));
    s.raw = raw;
    s.raw_len_bytes = sizeof(raw);
    assert_true(pe_ibs_decode(&s, size_bytes));
    return s;
}

#define BIT(n) (UINT64_C(1) << (n))

static void ibs_registers(void **state)
{
    (void)state;
    uint32_t size;
    const uint64_t load_miss = BIT(0) | BIT(7) | BIT(20) | BIT(17) | UINT64_C(4) << 22 | UINT64_C(250) << 32;
    struct pe_sample s = ibs(0, 3, load_miss, &size);
    assert_int_equal(size, 8);
    assert_int_equal(s.op, PE_OP_LOAD);
    assert_int_equal(s.source, LS_SOURCE_DRAM);
    assert_int_equal(s.latency_cycles, 250);
    assert_int_equal(s.addr, 0x7f0000003000);
    assert_int_equal(s.phys_addr, 0); /* not valid */
    assert_int_equal(s.tlb, PE_TLB_L1_HIT);
    assert_int_equal(ibs(0, 3 | BIT(4), load_miss, &size).source, LS_SOURCE_REMOTE_DRAM);
    assert_int_equal(ibs(0, 2, load_miss, &size).source, LS_SOURCE_L3);
    assert_int_equal(ibs(1u << 11, 2, load_miss, &size).source, LS_SOURCE_PEER_CACHE); /* Zen 4's numbers */
    assert_int_equal(ibs(1u << 11, 1 << 6, load_miss, &size).source, LS_SOURCE_CXL);
    assert_int_equal(ibs(0, 3, BIT(0) | BIT(2) | BIT(3), &size).source, LS_SOURCE_L1);
    assert_int_equal(ibs(0, 3, BIT(0) | BIT(2) | BIT(3), &size).tlb, PE_TLB_MISS);
    assert_int_equal(ibs(0, 3, BIT(0), &size).latency_kind, LS_LATENCY_NONE);
    assert_int_equal(ibs(0, 3, BIT(0) | BIT(7), &size).source, LS_SOURCE_L2);
    assert_int_equal(ibs(0, 3, BIT(1) | BIT(7) | BIT(20), &size).source,
                     LS_NOT_REPORTED); /* stores have none */
    assert_int_equal(ibs(0, 3, 0, &size).op, LS_NOT_REPORTED);
    assert_int_equal(s.locked, 0);
    assert_int_equal(ibs(0, 3, BIT(0) | BIT(1) | BIT(15), &size).locked, 1);
    assert_int_equal(ibs(0, 3, BIT(15), &size).locked, LS_NOT_REPORTED); /* neither a load nor a store */
    s.raw_len_bytes = 59;
    assert_false(pe_ibs_decode(&s, &size));
}

/* --- SPE --- */

static const uint8_t spe_bytes[] = {0xb0, 0x00, 0x10, 0x40, 0, 0, 0, 0, 0, 0x64, 11, 0, 0, 0, 0x49, 0, 0xb2,
                                    0x34, 0x12, 0, 0, 0xff, 0xff, 0, 0, 0x98, 250, 0, 0x52, 0x2a, 0x03, 0x43,
                                    0xe, 0x71, 1, 2, 0, 0, 0, 0, 0, 0,
                                    /* a branch, then a store that is cut off */
                                    0x4a, 1, 0x01, 0, 0, 0xb0, 4, 0x10, 0x40, 0, 0, 0, 0, 0, 0x49};

static void spe_packets(void **state)
{
    (void)state;
    struct ls_cursor c = ls_cursor_over(spe_bytes, sizeof(spe_bytes));
    struct pe_spe_counts counts = {0};
    struct pe_sample s;
    assert_true(pe_spe_next(&c, PE_SPE_SOURCES_COMMON, &s, &counts));
    assert_int_equal(s.ip, 0x401000);
    assert_int_equal(s.addr, 0xffff00001234);
    assert_int_equal(s.op, PE_OP_LOAD);
    assert_int_equal(s.latency_cycles, 250);
    assert_int_equal(s.source, LS_SOURCE_DRAM);
    assert_int_equal(s.tlb, PE_TLB_MISS);
    assert_int_equal(s.tid, 11);
    assert_int_equal(s.time, 0x201);
    assert_false(pe_spe_next(&c, PE_SPE_SOURCES_COMMON, &s, &counts));
    assert_int_equal(counts.records, 2);
    assert_int_equal(counts.others, 1);
    assert_int_equal(c.pos_bytes, sizeof(spe_bytes) - 12); /* padding and the store wait for more */
    c = ls_cursor_over(spe_bytes, sizeof(spe_bytes));
    assert_true(pe_spe_next(&c, PE_SPE_SOURCES_NONE, &s, &counts));
    assert_int_equal(s.source, LS_SOURCE_DRAM); /* by the event bits: LLC miss */
}

static uint8_t spe_locked(uint8_t op_class, uint8_t payload)
{
    const uint8_t bytes[] = {0x48 | op_class, payload, 0x01};
    struct ls_cursor c = ls_cursor_over(bytes, sizeof(bytes));
    struct pe_spe_counts counts = {0};
    struct pe_sample s;
    assert_true(pe_spe_next(&c, PE_SPE_SOURCES_COMMON, &s, &counts));
    return s.locked;
}

static void spe_atomic_operations(void **state)
{
    (void)state;
    assert_int_equal(spe_locked(1, 0x00), 0); /* general registers */
    assert_int_equal(spe_locked(1, 0x04), 0); /* SIMD and floating point: the same bits without the 2 */
    assert_int_equal(spe_locked(1, 0x06), 1); /* atomic */
    assert_int_equal(spe_locked(1, 0x0b), 1); /* exclusive store */
    assert_int_equal(spe_locked(1, 0x12), 0); /* acquire alone */
    assert_int_equal(spe_locked(1, 0x86), 0); /* SVE gather */
}

/* --- ring --- */

static _Alignas(4096) uint8_t ring_memory[2 * 4096];
static int refusals;

static long map_memory(int fd, size_t len_bytes, size_t offset_bytes)
{
    (void)offset_bytes;
    if (fd < 0) return -EBADF;
    if (len_bytes > sizeof(ring_memory)) return refusals++, -EPERM;
    memset(ring_memory, 0, sizeof(ring_memory));
    return (long)(uintptr_t)ring_memory;
}

static long unmap_memory(void *base, size_t len_bytes)
{
    (void)base;
    (void)len_bytes;
    return 0;
}

static const struct pe_kernel memory_kernel = {.map = map_memory, .unmap = unmap_memory};

static void kernel_writes(uint64_t time, uint16_t size, uint32_t type)
{
    struct perf_event_mmap_page *page = (void *)ring_memory;
    uint8_t record[512] = {0};
    const struct perf_event_header h = {.type = type, .size = size};
    memcpy(record, &h, sizeof(h));
    memcpy(record + sizeof(h), &time, sizeof(time));
    for (size_t i = 0; i < size; i++)
        ring_memory[4096 + (page->data_head + i) % 4096] = record[i];
    __atomic_store_n(&page->data_head, page->data_head + size, __ATOMIC_RELEASE);
}

static uint64_t times[64];
static size_t times_len;
static void note_time(void *user, const struct pe_channel *channel, const struct pe_sample *s)
{
    (void)user;
    (void)channel;
    times[times_len++] = s->time;
}

static void ring_wraps_and_is_released(void **state)
{
    (void)state;
    static uint8_t bounce[PE_RECORD_MAX_BYTES];
    struct pe_channel channel = {.events_len = 1};
    struct pe_drain d = {.layout = {.sample_type = PERF_SAMPLE_TIME}, .bounce = bounce, .sample = note_time};
    struct perf_event_mmap_page *page = (void *)ring_memory;
    assert_int_equal(pe_ring_map(&channel.ring, &memory_kernel, 3, 16384), EPERM);
    assert_null(channel.ring.page);
    assert_int_equal(pe_ring_map(&channel.ring, &memory_kernel, 3, 4096), 0);
    assert_int_equal(refusals, 1);
    assert_int_equal(channel.ring.data_len_bytes, 4096);
    assert_int_equal(pe_ring_map(&(struct pe_ring){0}, &memory_kernel, -1, 4096), EBADF);
    for (uint64_t round = 0; round < 40; round++) { /* 40 x (488 + 24 + 16): around five times */
        times_len = 0;
        kernel_writes(2 * round + 1, 488, PERF_RECORD_SAMPLE);
        kernel_writes(0, 24, 4711);
        kernel_writes(2 * round + 2, 16, PERF_RECORD_SAMPLE);
        assert_int_equal(pe_drain_channels(&d, &channel, 1, 2 * round + 1), 1); /* the later one waits */
        assert_int_equal(pe_drain_channels(&d, &channel, 1, UINT64_MAX), 1);
        assert_int_equal(times[0], 2 * round + 1);
        assert_int_equal(times[1], 2 * round + 2);
        assert_int_equal(page->data_tail, page->data_head);
    }
    assert_int_equal(d.counts.samples, 80);
    assert_int_equal(d.counts.others, 40);
    kernel_writes(1, 4, PERF_RECORD_SAMPLE); /* no record is so short */
    assert_int_equal(pe_drain_channels(&d, &channel, 1, UINT64_MAX), 0);
    assert_int_equal(d.counts.broken, 1);
    assert_int_equal(page->data_tail, page->data_head);
    page->data_head += 2 * 4096; /* more than the ring holds */
    assert_int_equal(pe_drain_channels(&d, &channel, 1, UINT64_MAX), 0);
    assert_int_equal(d.counts.broken, 2);
    kernel_writes(7, 16, PERF_RECORD_SAMPLE);
    assert_int_equal(pe_drain_channels(&d, &channel, 1, UINT64_MAX), 1);
}

static void ids_are_found_at_the_offset_of_their_layout(void **state)
{
    (void)state;
    const struct perf_event_header h = {.type = PERF_RECORD_SAMPLE, .size = 40};
    uint64_t words[5] = {0, 11, 22, 33, 44}, id = 0, time = 0;
    memcpy(words, &h, sizeof(h));
    struct pe_record r = {.type = PERF_RECORD_SAMPLE,
                          .bytes = {.data = (const uint8_t *)words, .len_bytes = sizeof(words)}};
    struct pe_layout l = {.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME, .sample_id_all = true};
    assert_true(pe_record_id(&l, &r, &id));
    assert_int_equal(id, 11);
    l.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU;
    assert_true(pe_record_id(&l, &r, &id));
    assert_int_equal(id, 33);
    l.sample_type = PERF_SAMPLE_IP;
    assert_false(pe_record_id(&l, &r, &id));
    /* after the fields of another record: time, id, CPU */
    r.type = PERF_RECORD_COMM;
    l.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU;
    assert_true(pe_record_id(&l, &r, &id) && pe_trailer_time(&l, &r, &time));
    assert_int_equal(id, 33);
    assert_int_equal(time, 22);
    l.sample_type |= PERF_SAMPLE_IDENTIFIER;
    assert_true(pe_record_id(&l, &r, &id) && pe_trailer_time(&l, &r, &time));
    assert_int_equal(id, 44);
    assert_int_equal(time, 11);
    l.sample_id_all = false;
    assert_false(pe_record_id(&l, &r, &id) || pe_trailer_time(&l, &r, &time));
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_source_by_number_level_and_distance),
        cmocka_unit_test(words_of_each_vendor),
        cmocka_unit_test(snoop_tlb_lock_and_op),
        cmocka_unit_test(each_vendors_encoding_of_locked_is_decoded),
        cmocka_unit_test(spe_atomic_operations),
        cmocka_unit_test(weights_of_both_kinds),
        cmocka_unit_test(ibs_registers),
        cmocka_unit_test(spe_packets),
        cmocka_unit_test(ring_wraps_and_is_released),
        cmocka_unit_test(ids_are_found_at_the_offset_of_their_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
