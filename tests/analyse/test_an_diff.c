/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "analyse/an_diff.h"
#include "analyse/an_bootstrap.h"
#include "analyse/an_select.h"
#include "common/ls_random.h"
#include "tests/analyse/an_fixture.h"
#include "tests/unit.h"

#include <stdlib.h>

static uint64_t random_state;

static double uniform(void)
{
    return ls_random_uniform(&random_state);
}

static double normal(void)
{
    return sqrt(-2 * log(1 - uniform())) * cos(2 * 3.14159265358979 * uniform());
}

/* Rows 0 and 1. A burst belongs to row 0 with this probability; its loads share a slow or fast spell, so that
 * the bursts, not the loads, are independent. The median of the latencies of row 0 is typical by symmetry. */
struct truth {
    double share, typical;
};
enum { BURSTS = 150, LOADS = 6, L1 = 5 };

static struct an_fixture *draw(struct truth t)
{
    struct an_fixture *f = fix_new(L1, 4);
    for (int b = 0; b < BURSTS; b++) {
        const uint32_t row = uniform() < t.share ? 0 : 1;
        const double spell = 25 * normal();
        fix_burst(f, 1000000, 1000);
        for (uint32_t i = 0; i < LOADS; i++) {
            const double latency = (row == 0 ? t.typical : 100) + spell + 8 * normal();
            fix_load(f, row, 600 + i, (uint32_t)fmax(latency + 0.5, L1 + 1));
        }
    }
    return f;
}

enum { RUNS_MAX = 5 };

/* Row `row` of the runs of a side against the runs of another one. */
static struct an_difference compare_runs(struct an_fixture *const *a, size_t a_len,
                                         struct an_fixture *const *b, size_t b_len, uint32_t row)
{
    struct an_costs costs[2 * RUNS_MAX];
    struct an_diff_run runs[2 * RUNS_MAX];
    const size_t len = a_len + b_len;
    for (size_t i = 0; i < len; i++) {
        struct an_fixture *f = i < a_len ? a[i] : b[i - a_len];
        assert_int_equal(an_costs_init(&costs[i], fix_input(f)), LS_OK);
        runs[i] = (struct an_diff_run){.in = &f->in, .costs = &costs[i], .row_of_sample = f->node};
    }
    const struct an_diff_side sides[2] = {{runs, a_len}, {runs + a_len, b_len}};
    an_diff *d = NULL;
    assert_int_equal(an_diff_new(sides, 3, &d), LS_OK);
    struct an_difference out = an_diff_row(d, row);
    assert_int_equal(an_diff_median(d, &out), LS_OK);
    an_diff_free(d);
    for (size_t i = 0; i < len; i++)
        an_costs_fini(&costs[i]);
    return out;
}

static struct an_difference compare(struct an_fixture *a, struct an_fixture *b, uint32_t row)
{
    return compare_runs(&a, 1, &b, 1, row);
}

static bool holds(const struct an_change *c, double truth)
{
    return c->low <= truth && truth <= c->high;
}

enum { TRIALS = 400 };
#define ROUNDING 0.5 /* cycles are whole numbers */

/* 400 trials: the share of intervals that hold the truth is 95 % +- 3.2 (three standard errors); the
 * percentile bootstrap of 150 bursts is known to hold a little less often. */
static void check_coverage(struct truth a, struct truth b, uint64_t seed)
{
    int shares = 0, times = 0, medians = 0;
    random_state = seed;
    for (int i = 0; i < TRIALS; i++) {
        struct an_fixture *fa = draw(a), *fb = draw(b);
        const struct an_difference d = compare(fa, fb, 0);
        shares += holds(&d.share, b.share - a.share);
        times += holds(&d.time_ns, (b.share - a.share) * BURSTS * 1000000);
        const double m = b.typical - a.typical;
        medians += d.median_cycles.low - ROUNDING <= m && m <= d.median_cycles.high + ROUNDING;
        fix_free(fa);
        fix_free(fb);
    }
    print_message("coverage of 95 %% intervals: share %.3f, time %.3f, median %.3f\n",
                  shares / (double)TRIALS, times / (double)TRIALS, medians / (double)TRIALS);
    assert_in_range(shares, TRIALS * 91 / 100, TRIALS * 985 / 1000);
    assert_in_range(times, TRIALS * 91 / 100, TRIALS * 985 / 1000);
    assert_in_range(medians, TRIALS * 91 / 100, TRIALS * 99 / 100);
}

