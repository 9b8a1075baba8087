/* SPDX-License-Identifier: BSD-3-Clause */
/* AUX areas: mapping, announcing records, operations at every offset across their end; times of the counter;
 * slower gears by time. */
#include "perf/pe_aux.h"
#include "runtime/perf_events/rt_perf_pace.h"
#include "tests/unit.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { PAGE = 4096, RING = 4096, AREA = 8192 };
static _Alignas(4096) uint8_t memory[PAGE + RING + AREA];
static struct pe_ring ring;
static long answers[8];
static size_t asked[8], calls;

static long map_memory(int fd, size_t len_bytes, size_t offset_bytes)
{
    (void)fd;
    assert_int_equal(offset_bytes, PAGE + RING);
    assert_int_equal(ring.page->aux_offset, offset_bytes);
    assert_int_equal(ring.page->aux_size, len_bytes);
    asked[calls] = len_bytes;
    const long answer = answers[calls++];
    return answer ? answer : (long)(uintptr_t)(memory + offset_bytes);
}

static long unmap_memory(void *base, size_t len_bytes)
{
    assert_ptr_equal(base, memory + PAGE + RING);
    assert_int_equal(len_bytes, AREA);
    return 0;
}

static const struct pe_kernel kernel = {.map = map_memory, .unmap = unmap_memory};
static const struct pe_layout layout = {.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
                                                       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
                                        .sample_id_all = true};
static struct pe_aux area;
static struct pe_counts counts;

static int set_up(void **state)
{
    (void)state;
    memset(memory, 0, sizeof(memory));
    memset(answers, 0, sizeof(answers));
    calls = 0;
    counts = (struct pe_counts){0};
    ring = (struct pe_ring){.page = (void *)memory, .data = memory + PAGE, .data_len_bytes = RING};
    return 0;
}

static void the_area_has_the_requested_size(void **state)
{
    (void)state;
    assert_int_equal(pe_aux_map(&area, &ring, &kernel, 3, AREA), 0);
    assert_int_equal(asked[0], AREA);
    assert_int_equal(area.len_bytes, AREA);
    pe_aux_unmap(&area, &kernel);
    assert_null(area.data);
    calls = 0;
    answers[0] = -EPERM;
    assert_int_equal(pe_aux_map(&area, &ring, &kernel, 3, 4 * AREA), EPERM);
    assert_int_equal(calls, 1);
    assert_null(area.data);
}

/* offset, size and flags, then of whom: thread 12 of process 11, CPU 3, time 5000, id 77. */
static bool reported(uint64_t offset, uint64_t size, uint64_t flags)
{
    static struct {
        struct perf_event_header h;
        uint64_t body[3];
        uint32_t ids[2];
        uint64_t time;
        uint32_t cpu[2];
        uint64_t id;
    } record;
    record.h = (struct perf_event_header){.type = PERF_RECORD_AUX, .size = sizeof(record)};
    record.body[0] = offset;
    record.body[1] = size;
    record.body[2] = flags;
    record.ids[0] = 11;
    record.ids[1] = 12;
    record.time = 5000;
    record.cpu[0] = 3;
    record.id = 77;
    const struct pe_record r = {.type = PERF_RECORD_AUX,
                                .bytes = {.data = (const uint8_t *)&record, .len_bytes = sizeof(record)}};
    return pe_aux_begin(&area, &layout, &r, &counts);
}

/* An aligned load of 0x1234 (its thread is another namespace's), 64 bytes including padding. */
static const uint8_t load[64] = {0xb0, 0x00, 0x10, 0x40, 0,    0,    0, 0, 0, 0x64, 99, 0, 0,
                                 0,    0x49, 0,    0xb2, 0x34, 0x12, 0, 0, 0, 0,    0,  0, 0x98,
                                 250,  0,    0x71, 0xe8, 3,    0,    0, 0, 0, 0,    0};

static void write_at(uint64_t offset, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        memory[PAGE + RING + (offset + i) % AREA] = bytes[i];
}

static void operations_lie_over_the_end_at_every_offset(void **state)
{
    (void)state;
    const struct pe_ticks ticks = {.hz = 1000000000, .ticks = 2000, .time_ns = 3000};
    struct pe_sample s;
    assert_int_equal(pe_aux_map(&area, &ring, &kernel, 3, AREA), 0);
    uint64_t at = 100 * AREA - 64; /* as if all before had been skipped */
    for (unsigned shift = 0; shift <= 64; shift++, at += 2 * AREA) {
        write_at(at + shift, load, 64);
        write_at(at + shift + 64, load, 64);
        assert_true(reported(at + shift, 128, 0));
        for (int i = 0; i < 2; i++) {
            assert_true(pe_aux_next(&area, &ticks, &s, &counts));
            assert_int_equal(s.addr, 0x1234);
            assert_int_equal(s.latency_cycles, 250);
            assert_int_equal(s.tid, 12);
            assert_int_equal(s.pid, 11);
            assert_int_equal(s.cpu, 3);
            assert_int_equal(s.id, 77);
            assert_int_equal(s.time, 2000); /* counter 1000, 1000 before the ticks */
        }
        assert_false(pe_aux_next(&area, &ticks, &s, &counts));
        pe_aux_release(&area, &ring);
        assert_int_equal(ring.page->aux_tail, at + shift + 128);
    }
    assert_int_equal(counts.broken, 0);
}

