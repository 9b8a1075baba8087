/* SPDX-License-Identifier: BSD-3-Clause */
/* The guarantees of resampling, on pairs of sequences with known distance: drawn from two processes whose
 * distance was measured on sequences so long that noise is far below the distance. Seeds are fixed: the test
 * gives the same digits everywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "patterns/compare/pat_compare.h"
#include "tests/patterns/pat_zoo.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEST_BLOCK = 64, TEST_BLOCKS = 24, TEST_PAIRS = 60, TEST_LONG_BLOCKS = 3000 };

/* Parameters of zoo_jumps. */
struct process {
    unsigned near_share;
    uint64_t room;
};

static struct pat_blocks blocks_of(const struct process *p, size_t blocks, uint64_t seed)
{
    struct pat_indices list = zoo_jumps(blocks * TEST_BLOCK, p->near_share, p->room, seed);
    const struct pat_walk w = pat_walk_list(&list, NULL, 0);
    struct pat_blocks b;
    assert_int_equal(pat_blocks_read(&w, TEST_BLOCK, blocks, &b), LS_OK);
    assert_true(b.len == blocks);
    free(list.data);
    return b;
}

static double true_distance(const struct process *a, const struct process *b)
{
    struct pat_blocks x = blocks_of(a, TEST_LONG_BLOCKS, 1), y = blocks_of(b, TEST_LONG_BLOCKS, 2);
    struct pat_sketch s[2];
    pat_sketch_of(&x, &s[0]);
    pat_sketch_of(&y, &s[1]);
    free(x.rows);
    free(y.rows);
    return pat_sketch_distance(&s[0], &s[1]).total;
}

static struct pat_comparison compare(const struct process *a, const struct process *b, uint64_t seed)
{
    struct pat_blocks x = blocks_of(a, TEST_BLOCKS, 1000 + 2 * seed);
    struct pat_blocks y = blocks_of(b, TEST_BLOCKS, 1001 + 2 * seed);
    struct pat_comparison c;
    assert_int_equal(pat_blocks_compare(&x, &y, seed, &c), LS_OK);
    assert_true(c.low <= c.distance.total && c.distance.total <= c.high);
    free(x.rows);
    free(y.rows);
    return c;
}

static void pat_interval_holds_the_true_distance(void **state)
{
    (void)state;
    static const struct process pairs[][2] = {
        {{128, 1000}, {200, 1000}},
        {{128, 1000}, {128, 100000}},
        {{230, 4096}, {40, 512}},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const double truth = true_distance(&pairs[i][0], &pairs[i][1]);
        int held = 0, distinguished = 0;
        for (uint64_t seed = 0; seed < TEST_PAIRS; seed++) {
            const struct pat_comparison c = compare(&pairs[i][0], &pairs[i][1], seed);
            held += c.low <= truth && truth <= c.high;
            distinguished += c.p_value < 0.05 && c.distance.total > c.null;
        }
        print_message("distance %.4f: held by %d of %d intervals, distinguished from none %d times\n", truth,
                      held, TEST_PAIRS, distinguished);
        assert_true(held >= TEST_PAIRS * 88 / 100); /* 95 % wanted */
        assert_true(distinguished >= TEST_PAIRS * 95 / 100);
    }
}

static void pat_equal_processes_are_seldom_distinguished(void **state)
{
    (void)state;
    static const struct process same[] = {{128, 1000}};
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        int rejected = 0, beyond_null = 0;
        for (uint64_t seed = 0; seed < TEST_PAIRS; seed++) {
            const struct pat_comparison c = compare(&same[i], &same[i], seed);
            rejected += c.p_value < 0.05;
            beyond_null += c.distance.total > c.null;
        }
        print_message("no distance: p < 0.05 in %d of %d, beyond the halves' distance in %d\n", rejected,
                      TEST_PAIRS, beyond_null);
        assert_true(rejected <= TEST_PAIRS * 12 / 100); /* 5 % wanted */
        assert_true(beyond_null <= TEST_PAIRS * 5 / 100);
    }
}

static void pat_few_blocks_give_no_interval(void **state)
{
    (void)state;
    const struct process p = {128, 1000};
    struct pat_blocks x = blocks_of(&p, PAT_BLOCKS_MIN - 1, 1), y = blocks_of(&p, 100, 2);
    struct pat_comparison c;
    assert_int_equal(pat_blocks_compare(&x, &y, 1, &c), LS_OK);
    assert_true(c.distance.total > 0);
    assert_true(isnan(c.low) && isnan(c.high) && isnan(c.null) && isnan(c.p_value));
    free(x.rows);
    free(y.rows);
}

static void pat_equal_seeds_give_equal_digits(void **state)
{
    (void)state;
    const struct process a = {128, 1000}, b = {140, 1000};
    const struct pat_comparison x = compare(&a, &b, 5), y = compare(&a, &b, 5);
    assert_true(x.low == y.low && x.high == y.high && x.null == y.null && x.p_value == y.p_value);
    assert_true(x.low < x.high && x.null > 0);
}

/* Without noise the halves are alike, and differences are significant. */
static void pat_regular_patterns_have_no_noise(void **state)
{
    (void)state;
    struct pat_indices p = zoo_make(ZOO_STRIDE1, 4096, 0), q = zoo_make(ZOO_STRIDE2, 4096, 0);
    const struct pat_walk walks[] = {pat_walk_list(&p, NULL, 0), pat_walk_list(&q, NULL, 0)};
    struct pat_blocks x, y;
    struct pat_comparison c;
    assert_int_equal(pat_blocks_read(&walks[0], TEST_BLOCK, 0, &x), LS_OK);
    assert_int_equal(pat_blocks_read(&walks[1], TEST_BLOCK, 0, &y), LS_OK);
    assert_int_equal(pat_blocks_compare(&x, &y, 1, &c), LS_OK);
    assert_true(c.null < 0.01 && c.p_value < 0.05 && c.distance.total > c.null);
    assert_true(c.low > 0 && c.high - c.low < 0.01);
    free(x.rows);
    free(y.rows);
    free(p.data);
    free(q.data);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pat_interval_holds_the_true_distance),
        cmocka_unit_test(pat_equal_processes_are_seldom_distinguished),
        cmocka_unit_test(pat_few_blocks_give_no_interval),
        cmocka_unit_test(pat_equal_seeds_give_equal_digits),
        cmocka_unit_test(pat_regular_patterns_have_no_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
