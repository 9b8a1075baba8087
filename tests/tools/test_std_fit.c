/* SPDX-License-Identifier: BSD-3-Clause */
/* The fitted roof of a node: curves whose roof and knee are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit.h"
#include "tools/study/std_fit.h"

#include <math.h>

#define NEAR(a, b, share)                                                                \
    do {                                                                                 \
        if (!(fabs((a) / (b)-1) <= (share))) fail_msg("%s is %g, not %g", #a, (a), (b)); \
    } while (0)

enum { MOST = 12 };
static const double all_ranks[MOST] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32};

/* Fit min(ranks * one, roof), each rate changed by a share of it in turn up and down. */
static struct std_fit fit(double one, double roof, double change, size_t len)
{
    double rates[MOST];
    for (size_t i = 0; i < len; i++)
        rates[i] = fmin(one * all_ranks[i], roof) * (i % 2 ? 1 + change : 1 - change);
    return std_fit_of(all_ranks, rates, len);
}

static void exact_roofs_are_found(void **state)
{
    (void)state;
    /* knees between points, at points, and before the first one */
    const double roofs[] = {150, 100, 95, 61, 40, 10, 4};
    for (size_t i = 0; i < sizeof(roofs) / sizeof(roofs[0]); i++) {
        const struct std_fit f = fit(10, roofs[i], 0, MOST);
        NEAR(f.roof, roofs[i], 1e-9);
        if (roofs[i] > 10) NEAR(f.one, 10.0, 1e-9);
        assert_true(f.residual < 1e-9);
        NEAR(std_fit_at(&f, 64), roofs[i], 1e-9);
    }
}

static void noise_changes_roofs_by_less_than_itself(void **state)
{
    (void)state;
    for (double roof = 25; roof < 150; roof += 7) {
        const struct std_fit f = fit(10, roof, 0.03, MOST);
        NEAR(f.roof, roof, 0.03);
        NEAR(f.one, 10.0, 0.04);
        assert_true(f.residual > 0.01 && f.residual <= 0.031);
    }
}

static void straight_lines_have_no_roof(void **state)
{
    (void)state;
    struct std_fit f = fit(10, INFINITY, 0, MOST);
    assert_true(isnan(f.roof));
    NEAR(f.one, 10.0, 1e-9);
    NEAR(std_fit_at(&f, 64), 640.0, 1e-9);
    f = fit(10, INFINITY, 0.04, MOST);
    assert_true(isnan(f.roof));
    /* only the last point is below the line */
    f = fit(10, 300, 0, MOST);
    assert_true(isnan(f.roof));
}

static void rates_that_still_rise_have_no_roof(void **state)
{
    (void)state;
    const double ranks[] = {1, 2, 4, 8}, rates[] = {10, 19, 30, 40};
    assert_true(isnan(std_fit_of(ranks, rates, 4).roof));
}

static void rates_that_fall_again_have_a_roof(void **state)
{
    (void)state;
    const double ranks[] = {1, 2, 4, 6, 8, 16}, rates[] = {10, 20, 40, 50, 48, 30};
    const struct std_fit f = std_fit_of(ranks, rates, 6);
    NEAR(f.roof, 48.0, 0.03);
    NEAR(f.one, 10.0, 0.03);
    assert_true(f.residual > 0.01 && f.residual < 0.05);
}

static void few_points_are_fitted(void **state)
{
    (void)state;
    const double ranks[] = {1, 2}, equal[] = {10, 10.5}, rising[] = {10, 19}, half[] = {10, 14},
                 falling[] = {10, 6};
    NEAR(std_fit_of(ranks, equal, 2).roof, 10.25, 0.01);
    NEAR(std_fit_of(ranks, falling, 2).roof, 9.5, 0.01);
    assert_true(isnan(std_fit_of(ranks, rising, 2).roof));
    assert_true(isnan(std_fit_of(ranks, half, 2).roof));
    const struct std_fit one = std_fit_of(ranks, equal, 1);
    NEAR(one.one, 10.0, 1e-9);
    assert_true(isnan(one.roof) && isnan(one.residual));
    assert_true(isnan(std_fit_of(ranks, equal, 0).one));
}

/* The points need not begin at one rank. */
static void points_may_begin_later(void **state)
{
    (void)state;
    const double ranks[] = {4, 8, 16, 32}, rates[] = {40, 80, 90, 90};
    const struct std_fit f = std_fit_of(ranks, rates, 4);
    NEAR(f.one, 10.0, 1e-9);
    NEAR(f.roof, 90.0, 1e-9);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_roofs_are_found),
        cmocka_unit_test(noise_changes_roofs_by_less_than_itself),
        cmocka_unit_test(straight_lines_have_no_roof),
        cmocka_unit_test(rates_that_still_rise_have_no_roof),
        cmocka_unit_test(rates_that_fall_again_have_a_roof),
        cmocka_unit_test(few_points_are_fitted),
        cmocka_unit_test(points_may_begin_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
