/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "analyse/an_bootstrap.h"
#include "tests/analyse/an_fixture.h"
#include "tests/unit.h"

#include <stdlib.h>

/* Bursts of one node each, drawn 50 / 30 / 20. */
static struct an_fixture *mixture(size_t bursts, unsigned seed)
{
    struct an_fixture *f = fix_new(5, 4);
    srand(seed);
    for (size_t b = 0; b < bursts; b++) {
        const int u = rand() % 100;
        fix_burst(f, 1000, 1000);
        fix_load(f, u < 50 ? 0 : u < 80 ? 1 : 2, 600, 105);
    }
    return f;
}

static struct an_interval share_of(struct an_fixture *f, uint32_t group, enum an_metric metric)
{
    struct an_costs c;
    an_table *t = NULL;
    an_bootstrap *b = NULL;
    const struct an_grouping by = {.group_of_sample = f->node, .groups_len = 3};
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
    assert_int_equal(an_table_new(&f->in, &c, &by, &t), LS_OK);
    assert_int_equal(an_bootstrap_new(&f->in, &c, 1, &b), LS_OK);
    const struct an_interval i = an_bootstrap_share(b, t, group, metric);
    an_bootstrap_free(b);
    an_table_free(t);
    an_costs_fini(&c);
    return i;
}

static void check_mixture(size_t bursts, double half_width)
{
    static const double truth[] = {0.5, 0.3, 0.2};
    struct an_fixture *f = mixture(bursts, 42);
    double sum = 0;
    for (uint32_t g = 0; g < 3; g++) {
        const struct an_interval time = share_of(f, g, AN_TIME), stall = share_of(f, g, AN_STALL);
        assert_true(time.low <= truth[g] && truth[g] <= time.high);
        assert_true(stall.low <= truth[g] && truth[g] <= stall.high);
        /* normal approximation of a proportion: the bootstrap must agree within a quarter */
        const double expected = 1.96 * sqrt(truth[g] * (1 - truth[g]) / (double)bursts);
        assert_true(fabs((time.high - time.low) / 2 / expected - 1) < 0.25);
        assert_true((time.high - time.low) / 2 < half_width);
        sum += time.share;
    }
    assert_float_equal(sum, 1, 1e-9);
    fix_free(f);
}

static void an_interval_of_a_mixture_contains_the_truth(void **state)
{
    (void)state;
    check_mixture(1000, 0.035);
}

static void an_poisson_bootstrap_agrees_for_many_bursts(void **state)
{
    (void)state;
    check_mixture(20000, 0.008);
}

static void an_few_bursts_have_a_share_but_no_interval(void **state)
{
    (void)state;
    struct an_fixture *f = mixture(AN_BURSTS_MIN - 1, 3);
    const struct an_interval i = share_of(f, 0, AN_TIME);
    assert_true(i.share > 0 && i.share < 1);
    assert_true(isnan(i.low) && isnan(i.high));
    fix_free(f);
}

static void an_share_of_nothing_is_missing(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    assert_true(isnan(share_of(f, 0, AN_STALL).share));
    fix_free(f);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interval_of_a_mixture_contains_the_truth),
        cmocka_unit_test(an_poisson_bootstrap_agrees_for_many_bursts),
        cmocka_unit_test(an_few_bursts_have_a_share_but_no_interval),
        cmocka_unit_test(an_share_of_nothing_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
