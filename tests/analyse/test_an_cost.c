/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "tests/analyse/an_fixture.h"

/* Window from position 600; 400 instructions at width 4 are 100 cycles; penalties 105 - 5 and 205 - 5 are
 * 300. stall = 4000 * 300 / 400 = 3000, split 1 : 2; issue 25 cycles an access (4 of them) = 250 ns. */
static void an_burst_splits_weight_into_stall_and_issue(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    fix_burst(f, 4000, 1000);
    fix_load(f, 0, 3, FIX_NOT_MEASURED); /* run-ahead window: no part */
    fix_load(f, 0, 600, 105);
    fix_load(f, 1, 700, 205);
    fix_load(f, 1, 701, 4); /* below L1: no negative penalty */
    fix_store(f, 2, 800);
    struct an_costs c;
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
    assert_int_equal(c.window_begin, 600);
    const float stall[] = {0, 1000, 2000, 0, 0}, time[] = {0, 1250, 2250, 250, 250};
    for (int i = 0; i < 5; i++) {
        assert_float_equal(c.stall_ns[i], stall[i], 0.01);
        assert_float_equal(c.time_ns[i], time[i], 0.01);
    }
    assert_float_equal(c.stall_total_ns, 3000, 0.01);
    assert_float_equal(c.attributed_ns, 4000, 0.01);
    an_costs_fini(&c);
    fix_free(f);
}

static void an_burst_without_measured_loads_splits_evenly(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    fix_burst(f, 100, 50);
    fix_load(f, 0, 1, FIX_NOT_MEASURED);
    fix_store(f, 1, 2);
    fix_burst(f, 70, 10); /* no accesses: belongs to no data */
    struct an_costs c;
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_OK);
    assert_float_equal(c.time_ns[0], 50, 1e-4);
    assert_float_equal(c.time_ns[1], 50, 1e-4);
    assert_float_equal(c.stall_total_ns, 0, 0);
    assert_float_equal(c.weight_ns, 170, 1e-9);
    assert_float_equal(c.attributed_ns, 100, 1e-9);
    assert_int_equal(c.attributed_bursts, 1);
    assert_int_equal(c.measured_bursts, 0);
    an_costs_fini(&c);
    fix_free(f);
}

static void an_burst_beyond_the_samples_is_a_format_error(void **state)
{
    (void)state;
    struct an_fixture *f = fix_new(5, 4);
    fix_burst(f, 100, 50);
    fix_store(f, 0, 0);
    f->bursts[0].samples_len = 2;
    struct an_costs c;
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_ERR_FORMAT);
    an_costs_fini(&c);
    f->bursts[0].first_sample = UINT64_MAX;
    assert_int_equal(an_costs_init(&c, fix_input(f)), LS_ERR_FORMAT);
    an_costs_fini(&c);
    fix_free(f);
}

static void an_missing_calibration_gives_defaults(void **state)
{
    (void)state;
    struct prof_run run = {.issue_width = NAN};
    run.level_latency_cycles[PROF_LEVEL_L1] = NAN;
    struct an_input in;
    an_input_init(&in, &run, NULL, 0);
    assert_float_equal(in.l1_cycles, AN_DEFAULT_L1_CYCLES, 0);
    assert_float_equal(in.issue_width, AN_DEFAULT_ISSUE_WIDTH, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_burst_splits_weight_into_stall_and_issue),
        cmocka_unit_test(an_burst_without_measured_loads_splits_evenly),
        cmocka_unit_test(an_burst_beyond_the_samples_is_a_format_error),
        cmocka_unit_test(an_missing_calibration_gives_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
