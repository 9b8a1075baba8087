/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analyse/an_advice.h"
#include "analyse/an_dimension.h"
#include "tests/analyse/an_fixture.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

/* The finding for all samples of f, which is freed. */
static void find(struct an_fixture *f, struct an_finding *out)
{
    struct an_costs c;
    static uint8_t all[FIX_SAMPLES_MAX];
    static uint32_t lines[FIX_SAMPLES_MAX];
    memset(all, 1, sizeof(all));
    for (uint64_t i = 0; i < f->samples_len; i++)
        lines[i] = (uint32_t)(f->ip[i] >> 8);
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
    assert_int_equal(an_finding_init(out, &f->in, &c, all, lines), LS_OK);
    an_costs_fini(&c);
    fix_free(f);
}

static enum an_access walk(uint64_t (*address)(uint64_t i), struct an_finding *out)
{
    struct an_fixture *f = fix_new(5, 4);
    for (int b = 0; b < 3; b++) {
        fix_burst(f, 1000, 2000);
        for (uint32_t i = 0; i < 40; i++) {
            f->ip[f->samples_len] = 0x400;
            f->addr[f->samples_len] = 0x100000 + address(i);
            fix_load(f, 1, 600 + i, 300);
        }
        f->ip[f->samples_len] = 0x500; /* another instruction between: cheap, must not disturb the strides */
        fix_load(f, 1, 700, 6);
    }
    find(f, out);
    return out->access;
}

static uint64_t same_address(uint64_t i)
{
    (void)i;
    return 0;
}
static uint64_t in_order(uint64_t i)
{
    return i * 8;
}
static uint64_t by_column(uint64_t i)
{
    return i * 8192;
}
static uint64_t at_random(uint64_t i)
{
    return i * i * i * UINT64_C(2654435761) % 1000003 * 8; /* i alone would be one stride with a wrap */
}

/* Sorted keys: gaps of 8 to some 4,000 bytes, about 2,000 on average. */
static uint64_t by_sorted_keys(uint64_t i)
{
    return i * 2048 + i * i * i * UINT64_C(2654435761) % 251 * 8;
}
/* The same in blocks of 20 keys. Each block starts again at the smallest key. */
static uint64_t by_keys_sorted_in_blocks(uint64_t i)
{
    return by_sorted_keys(i % 20) + at_random(i / 20) % 4096;
}
/* Dense sorted keys: several in a line. */
static uint64_t by_dense_keys(uint64_t i)
{
    return i * 24 + at_random(i) / 8 % 3 * 8;
}

static void an_sorted_keys_are_not_random(void **state)
{
    (void)state;
    struct an_finding f;
    assert_int_equal(walk(by_sorted_keys, &f), AN_ACCESS_SORTED);
    assert_true(f.stride_bytes > 1000 && f.stride_bytes < 3000);
    assert_true(f.lines_part > 0.95);
    assert_int_equal(walk(by_keys_sorted_in_blocks, &f), AN_ACCESS_SORTED); /* one stride in 20 goes back */
    assert_int_equal(walk(by_dense_keys, &f), AN_ACCESS_SORTED);
    assert_true(f.lines_part < 0.5);
}

/* "add [table + index], 1" loads and stores at each address: these are not repeated accesses to one address. */
static void an_walk_of_updates_is_the_walk_of_the_loads(void **state)
{
    struct an_fixture *f = fix_new(5, 4);
    struct an_finding found;
    (void)state;
    for (int b = 0; b < 3; b++) {
        fix_burst(f, 1000, 2000);
        for (uint32_t i = 0; i < 40; i++) {
            const uint64_t addr = 0x100000 + at_random(i);
            f->ip[f->samples_len] = 0x400;
            f->addr[f->samples_len] = addr;
            fix_load(f, 1, 600 + i, 300);
            f->ip[f->samples_len] = 0x400;
            f->addr[f->samples_len] = addr;
            fix_store(f, 1, 600 + i);
        }
    }
    find(f, &found);
    assert_int_equal(found.access, AN_ACCESS_IRREGULAR);
    assert_int_equal(found.strides_len, 3 * 39);
}

static void an_walks_are_distinguished(void **state)
{
    (void)state;
    struct an_finding f;
    assert_int_equal(walk(same_address, &f), AN_ACCESS_REPEATED);
    assert_int_equal(walk(in_order, &f), AN_ACCESS_SEQUENTIAL);
    assert_int_equal(walk(by_column, &f), AN_ACCESS_STRIDED);
    assert_int_equal(f.stride_bytes, 8192);
    assert_int_equal(f.ip, 0x400);
    assert_int_equal(f.strides_len, 3 * 39); /* never across bursts */
    assert_true(f.dram_part > 0.9);
    assert_int_equal(walk(at_random, &f), AN_ACCESS_IRREGULAR);
}