static void an_intervals_hold_the_truth_in_95_of_100(void **state)
{
    (void)state;
    check_coverage((struct truth){0.3, 200}, (struct truth){0.45, 260}, 1);
    check_coverage((struct truth){0.5, 200}, (struct truth){0.5, 200}, 2); /* nothing changed */
}

/* Runs whose share itself varies, on the average as much as t. */
static void draw_runs(struct an_fixture *out[RUNS_MAX], size_t len, struct truth t, double deviation)
{
    for (size_t i = 0; i < len; i++)
        out[i] = draw((struct truth){fmin(fmax(t.share + deviation * normal(), 0.02), 0.98), t.typical});
}

static void free_runs(struct an_fixture *const *runs, size_t len)
{
    for (size_t i = 0; i < len; i++)
        fix_free(runs[i]);
}

/* Compare runs that vary by 12 points 200 times: the number of intervals that hold the change, 0. */
static int held_of_200(size_t a_len, size_t b_len, uint64_t seed)
{
    int held = 0;
    random_state = seed;
    for (int i = 0; i < 200; i++) {
        struct an_fixture *a[RUNS_MAX], *b[RUNS_MAX];
        draw_runs(a, a_len, (struct truth){0.5, 200}, 0.12);
        draw_runs(b, b_len, (struct truth){0.5, 200}, 0.12);
        const struct an_difference d = compare_runs(a, a_len, b, b_len, 0);
        held += holds(&d.share, 0) && holds(&d.time_ns, 0);
        free_runs(a, a_len);
        free_runs(b, b_len);
    }
    print_message("%zu runs against %zu: %d of 200 intervals hold the truth\n", a_len, b_len, held);
    return held;
}

/* Half of the chance changes pass for real ones with one run per side; with several it is at most 1 in 20. Three
 * standard errors of 200 trials are 9. */
static void an_intervals_of_several_runs_include_how_runs_vary(void **state)
{
    (void)state;
    assert_true(held_of_200(1, 1, 11) < 150);
    assert_true(held_of_200(3, 3, 12) > 180);
    assert_true(held_of_200(2, 5, 13) > 180);
    assert_true(held_of_200(1, 4, 14) > 180);
}

static void an_values_of_several_runs_are_their_means(void **state)
{
    (void)state;
    random_state = 15;
    struct an_fixture *a[] = {draw((struct truth){0.2, 200}), draw((struct truth){0.4, 220})};
    struct an_fixture *b[] = {draw((struct truth){0.8, 400}), draw((struct truth){0.8, 400})};
    const struct an_difference x = compare(a[0], b[0], 0), y = compare(a[1], b[1], 0),
                               all = compare_runs(a, 2, b, 2, 0), one = compare_runs(a, 1, b, 1, 0),
                               same = compare_runs((struct an_fixture *[]){a[0], a[0]}, 2,
                                                   (struct an_fixture *[]){b[0], b[0]}, 2, 0);
    assert_float_equal(all.time_ns.a, (x.time_ns.a + y.time_ns.a) / 2, 1);
    assert_float_equal(all.share.b, (x.share.b + y.share.b) / 2, 1e-9);
    assert_float_equal(all.stall_ns.a, (x.stall_ns.a + y.stall_ns.a) / 2, 1);
    assert_float_equal(all.median_cycles.a, (x.median_cycles.a + y.median_cycles.a) / 2, 1e-9);
    assert_int_equal(all.bursts[0], x.bursts[0] + y.bursts[0]);
    assert_int_equal(all.samples[1], x.samples[1] + y.samples[1]);
    assert_memory_equal(&one, &x, sizeof(one)); /* one run per side: no other digits */
    assert_true(same.share.low > 0 &&
                same.share.high - same.share.low > 0); /* no variance: the bursts' error */
    assert_true(all.share.high - all.share.low > 2 * (x.share.high - x.share.low));
    free_runs(a, 2);
    free_runs(b, 2);
}