static void flags_are_counted_and_what_is_cut_off_is_broken(void **state)
{
    (void)state;
    const struct pe_ticks ticks = {.hz = 1000000000, .ticks = 1000, .time_ns = 9000};
    struct pe_sample s;
    assert_int_equal(pe_aux_map(&area, &ring, &kernel, 3, AREA), 0);
    write_at(0, load, 64);
    write_at(64, load, 20);
    assert_true(reported(0, 84, PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL | PERF_AUX_FLAG_COLLISION));
    assert_true(area.is_stopped);
    assert_true(pe_aux_next(&area, &ticks, &s, &counts));
    assert_int_equal(s.time, 5000); /* not later than its record */
    assert_false(pe_aux_next(&area, &ticks, &s, &counts));
    assert_int_equal(counts.aux_truncated, 1);
    assert_int_equal(counts.aux_partial, 1);
    assert_int_equal(counts.aux_collided, 1);
    assert_int_equal(counts.broken, 1);
    /* empty except for the kernel's position: skipped bytes are given back */
    area.is_stopped = false;
    ring.page->aux_head = AREA - 100;
    assert_false(reported(5000, 0, 0));
    pe_aux_release(&area, &ring);
    assert_int_equal(ring.page->aux_tail, 5000);
    /* an area that was all but full may have stopped the event without a flag */
    assert_true(area.is_stopped);
    /* more than there can be, and the bytes that were read */
    assert_false(reported(6000, AREA + 1, 0));
    assert_false(reported(4000, 64, 0));
    assert_false(reported(UINT64_MAX - 3, 64, 0));
    assert_int_equal(counts.broken, 4);
}

static void unread_bytes_are_not_released(void **state)
{
    (void)state;
    assert_int_equal(pe_aux_map(&area, &ring, &kernel, 3, AREA), 0);
    ring.page->aux_head = ring.page->aux_tail = 1000; /* and no record announced it yet */
    pe_aux_release(&area, &ring);
    assert_int_equal(ring.page->aux_tail, 1000);
    area.pos = 1500;
    pe_aux_release(&area, &ring);
    assert_int_equal(ring.page->aux_tail, 1500);
}

static void ticks_become_times_before_and_after(void **state)
{
    (void)state;
    const struct pe_ticks arm = {.hz = 31250000, .ticks = 1000000, .time_ns = 5000000000};
    assert_int_equal(pe_ticks_time_ns(&arm, 1000000), 5000000000);
    assert_int_equal(pe_ticks_time_ns(&arm, 1000000 + 31250000), 6000000000);
    assert_int_equal(pe_ticks_time_ns(&arm, 1000000 - 3125), 4999900000);
    assert_int_equal(pe_ticks_time_ns(&(struct pe_ticks){.hz = 1, .ticks = 100, .time_ns = 5}, 0), 0);
    const struct pe_ticks now = pe_ticks_now();
    assert_int_equal(pe_ticks_time_ns(&now, now.ticks), now.time_ns);
}

static void slower_gears_are_on_for_their_part_of_the_time(void **state)
{
    (void)state;
    const uint64_t periods[] = {1024, 4096, 16384, 65536};
    unsigned on[4] = {0};
    enum { SLOTS = 64000 };
    for (uint64_t slot = 0; slot < SLOTS; slot++)
        for (unsigned gear = 0; gear < 4; gear++) {
            const bool is_on = rt_perf_duty_is_on(periods, gear, slot * RT_PERF_DUTY_SLOT_NS);
            assert_int_equal(rt_perf_duty_is_on(periods, gear, (slot + 1) * RT_PERF_DUTY_SLOT_NS - 1), is_on);
            on[gear] += is_on;
        }
    assert_int_equal(on[0], SLOTS);
    for (unsigned gear = 1; gear < 4; gear++)
        assert_in_range(on[gear] * (periods[gear] / periods[0]), SLOTS * 9 / 10, SLOTS * 11 / 10);
}

/* A ring that fills within 3 ms of the program's time never overflows, as long as reading takes less than
 * half of the time. */
static void the_reader_looks_more_often_the_fuller_rings_are(void **state)
{
    (void)state;
    const double full_ns[] = {3e6, 5e6, 2e7, 1e9};
    for (size_t i = 0; i < sizeof(full_ns) / sizeof(full_ns[0]); i++) {
        double waiting = 0, looks = 0, time_ns = 0;
        for (; time_ns < 1e9; looks++) {
            const double found = waiting;
            const double nap_ns = (double)rt_perf_pace_nap_ns((size_t)(found * 1000));
            const double pass_ns = nap_ns + found * full_ns[i] / 2 + 10000;
            waiting = pass_ns / full_ns[i];
            time_ns += pass_ns;
            assert_true(waiting < 1);
        }
        assert_true(looks < 1e9 / 250000); /* and no more often than necessary */
    }
    assert_int_equal(rt_perf_pace_nap_ns(1000), 0);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_area_has_the_requested_size, set_up),
        cmocka_unit_test_setup(operations_lie_over_the_end_at_every_offset, set_up),
        cmocka_unit_test_setup(flags_are_counted_and_what_is_cut_off_is_broken, set_up),
        cmocka_unit_test_setup(unread_bytes_are_not_released, set_up),
        cmocka_unit_test(ticks_become_times_before_and_after),
        cmocka_unit_test(slower_gears_are_on_for_their_part_of_the_time),
        cmocka_unit_test(the_reader_looks_more_often_the_fuller_rings_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
