/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_governor_sigsafe.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)
static const struct rt_burst_governor three_percent = {
    .share = 0.03, .period_min_ns = 0, .start_ns = 5 * S, .credit_ns = 5 * MS};

static uint64_t interval(struct rt_burst_governor g, uint64_t worked_ns, struct rt_burst_spent spent,
                         double threads)
{
    return rt_burst_governor_interval_ns(&g, worked_ns, spent, 3 * MS, threads);
}

static void step_governor_interval_is_cost_times_threads_over_share(void **state)
{
    (void)state;
    const struct rt_burst_spent fair = {.bursts_ns = 300 * MS}; /* 3 % of 10 s: the credit is repaid */
    assert_in_range(interval(three_percent, 10 * S, fair, 1), 99 * MS, 101 * MS);
    assert_in_range(interval(three_percent, 10 * S, fair, 4), 399 * MS, 401 * MS);
}

static void step_governor_uses_credit_and_repays_debt(void **state)
{
    (void)state;
    const struct rt_burst_spent fair = {.bursts_ns = 300 * MS}, less = {.bursts_ns = 294 * MS},
                                more = {.bursts_ns = 303 * MS};
    const uint64_t usual = interval(three_percent, 10 * S, fair, 1);
    assert_true(interval(three_percent, 10 * S, less, 1) < usual * 3 / 4);
    assert_true(interval(three_percent, 10 * S, more, 1) > usual * 3 / 2);
}

/* Hooks that need the whole budget are charged with half of it, and bursts continue with the other half. */
static void step_governor_hooks_take_at_most_half_of_the_budget(void **state)
{
    (void)state;
    const struct rt_burst_spent greedy = {.bursts_ns = 150 * MS, .hooks_ns = 5 * S};
    assert_in_range(interval(three_percent, 10 * S, greedy, 1), 99 * MS, 101 * MS);
}

/* The credit is a loan: a program that ends early has had more than its share, a longer one has not. */
static void step_governor_repays_the_credit(void **state)
{
    (void)state;
    const struct rt_burst_spent credit = {.bursts_ns = 5 * MS}, half = {.bursts_ns = 7500000},
                                repaid = {.bursts_ns = 15 * MS};
    assert_in_range(interval(three_percent, 0, credit, 1), 99 * MS, 101 * MS);
    assert_in_range(interval(three_percent, 125 * MS, half, 1), 99 * MS, 101 * MS);
    assert_in_range(interval(three_percent, 500 * MS, repaid, 1), 99 * MS, 101 * MS);
}

/* Far overdrawn: the rhythm slows down to a tenth, it does not stop. */
static void step_governor_bursts_always_have_a_tenth_of_the_share(void **state)
{
    (void)state;
    const struct rt_burst_spent greedy = {.bursts_ns = 5 * S};
    assert_in_range(interval(three_percent, 10 * S, greedy, 1), 999 * MS, 1001 * MS);
}

static void step_governor_period_is_a_lower_bound(void **state)
{
    (void)state;
    struct rt_burst_governor g = three_percent;
    g.period_min_ns = 700 * MS;
    const struct rt_burst_spent none = {0};
    assert_int_equal(interval(g, S, none, 1), 700 * MS);
    g.share = 1;
    assert_int_equal(interval(g, S, none, 1), 700 * MS);
    g.period_min_ns = 0;
    assert_int_equal(interval(g, S, none, 1), RT_BURST_SHORTEST_NS);
}

/* A simulated program of one thread: the achieved overhead equals the budget, and the sum of the weights
 * equals its time. */
static void step_governor_holds_the_budget_and_weights_add_up(void **state)
{
    (void)state;
    struct rt_burst_spent spent = {0};
    uint64_t worked = 0, random = rt_burst_random_seed(1, 1);
    double weights = 0, program = 0;
    while (worked < 600 * S) {
        const uint64_t mean = rt_burst_governor_interval_ns(&three_percent, worked, spent, 4 * MS, 1);
        const uint64_t drawn = rt_burst_governor_draw_ns(mean, &random);
        worked += drawn + 4 * MS;
        program += (double)drawn;
        weights += (double)mean;
        spent.bursts_ns += 4 * MS;
    }
    assert_in_range(spent.bursts_ns, worked * 29 / 1000, worked * 301 / 10000);
    assert_true(weights / program > 0.95 && weights / program < 1.05); /* some 4,500 bursts: 1.5 % a sigma */
}