/* XSBench's index grid: a row of 30 entries of 4 bytes somewhere in 64 MiB, then the next. Bursts see a part
 * of it; the first load of a row comes from memory, and in every third row that of its second line. */
static void rows(struct an_finding *out, uint32_t row_len, uint32_t first_cycles, uint64_t jump_bytes)
{
    struct an_fixture *f = fix_new(5, 4);
    uint64_t at = 0, n = 7, row = 0x10000000;
    for (int b = 0; b < 200; b++) {
        fix_burst(f, 1000000, 2000);
        for (uint32_t i = 0; i < 8; i++, at++) {
            if (at % row_len == 0) {
                n = n * 6364136223846793005u + 1442695040888963407u;
                row = jump_bytes ? row + jump_bytes : 0x10000000 + (n >> 40) * 4 % 0x4000000;
            }
            f->ip[f->samples_len] = 0x400;
            f->addr[f->samples_len] = row + at % row_len * 4;
            const bool is_slow = at % row_len == 0 || (at % row_len == 16 && (n >> 33) % 3 == 0);
            fix_load(f, 1, 600 + i, is_slow ? first_cycles : 6);
        }
    }
    find(f, out);
}

/* Add a translated burst: consecutive accesses without latencies, then loads that were timed alone. */
static void rows_timed_alone(struct an_finding *out, uint32_t row_len)
{
    struct an_fixture *f = fix_new(5, 4);
    uint64_t at = 0, n = 7, row = 0x10000000;
    for (int b = 0; b < 200; b++) {
        fix_burst(f, 1000000, 4000);
        f->bursts[f->bursts_len - 1].probe_loads = 64;
        for (uint32_t i = 0; i < 48; i++, at += i < 40 ? 1 : 64) {
            if (i >= 40 || at % row_len == 0) {
                n = n * 6364136223846793005u + 1442695040888963407u;
                row = 0x10000000 + (n >> 40) * 4 % 0x4000000;
            }
            f->ip[f->samples_len] = 0x400;
            f->addr[f->samples_len] = row + at % row_len * 4;
            const uint32_t cycles = at % row_len == 0 || n >> 58 == 0 ? 480 : 6;
            fix_load(f, 1, 600 + i * (i < 40 ? 1 : 64), i < 40 ? FIX_NOT_MEASURED : cycles);
        }
    }
    find(f, out);
}

static void an_loads_that_were_timed_alone_have_no_strides(void **state)
{
    (void)state;
    struct an_finding f;
    rows_timed_alone(&f, 30);
    assert_int_equal(f.strides_len, 200 * 39);
    assert_int_equal(f.access, AN_ACCESS_RUNS);
    assert_int_equal(f.stride_bytes, 4);
    assert_true(f.first_part > 0.5);
    assert_true(f.loop_ns == 200 * 1000000.0);
    rows_timed_alone(&f, 1);
    assert_int_equal(f.access, AN_ACCESS_IRREGULAR);
}

static void an_rows_of_a_random_index_are_runs(void **state)
{
    (void)state;
    struct an_finding f;
    rows(&f, 30, 480, 0);
    assert_int_equal(f.access, AN_ACCESS_RUNS);
    assert_int_equal(f.stride_bytes, 4);
    assert_true(f.run_len > 22 && f.run_len < 40);
    assert_true(f.first_part > 0.5 && f.memory_part > 0.99);
    rows(&f, 30, 480, 1 << 20); /* rows of a matrix, one after the other */
    assert_int_equal(f.access, AN_ACCESS_SEQUENTIAL);
    rows(&f, 1, 480, 0); /* no row at all */
    assert_int_equal(f.access, AN_ACCESS_IRREGULAR);
}

/* Rows of a sorted index: sorting it again would help nothing. */
static void an_rows_of_a_sorted_index_are_sorted_runs(void **state)
{
    (void)state;
    struct an_finding f;
    struct an_fixture *fix = fix_new(5, 4);
    uint64_t at = 0, n = 7, row = 0x10000000;
    for (int b = 0; b < 200; b++) {
        fix_burst(fix, 1000000, 2000);
        for (uint32_t i = 0; i < 60; i++, at++) {
            n = n * 6364136223846793005u + 1442695040888963407u;
            if (at % 20 == 0) row += 4096 + (n >> 50) * 4;
            fix->ip[fix->samples_len] = 0x400;
            fix->addr[fix->samples_len] = row + at % 20 * 4;
            fix_load(fix, 1, 600 + i, at % 20 == 0 ? 480 : 6);
        }
    }
    find(fix, &f);
    assert_int_equal(f.access, AN_ACCESS_RUNS);
    assert_true(f.has_sorted_jumps);
    rows(&f, 30, 480, 0);
    assert_false(f.has_sorted_jumps);
}