static void an_large_changes_are_significant(void **state)
{
    (void)state;
    random_state = 3;
    struct an_fixture *a = draw((struct truth){0.2, 200}), *b = draw((struct truth){0.7, 400});
    const struct an_difference d = compare(a, b, 0), back = compare(b, a, 0), same = compare(a, a, 0);
    assert_true(an_change_is_significant(&d.share) && d.share.low > 0);
    assert_true(an_change_is_significant(&d.time_ns) && an_change_is_significant(&d.median_cycles));
    assert_true(an_change_is_significant(&back.share) && back.share.high < 0);
    assert_true(an_change_is_significant(&back.stall_ns) && back.stall_ns.high < 0);
    assert_false(an_change_is_significant(&same.share) || an_change_is_significant(&same.stall_ns) ||
                 an_change_is_significant(&same.time_ns) || an_change_is_significant(&same.median_cycles));
    assert_float_equal(d.time_ns.a / (d.time_ns.a + compare(a, b, 1).time_ns.a), d.share.a, 1e-6);
    fix_free(a);
    fix_free(b);
}

/* bursts of row 2 in B, of 40 bursts; none in A */
static struct an_difference newcomer(int bursts)
{
    struct an_fixture *a = fix_new(L1, 4), *b = fix_new(L1, 4);
    for (int i = 0; i < 40; i++) {
        fix_burst(a, 1000, 1000);
        fix_load(a, 0, 600, 100);
        fix_burst(b, 1000, 1000);
        fix_load(b, i < bursts ? 2 : 0, 600, 100);
    }
    const struct an_difference d = compare(a, b, 2);
    fix_free(a);
    fix_free(b);
    return d;
}

/* 0 of 40 bursts: the share may be 3 / 40. 5 of 40 (12.5 %) could be chance, 20 cannot; below 5 nothing is
 * reported. */
static void an_new_rows_are_significant_if_the_other_run_could_not_miss_them(void **state)
{
    (void)state;
    const struct an_difference few = newcomer(4), some = newcomer(5), many = newcomer(20);
    assert_int_equal(many.bursts[0], 0);
    assert_int_equal(many.bursts[1], 20);
    assert_float_equal(many.share.b, 0.5, 1e-6);
    assert_true(isnan(few.share.low) && !an_change_is_significant(&few.share));
    assert_true(isnan(an_change_margin(&few.share)));
    assert_true(some.share.low < 0 && !an_change_is_significant(&some.share));
    assert_true(many.share.low > 0 && an_change_is_significant(&many.share));
    assert_true(isnan(many.median_cycles.a) && isnan(many.median_cycles.low));
}

static void an_few_bursts_give_no_interval(void **state)
{
    (void)state;
    struct an_fixture *a = fix_new(L1, 4), *b = fix_new(L1, 4);
    for (int i = 0; i < 40; i++) {
        if (i < AN_BURSTS_MIN - 1) {
            fix_burst(a, 1000, 1000);
            fix_load(a, 0, 600, 100);
        }
        fix_burst(b, 1000, 1000);
        fix_load(b, 0, 600, 500);
    }
    const struct an_difference d = compare(a, b, 0);
    assert_true(isnan(d.share.low) && isnan(d.median_cycles.low) && !an_change_is_significant(&d.time_ns));
    assert_float_equal(d.median_cycles.b - d.median_cycles.a, 400, 0);
    fix_free(a);
    fix_free(b);
}

