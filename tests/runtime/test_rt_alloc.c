/* SPDX-License-Identifier: BSD-3-Clause */
/* Which blocks are recorded: drawn without bias, remembered without headers, their paths given once. */
#include "runtime/core/rt_blocks_sigsafe.h"
#include "runtime/core/rt_paths_sigsafe.h"
#include "runtime/core/rt_poisson_sigsafe.h"
#include "spool/spool_path.h"
#include "tests/unit.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void logarithm_is_exact_enough(void **state)
{
    (void)state;
    for (double u = 1; u > 1e-17; u *= 0.9993)
        assert_true(fabs(rt_negative_log(u) + log(u)) < 1e-9 * (1 + fabs(log(u))));
    assert_true(rt_negative_log(1) == 0);
}

/* Blocks of n bytes, drawn as by the hooks: how many the recorded ones represent, and how many there were. */
static double estimate(struct rt_poisson *p, uint32_t period_bytes, int64_t n, int blocks)
{
    int64_t left = rt_poisson_gap(p, period_bytes, 42);
    double sum = 0;
    for (int i = 0; i < blocks; i++) {
        left -= n;
        if (left >= 0) continue;
        sum += 1 / (1 - exp(-(double)n / period_bytes));
        left = rt_poisson_gap(p, period_bytes, 0);
    }
    return sum;
}

static void recorded_blocks_estimate_all(void **state)
{
    static const struct {
        uint32_t period_bytes;
        int64_t n;
        int blocks;
    } rows[] = {{4096, 16, 2000000},  {4096, 500, 200000},    {4096, 4095, 100000},
                {65536, 64, 5000000}, {65536, 60000, 100000}, {1 << 20, 5000, 1000000}};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct rt_poisson p = {0};
        const double chance = 1 - exp(-(double)rows[i].n / rows[i].period_bytes);
        const double found = estimate(&p, rows[i].period_bytes, rows[i].n, rows[i].blocks);
        /* standard error of a binomial with this chance, divided by it */
        const double sigma = sqrt(rows[i].blocks * (1 - chance) / chance);
        assert_true(fabs(found - rows[i].blocks) < 4 * sigma);
    }
}

static void sizes_do_not_disturb_each_other(void **state)
{
    enum { ROUNDS = 400000, PERIOD = 8192 };
    static const int64_t sizes[] = {24, 3000, 200};
    double sums[3] = {0};
    struct rt_poisson p = {0};
    int64_t left = rt_poisson_gap(&p, PERIOD, 7);
    (void)state;
    for (int i = 0; i < 3 * ROUNDS; i++) {
        left -= sizes[i % 3];
        if (left >= 0) continue;
        sums[i % 3] += 1 / (1 - exp(-(double)sizes[i % 3] / PERIOD));
        left = rt_poisson_gap(&p, PERIOD, 0);
    }
    for (int k = 0; k < 3; k++) {
        const double chance = 1 - exp(-(double)sizes[k] / PERIOD);
        assert_true(fabs(sums[k] - ROUNDS) < 4 * sqrt(ROUNDS * (1 - chance) / chance));
    }
}

static void same_seed_draws_the_same(void **state)
{
    struct rt_poisson a = {0}, b = {0}, c = {0};
    int differ = 0;
    (void)state;
    for (int i = 0; i < 100; i++) {
        const int64_t gap = rt_poisson_gap(&a, 4096, 5);
        assert_true(gap >= 0);
        assert_int_equal(gap, rt_poisson_gap(&b, 4096, 5));
        differ += gap != rt_poisson_gap(&c, 4096, 6);
    }
    assert_true(differ > 90);
    assert_int_equal(a.period_bytes, 4096);
}

static int init_blocks(void **state)
{
    (void)state;
    return rt_blocks_init();
}

static void blocks_are_remembered_until_removed(void **state)
{
    static const uint64_t bases[] = {0x10,           0x20,           0x555555560000, 0x555555560010,
                                     0x555556560000, 0x7f0000000010, 0x7fffffffff00};
    enum { N = sizeof(bases) / sizeof(bases[0]) };
    (void)state;
    for (int i = 0; i < N; i++) {
        assert_false(rt_blocks_has(bases[i]));
        assert_false(rt_blocks_remove(bases[i]));
        assert_true(rt_blocks_add(bases[i]));
    }
    for (int i = 0; i < N; i++) {
        assert_true(rt_blocks_has(bases[i]));
        assert_false(rt_blocks_has(bases[i] + 0x1000));
        assert_true(rt_blocks_remove(bases[i]));
        assert_false(rt_blocks_has(bases[i]));
        assert_false(rt_blocks_remove(bases[i]));
    }
}