static void an_stall_of_cached_data_is_not_from_memory(void **state)
{
    (void)state;
    struct an_finding f;
    struct an_fixture *fix = fix_new(5, 4);
    for (int b = 0; b < 40; b++) {
        fix_burst(fix, 1000000, 2000);
        for (uint32_t i = 0; i < 40; i++) {
            fix->ip[fix->samples_len] = 0x400;
            fix->addr[fix->samples_len] = 0x100000 + i * 64;
            fix_load(fix, 1, 600 + i, 60);
            fix->level[fix->samples_len - 1] = i % 10 ? PROF_LEVEL_L3 : PROF_LEVEL_DRAM;
        }
    }
    find(fix, &f);
    assert_int_equal(f.access, AN_ACCESS_SEQUENTIAL);
    assert_true(f.memory_part > 0.05 && f.memory_part < 0.2);
}

/* Two loops: the finding has the traffic of the one with its instruction, of all its arrays. */
static void an_a_loop_has_its_traffic(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    struct an_finding found;
    struct an_costs c;
    uint8_t in_group[FIX_SAMPLES_MAX] = {0};
    float moved[FIX_SAMPLES_MAX] = {0};
    const uint32_t lines[FIX_SAMPLES_MAX] = {0};
    for (int b = 0; b < 40; b++) {
        fix_burst(f, 1000, 2000);
        for (uint32_t i = 0; i < 10; i++) {
            const uint64_t s = f->samples_len;
            f->ip[s] = b % 2 ? 0x400 + i % 2 * 8 : 0x500;
            f->addr[s] = 0x100000 + i * 8;
            in_group[s] = f->ip[s] == 0x400;
            moved[s] = b % 2 ? 64 : 7;
            fix_load(f, 1, 600 + i, 300);
        }
    }
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
    float *const own = c.moved_bytes;
    c.moved_bytes = NULL;
    assert_int_equal(an_finding_init(&found, &f->in, &c, in_group, lines), LS_OK);
    assert_true(isnan(found.loop_bytes));
    c.moved_bytes = moved;
    assert_int_equal(an_finding_init(&found, &f->in, &c, in_group, lines), LS_OK);
    assert_int_equal(found.ip, 0x400);
    assert_true(found.loop_bytes == 20 * 10 * 64 && found.loop_ns == 20 * 1000);
    c.moved_bytes = own;
    an_costs_fini(&c);
    fix_free(f);
}

/* Four instructions of an unrolled line wait 300 cycles each, one of another line 500. */
static void unrolled(struct an_finding *out, bool has_lines)
{
    struct an_fixture *f = fix_new(5, 4);
    struct an_costs c;
    static uint8_t all[FIX_SAMPLES_MAX];
    static uint32_t lines[FIX_SAMPLES_MAX];
    for (int b = 0; b < 40; b++) {
        fix_burst(f, 1000, 2000);
        for (uint32_t i = 0; i < 5; i++) {
            const uint64_t s = f->samples_len;
            f->ip[s] = i < 4 ? 0x400 + i * 8 : 0x500;
            f->addr[s] = 0x100000 + i * 8;
            all[s] = 1;
            lines[s] = has_lines ? i / 4 : AN_NO_KEY;
            fix_load(f, 1, 600 + i, i < 4 ? 300 : 500);
        }
    }
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
    assert_int_equal(an_finding_init(out, &f->in, &c, all, lines), LS_OK);
    an_costs_fini(&c);
    fix_free(f);
}

static void unrolled_line_is_summed(void **state)
{
    struct an_finding found;
    (void)state;
    unrolled(&found, true);
    assert_int_equal(found.ip >> 8, 4);
    assert_true(fabs(found.stall_part - 4 * 295 / (4 * 295 + 495.0)) < 0.001);
    unrolled(&found, false);
    assert_int_equal(found.ip, 0x500);
    assert_true(fabs(found.stall_part - 495 / (4 * 295 + 495.0)) < 0.001);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_walks_are_distinguished),
        cmocka_unit_test(an_sorted_keys_are_not_random),
        cmocka_unit_test(an_rows_of_a_sorted_index_are_sorted_runs),
        cmocka_unit_test(an_walk_of_updates_is_the_walk_of_the_loads),
        cmocka_unit_test(unrolled_line_is_summed),
        cmocka_unit_test(an_rows_of_a_random_index_are_runs),
        cmocka_unit_test(an_loads_that_were_timed_alone_have_no_strides),
        cmocka_unit_test(an_a_loop_has_its_traffic),
        cmocka_unit_test(an_stall_of_cached_data_is_not_from_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
