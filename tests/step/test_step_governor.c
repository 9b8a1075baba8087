/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/samplers/rt_step_governor_sigsafe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)
enum { START = 5 };
static const struct rt_step_governor three_percent = {
    .share = 0.03, .period_min_ns = 0, .start_ns = START * S, .credit_ns = 5 * MS};

static void step_governor_budget_grows_with_wall_time_and_shrinks_with_all_costs(void **state)
{
    (void)state;
    const struct rt_step_spent spent = {.bursts_ns = 10 * MS, .hooks_ns = 4 * MS};
    const uint64_t after_1s = (START + 1) * S;
    assert_in_range(rt_step_governor_left_ns(&three_percent, after_1s, spent), 21 * MS - 1, 21 * MS);
    assert_true(rt_step_governor_allows(&three_percent, after_1s, spent, 20 * MS));
    assert_false(rt_step_governor_allows(&three_percent, after_1s, spent, 22 * MS));
    const struct rt_step_spent hooks = {.bursts_ns = 10 * MS, .hooks_ns = 30 * MS};
    assert_false(rt_step_governor_allows(&three_percent, after_1s, hooks, 1));
}

static void step_governor_clock_before_the_start_earns_nothing(void **state)
{
    (void)state;
    const struct rt_step_spent none = {0};
    assert_int_equal(rt_step_governor_left_ns(&three_percent, 0, none), 5 * MS);
}

static void step_governor_interval_is_cost_times_threads_over_share(void **state)
{
    (void)state;
    const struct rt_step_spent none = {0};
    const uint64_t now = (START + 10) * S;
    assert_in_range(rt_step_governor_interval_ns(&three_percent, now, none, 3 * MS, 1), 99 * MS, 101 * MS);
    assert_in_range(rt_step_governor_interval_ns(&three_percent, now, none, 3 * MS, 4), 399 * MS, 401 * MS);
    /* hooks that use a third of the share stretch it by half */
    const struct rt_step_spent hooks = {.hooks_ns = 100 * MS};
    assert_in_range(rt_step_governor_interval_ns(&three_percent, now, hooks, 3 * MS, 1), 149 * MS, 151 * MS);
    /* hooks over the whole share: the rhythm slows down, it does not stop or turn negative */
    const struct rt_step_spent greedy = {.hooks_ns = 5 * S};
    assert_in_range(rt_step_governor_interval_ns(&three_percent, now, greedy, 3 * MS, 1), 999 * MS,
                    1001 * MS);
}

static void step_governor_period_is_a_lower_bound(void **state)
{
    (void)state;
    struct rt_step_governor g = three_percent;
    g.period_min_ns = 700 * MS;
    const struct rt_step_spent none = {0};
    assert_int_equal(rt_step_governor_interval_ns(&g, (START + 1) * S, none, 3 * MS, 1), 700 * MS);
    g.share = 1;
    g.period_min_ns = 10000;
    assert_int_equal(rt_step_governor_interval_ns(&g, (START + 1) * S, none, 3 * MS, 1), 10000);
}

/* A program of one thread, run in numbers: the achieved overhead meets the budget. */
static void step_governor_holds_the_budget(void **state)
{
    (void)state;
    struct rt_step_spent spent = {0};
    uint64_t now = START * S, random = rt_step_random_seed(1, 1), bursts = 0;
    while (now < (START + 60) * S) {
        now += rt_step_governor_jitter(rt_step_governor_interval_ns(&three_percent, now, spent, 4 * MS, 1),
                                       &random);
        if (!rt_step_governor_allows(&three_percent, now, spent, 4 * MS)) continue;
        now += 4 * MS;
        spent.bursts_ns += 4 * MS;
        bursts++;
    }
    const double overhead = (double)spent.bursts_ns / (double)(now - START * S);
    assert_true(overhead > 0.026 && overhead < 0.0301);
    assert_true(bursts > 300);
}

static void step_governor_jitter_is_uniform_and_reproducible(void **state)
{
    (void)state;
    uint64_t a = rt_step_random_seed(42, 7), b = a;
    uint64_t low = 0, sum = 0;
    for (int i = 0; i < 10000; i++) {
        const uint64_t v = rt_step_governor_jitter(1000000, &a);
        assert_int_equal(v, rt_step_governor_jitter(1000000, &b));
        assert_in_range(v, 500000, 1500000);
        low += v < 750000;
        sum += v;
    }
    assert_in_range(sum / 10000, 985000, 1015000);
    assert_in_range(low, 2300, 2700);
    assert_int_not_equal(rt_step_random_seed(42, 7), rt_step_random_seed(42, 8));
    assert_int_not_equal(rt_step_random_seed(42, 7), rt_step_random_seed(43, 7));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_governor_budget_grows_with_wall_time_and_shrinks_with_all_costs),
        cmocka_unit_test(step_governor_clock_before_the_start_earns_nothing),
        cmocka_unit_test(step_governor_interval_is_cost_times_threads_over_share),
        cmocka_unit_test(step_governor_period_is_a_lower_bound),
        cmocka_unit_test(step_governor_holds_the_budget),
        cmocka_unit_test(step_governor_jitter_is_uniform_and_reproducible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