/* The heap of a program that is linked at a fixed address may begin below 16 MiB. */
static void region_zero_is_separate(void **state)
{
    uint64_t other = 1;
    (void)state;
    while (rt_region_home(other) != rt_region_home(0))
        other++;
    other <<= RT_REGION_BITS;
    assert_true(rt_blocks_add(0x10));
    assert_true(rt_blocks_add(other + 0x20));
    assert_false(rt_blocks_has(other + 0x10));
    assert_false(rt_blocks_has(0x20));
    assert_true(rt_blocks_remove(0x10));
    assert_true(rt_blocks_remove(other + 0x20));
}

/* Two blocks in one unit could not be distinguished. */
static void unaligned_blocks_are_left_out(void **state)
{
    (void)state;
    assert_false(rt_blocks_add(0x7f1000000008));
    assert_true(rt_blocks_add(0x7f1000000000));
    assert_false(rt_blocks_has(0x7f1000000008));
    assert_false(rt_blocks_remove(0x7f1000000008));
    assert_true(rt_blocks_remove(0x7f1000000000));
}

static void full_table_of_regions_refuses(void **state)
{
    unsigned added = 0, refused = 0;
    (void)state;
    for (uint64_t i = 1; i <= 3 * RT_REGIONS / 2; i++)
        if (rt_blocks_add(i << RT_REGION_BITS))
            added++;
        else
            refused++;
    assert_true(added > RT_REGIONS / 2 && added <= RT_REGIONS);
    assert_true(refused >= RT_REGIONS / 2);
    unsigned found = 0;
    for (uint64_t i = 1; i <= 3 * RT_REGIONS / 2; i++)
        found += rt_blocks_remove(i << RT_REGION_BITS);
    assert_int_equal(found, added);
}

enum { WORKERS = 4, EACH = 20000 };
static void *add_and_remove(void *number)
{
    size_t bad = 0;
    for (uint64_t i = 0; i < EACH; i++) { /* neighbours in a word belong to different threads */
        const uint64_t base = 0x600000000000 + (i * WORKERS + (uintptr_t)number) * 16;
        bad += !rt_blocks_add(base);
        bad += !rt_blocks_has(base);
        if (i % 2) bad += !rt_blocks_remove(base);
    }
    return (void *)bad;
}

static void threads_do_not_lose_blocks(void **state)
{
    pthread_t threads[WORKERS];
    (void)state;
    for (uintptr_t i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_and_remove, (void *)i), 0);
    for (int i = 0; i < WORKERS; i++) {
        void *bad;
        pthread_join(threads[i], &bad);
        assert_null(bad);
    }
    for (uint64_t i = 0; i < EACH * WORKERS; i++)
        assert_int_equal(rt_blocks_has(0x600000000000 + i * 16), i / WORKERS % 2 == 0);
}

static void paths_are_given_once_a_file(void **state)
{
    static struct rt_paths p;
    static const uint64_t frames[] = {0x401000, 0x402000, 0x403000}, other[] = {0x401000, 0x403000, 0x402000};
    const uint64_t a = spool_path_hash(frames, 3), b = spool_path_hash(other, 3);
    (void)state;
    assert_true(a != b && a != spool_path_hash(frames, 2));
    assert_false(rt_paths_note(&p, 1, a));
    assert_true(rt_paths_note(&p, 1, a));
    assert_false(rt_paths_note(&p, 2, a)); /* another file does not have it */
    assert_true(rt_paths_note(&p, 2, a));
    rt_paths_forget(&p, a); /* the record was dropped */
    assert_false(rt_paths_note(&p, 2, a));
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithm_is_exact_enough),
        cmocka_unit_test(recorded_blocks_estimate_all),
        cmocka_unit_test(sizes_do_not_disturb_each_other),
        cmocka_unit_test(same_seed_draws_the_same),
        cmocka_unit_test_setup(blocks_are_remembered_until_removed, init_blocks),
        cmocka_unit_test_setup(region_zero_is_separate, init_blocks),
        cmocka_unit_test_setup(unaligned_blocks_are_left_out, init_blocks),
        cmocka_unit_test_setup(full_table_of_regions_refuses, init_blocks),
        cmocka_unit_test_setup(threads_do_not_lose_blocks, init_blocks),
        cmocka_unit_test(paths_are_given_once_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