static void step_governor_intervals_are_exponential_and_reproducible(void **state)
{
    (void)state;
    enum { N = 200000 };
    uint64_t a = rt_burst_random_seed(42, 7), b = a;
    double sum = 0, squares = 0;
    uint64_t over = 0;
    for (int i = 0; i < N; i++) {
        const uint64_t v = rt_burst_governor_draw_ns(100 * MS, &a);
        assert_int_equal(v, rt_burst_governor_draw_ns(100 * MS, &b));
        sum += (double)v;
        squares += (double)v * (double)v;
        over += v > 230258509; /* ln 10 means: one in ten */
    }
    const double mean = sum / N;
    assert_true(fabs(mean / 100e6 - 1) < 0.01);
    assert_true(fabs((squares / N - mean * mean) / (mean * mean) - 1) < 0.03);
    assert_in_range(over, N / 10 - 700, N / 10 + 700);
    assert_int_not_equal(rt_burst_random_seed(42, 7), rt_burst_random_seed(42, 8));
    assert_int_not_equal(rt_burst_random_seed(42, 7), rt_burst_random_seed(43, 7));
}

/* A thread that works and is in the kernel by turns. A perf trigger that expires in the kernel starts its
 * interval again. Bursts found in the first and in the second half of the work, over those expected. */
struct halves {
    double first, second;
};
static struct halves simulate(double work_ns, double kernel_ns, double mean_ns)
{
    enum { MEANS = 1000000 };
    uint64_t random = rt_burst_random_seed(3, 5);
    const double turn = work_ns + kernel_ns;
    struct halves found = {0};
    double at = 0;
    while (at < MEANS * mean_ns) {
        const double drawn = (double)rt_burst_governor_draw_ns((uint64_t)mean_ns, &random);
        do
            at += drawn;
        while (fmod(at, turn) >= work_ns);
        *(fmod(at, turn) < work_ns / 2 ? &found.first : &found.second) += 1;
    }
    const double half = at / mean_ns * work_ns / turn / 2;
    return (struct halves){found.first / half, found.second / half};
}

static void step_governor_work_after_the_kernel_is_hit_as_often_as_other_work(void **state)
{
    (void)state;
    static const double turns[][2] = {
        {10e6, 1000e6}, {100e6, 2000e6}, {50e6, 50e6}, {1e6, 20e6}, {300e6, 10e6}};
    for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
        const struct halves h = simulate(turns[i][0], turns[i][1], 100e6);
        assert_true(h.first > 0.9 && h.first < 1.1);
        assert_true(h.second > 0.9 && h.second < 1.1);
    }
}

/* A burst of 1 KiB whenever the interval is over: the spool is never full, and thinning begins at one half. */
static void step_governor_bursts_do_not_fill_the_spool(void **state)
{
    (void)state;
    const uint64_t limit = 1 << 20;
    uint64_t used = 0;
    assert_float_equal(rt_burst_governor_thinning(UINT64_MAX, 0), 1, 0);
    assert_float_equal(rt_burst_governor_thinning(limit / 2, limit), 1, 0);
    assert_float_equal(rt_burst_governor_thinning(limit / 4 * 3, limit), 4, 1e-9);
    for (double time = 0; time < 1e5; time += rt_burst_governor_thinning(used, limit))
        used += 1024;
    assert_true(used < limit);
    assert_true(rt_burst_governor_thinning(2 * limit, limit) >= 1000); /* other records filled it */
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_governor_interval_is_cost_times_threads_over_share),
        cmocka_unit_test(step_governor_uses_credit_and_repays_debt),
        cmocka_unit_test(step_governor_hooks_take_at_most_half_of_the_budget),
        cmocka_unit_test(step_governor_repays_the_credit),
        cmocka_unit_test(step_governor_bursts_always_have_a_tenth_of_the_share),
        cmocka_unit_test(step_governor_period_is_a_lower_bound),
        cmocka_unit_test(step_governor_holds_the_budget_and_weights_add_up),
        cmocka_unit_test(step_governor_intervals_are_exponential_and_reproducible),
        cmocka_unit_test(step_governor_bursts_do_not_fill_the_spool),
        cmocka_unit_test(step_governor_work_after_the_kernel_is_hit_as_often_as_other_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
