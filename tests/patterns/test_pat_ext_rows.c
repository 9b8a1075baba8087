/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows over many accesses that mostly wait to be counted: breaks, far distances, pools, turns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/ls_random.h"
#include "tests/patterns/memory_source.h"
#include "tests/unit.h"

#define ARENA UINT64_C(0x7f0000100000)

/* Events between two accesses are not known, also where all nodes of the pool are. */
static void pat_breaks_are_kept_in_pools(void **state)
{
    enum { NODES = 200, NODE = 48, ACCESSES = 40000, PART = 5000 };
    struct memory_source m = {0};
    struct pat_sequences s;
    const struct pat_extract_options o = {0};
    uint64_t random = 1;
    (void)state;
    memory_thread(&m);
    memory_home(&m, "nodes", 8);
    memory_site(&m, 0x401000, 8, PAT_OP_LOAD);
    for (uint64_t i = 0; i < NODES; i++)
        memory_event(&m, PAT_EVENT_RANGE_BORN, PAT_NONE,
                     memory_range(&m, ARENA + i * NODE, ARENA + (i + 1) * NODE, 0));
    for (uint64_t i = 0; i < ACCESSES; i++) {
        if (i && i % PART == 0) memory_event(&m, PAT_EVENT_BREAK, 0, 0);
        memory_access(&m, 0, 0, ARENA + ls_random_below(&random, NODES) * NODE);
    }
    memory_extract(&m, &o, &s);
    assert_int_equal(s.len, 1);
    assert_true(s.rows[0].is_pool);
    assert_int_equal(s.rows[0].breaks_len, ACCESSES / PART - 1);
    for (size_t i = 0; i < s.rows[0].breaks_len; i++)
        assert_int_equal(s.rows[0].breaks[i], (i + 1) * PART);
    pat_sequences_fini(&s);
    memory_fini(&m);
}

/* Runs of far distances, and one back to another address, more than are counted one by one. */
static void pat_far_distances_are_counted_among_too_many(void **state)
{
    enum { LOOPS = 30000, LOOP = 4, STEP = 8192 };
    struct memory_source m = {0};
    struct pat_sequences s;
    const struct pat_extract_options o = {0};
    uint64_t random = 1, before = 0, far = 0;
    (void)state;
    memory_thread(&m);
    memory_site(&m, 0x401000, 8, PAT_OP_LOAD);
    for (int i = 0; i < LOOPS; i++) {
        const uint64_t offset = ls_random_below(&random, 1 << 20) * 8;
        for (uint64_t k = 0; k < LOOP; k++) {
            const uint64_t addr = ARENA + offset + k * STEP;
            const uint64_t apart = addr > before ? addr - before : before - addr;
            far += before && apart >= 513 * 8;
            before = addr;
            memory_access(&m, 0, 0, addr);
        }
    }
    memory_extract(&m, &o, &s);
    assert_int_equal(s.len, 1);
    assert_true(s.rows[0].distances_unique >= 16384);
    assert_int_equal(s.rows[0].distances_far, far);
    pat_sequences_fini(&s);
    memory_fini(&m);
}

/* Nodes of one home in two areas too far apart for one array: each is a separate sequence, whether their
 * pages are known or not. */
static void check_far_apart(uint64_t node_bytes, int near_ones)
{
    enum { NODES = 400, ACCESSES = 40000 };
    struct memory_source m = {0};
    struct pat_sequences s;
    const struct pat_extract_options o = {0};
    uint64_t starts[NODES], random = 1, each[2] = {0, 0};
    memory_thread(&m);
    memory_home(&m, "nodes", 8);
    memory_site(&m, 0x401000, 8, PAT_OP_LOAD);
    for (uint32_t i = 0; i < NODES; i++) {
        starts[i] = ARENA + i / 2 * node_bytes + i % 2 * (UINT64_C(1) << 38);
        memory_event(&m, PAT_EVENT_RANGE_BORN, PAT_NONE,
                     memory_range(&m, starts[i], starts[i] + node_bytes, 0));
    }
    for (int i = 0; i < ACCESSES; i++) {
        const uint64_t node =
            i < near_ones ? ls_random_below(&random, NODES / 2) * 2 : ls_random_below(&random, NODES);
        memory_access(&m, 0, 0, starts[node]);
        each[node % 2]++;
    }
    memory_extract(&m, &o, &s);
    assert_int_equal(s.len, 2);
    for (int i = 0; i < 2; i++) {
        assert_true(s.rows[i].is_pool);
        assert_int_equal(s.rows[i].accesses, each[s.rows[i].base - ARENA > UINT64_C(1) << 37]);
        for (size_t k = 0; k < s.rows[i].indices.len; k++)
            assert_in_range(s.rows[i].indices.data[k], 0, NODES / 2 * node_bytes / s.rows[i].elem_size_bytes);
    }
    pat_sequences_fini(&s);
    memory_fini(&m);
}

static void pat_pool_far_apart_is_two(void **state)
{
    static const uint64_t nodes_bytes[] = {16, 20, 48, 4200};
    (void)state;
    for (size_t i = 0; i < sizeof(nodes_bytes) / sizeof(nodes_bytes[0]); i++)
        for (int near_ones = 70; near_ones < 2000; near_ones *= 2)
            check_far_apart(nodes_bytes[i], near_ones);
}

/* Loops of 16 over addresses that change, by two sites in turn; at one access, if it is there, the second one
 * comes first. */
static void check_turns_counted(uint64_t swapped_at)
{
    enum { ACCESSES = 20000, LOOP = 16 };
    struct memory_source m = {0};
    struct pat_sequences s;
    const struct pat_extract_options o = {0};
    memory_thread(&m);
    memory_home(&m, "both", 8);
    for (uint32_t i = 0; i < 2; i++)
        memory_site(&m, 0x401000 + i, 8, PAT_OP_LOAD);
    memory_event(&m, PAT_EVENT_RANGE_BORN, PAT_NONE, memory_range(&m, ARENA, ARENA + (1 << 30), 0));
    for (uint64_t i = 0; i < ACCESSES; i++) {
        const uint64_t addr = ARENA + i / LOOP * 7919 % 10007 * 4096 + i % LOOP * 8;
        const uint32_t first = i == swapped_at;
        memory_access(&m, first, 0, addr + first * 2048);
        memory_access(&m, !first, 0, addr + !first * 2048);
    }
    memory_extract(&m, &o, &s);
    assert_int_equal(s.len, 2);
    const uint32_t second = s.rows[1].site;
    /* the first two accesses; then each loop's first one, and its second one, which continues by the old
     * step */
    for (int i = 0; i < 2; i++)
        assert_int_equal(s.rows[i].turns, 2 + 2 * (ACCESSES / LOOP - 1));
    assert_int_equal(s.rows[!second].ahead, PAT_NONE);
    assert_int_equal(s.rows[second].ahead, swapped_at < ACCESSES ? PAT_NONE : s.rows[!second].order);
    pat_sequences_fini(&s);
    memory_fini(&m);
}

static void pat_turns_are_counted_and_kept_in_order(void **state)
{
    (void)state;
    check_turns_counted(UINT64_MAX);
    for (uint64_t at = 16; at < 20000; at += 4000)
        check_turns_counted(at);
    check_turns_counted(19984);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pat_breaks_are_kept_in_pools),
        cmocka_unit_test(pat_far_distances_are_counted_among_too_many),
        cmocka_unit_test(pat_pool_far_apart_is_two),
        cmocka_unit_test(pat_turns_are_counted_and_kept_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