/* A row of a sum is not a sample: resampling the rows would give intervals of the rows' sizes. */
static void an_sums_over_ranks_give_no_interval(void **state)
{
    (void)state;
    struct an_fixture *runs[] = {fix_new(L1, 4), fix_new(L1, 4)}, *single = fix_new(L1, 4);
    for (uint32_t i = 0; i < 2 * AN_BURSTS_MIN; i++) {
        for (uint32_t r = 0; r < 2; r++) {
            fix_sum_bursts(runs[r], 100, 1000000);
            fix_sum_loads(runs[r], i % 2, 100, 100 + 300 * r, 1000000);
        }
        fix_burst(single, 1000000, 1000);
        fix_load(single, i % 2, 600, 400);
    }
    const struct an_difference d = compare(runs[0], runs[1], 0), one = compare(single, runs[1], 0),
                               several = compare_runs(runs, 2, runs, 2, 0);
    const struct an_difference *const all[] = {&d, &one, &several};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        assert_true(isnan(all[i]->time_ns.low) && isnan(all[i]->share.low) && isnan(all[i]->stall_ns.low));
        assert_true(isnan(all[i]->median_cycles.low) && !an_change_is_significant(&all[i]->time_ns));
    }
    assert_float_equal(d.time_ns.a, AN_BURSTS_MIN * 1e6, 1);
    fix_free(runs[0]);
    fix_free(runs[1]);
    fix_free(single);
}

/* Against counting every load as often as the resample holds its burst. */
static void check_resampled_medians(double step)
{
    random_state = 5;
    struct an_fixture *f = draw((struct truth){0.6, 200});
    struct an_costs c;
    an_bootstrap *b = NULL;
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
    assert_int_equal(an_bootstrap_new(&f->in, &c, 1, &b), LS_OK);
    static struct an_latency loads[BURSTS * LOADS];
    static int32_t repeated[BURSTS * LOADS * 16];
    static double medians[AN_RESAMPLES];
    size_t len = 0;
    for (size_t i = 0; i < f->samples_len; i++)
        if (f->node[i] == 0)
            loads[len++] = (struct an_latency){(int32_t)(f->latency_cycles[i] / step) * (int32_t)step,
                                               an_bootstrap_block(b, (uint32_t)(i / LOADS))};
    assert_int_equal(an_median_resample(b, loads, len, step, medians), LS_OK);
    for (size_t r = 0; r < AN_RESAMPLES; r += 97) {
        size_t n = 0;
        for (size_t i = 0; i < len; i++)
            for (uint8_t k = an_bootstrap_counts(b, loads[i].block)[r]; k > 0; k--)
                repeated[n++] = loads[i].cycles;
        assert_float_equal(medians[r], an_median_refined(repeated, n, step), 1e-9);
    }
    assert_int_equal(an_median_resample(b, loads, 0, step, medians), LS_OK);
    assert_true(isnan(medians[0]));
    an_bootstrap_free(b);
    an_costs_fini(&c);
    fix_free(f);
}

static void an_resampled_medians_equal_those_of_the_resampled_loads(void **state)
{
    (void)state;
    check_resampled_medians(1);
    check_resampled_medians(27);
}

/* The printed margin never contradicts the verdict. */
static void margin_is_smaller_than_a_significant_change(void **state)
{
    static const struct an_change less = {.a = 5, .b = 2, .low = -9.5, .high = -0.5},
                                  more = {.a = 2, .b = 5, .low = 0.5, .high = 9.5},
                                  perhaps = {.a = 5, .b = 2, .low = -4, .high = 0.5};
    (void)state;
    assert_float_equal(an_change_margin(&less), 2.5, 1e-9);
    assert_float_equal(an_change_margin(&more), 2.5, 1e-9);
    assert_float_equal(an_change_margin(&perhaps), 3.5, 1e-9);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_intervals_hold_the_truth_in_95_of_100),
        cmocka_unit_test(an_intervals_of_several_runs_include_how_runs_vary),
        cmocka_unit_test(an_values_of_several_runs_are_their_means),
        cmocka_unit_test(an_large_changes_are_significant),
        cmocka_unit_test(an_new_rows_are_significant_if_the_other_run_could_not_miss_them),
        cmocka_unit_test(an_few_bursts_give_no_interval),
        cmocka_unit_test(an_sums_over_ranks_give_no_interval),
        cmocka_unit_test(an_resampled_medians_equal_those_of_the_resampled_loads),
        cmocka_unit_test(margin_is_smaller_than_a_significant_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
