/* SPDX-License-Identifier: BSD-3-Clause */
/* A latency becomes a level: monotonic, whatever the machine and however coarse its counter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "machine/mach_calibration.h"
#include "tests/unit.h"

#include <math.h>
#include <stdlib.h>

struct machine_row {
    const char *name;
    uint32_t step_cycles;
    double latency_cycles[MACH_LEVEL_COUNT];
};

static const struct machine_row machines[] = {
    {"fine counter", 1, {5, 14, 60, 300}},          {"coarse counter", 26, {6, 13, 38, 416}},
    {"no third cache", 2, {4, 12, 12, 250}},        {"all the same", 1, {1, 1, 1, 1}},
    {"step beyond everything", 1000, {2, 3, 4, 5}},
};
enum { MACHINES = sizeof(machines) / sizeof(machines[0]) };

static struct mach_calibration calibration_of(const struct machine_row *row)
{
    struct mach_calibration c = {.tsc_hz = 1000000000, .tsc_step_cycles = row->step_cycles};
    for (int l = 0; l < MACH_LEVEL_COUNT; l++)
        c.latency_cycles[l] = row->latency_cycles[l];
    mach_calibration_set_limits(&c);
    return c;
}

static void level_never_gets_nearer_with_a_longer_latency(void **state)
{
    (void)state;
    for (int m = 0; m < MACHINES; m++) {
        const struct mach_calibration c = calibration_of(&machines[m]);
        enum mach_level before = MACH_L1;
        for (double cycles = -5; cycles < 1e5; cycles = cycles < 2000 ? cycles + 0.5 : cycles * 1.01) {
            const enum mach_level now = mach_level_of_latency(&c, cycles);
            assert_true(now >= before);
            before = now;
        }
        assert_int_equal(mach_level_of_latency(&c, 1e9), MACH_DRAM);
        assert_int_equal(mach_level_of_latency(&c, 0), MACH_L1);
    }
}

static void limits_rise_and_end_at_infinity(void **state)
{
    (void)state;
    for (int m = 0; m < MACHINES; m++) {
        const struct mach_calibration c = calibration_of(&machines[m]);
        for (int l = MACH_L3; l < MACH_LEVEL_COUNT; l++)
            assert_true(c.limit_cycles[l] > c.limit_cycles[l - 1]);
        assert_true(c.limit_cycles[MACH_L2] >= c.limit_cycles[MACH_L1]);
        assert_true(isinf(c.limit_cycles[MACH_DRAM]));
    }
}

static void each_level_of_a_fine_counter_is_recognised_by_its_own_latency(void **state)
{
    (void)state;
    const struct mach_calibration c = calibration_of(&machines[0]);
    for (int l = 0; l < MACH_LEVEL_COUNT; l++)
        assert_int_equal(mach_level_of_latency(&c, c.latency_cycles[l]), l);
}

static void no_reading_of_a_coarse_counter_lies_on_a_limit(void **state)
{
    (void)state;
    const struct mach_calibration c = calibration_of(&machines[1]);
    for (int l = 0; l < MACH_DRAM; l++)
        assert_true(fabs(fmod(c.limit_cycles[l], c.tsc_step_cycles) - 13) < 1e-9);
    assert_int_equal(mach_level_of_latency(&c, 0), MACH_L1);
    assert_int_equal(mach_level_of_latency(&c, 26), MACH_L1);
    assert_int_equal(mach_level_of_latency(&c, 52), MACH_L3);
    assert_int_equal(mach_level_of_latency(&c, 416), MACH_DRAM);
}

/* The cost subtracted from readings moves the gaps between them. */
static void limits_follow_the_cost_of_the_probe(void **state)
{
    struct mach_calibration c = calibration_of(&machines[1]);
    (void)state;
    c.probe_cost_cycles = 57.4;
    mach_calibration_set_limits(&c);
    for (int l = 0; l < MACH_DRAM; l++)
        assert_true(fabs(fmod(c.limit_cycles[l] + c.probe_cost_cycles, c.tsc_step_cycles) - 13) < 1e-9);
    assert_int_equal(mach_level_of_latency(&c, 52 - 57.4), MACH_L1);
    assert_int_equal(mach_level_of_latency(&c, 78 - 57.4), MACH_L1);
    assert_int_equal(mach_level_of_latency(&c, 442 - 57.4), MACH_DRAM);
}

/* A coarse counter reads a load from L1 as one of two multiples of its step, and a load from L2 as one of the same two. */
static void levels_that_differ_by_less_than_a_step_are_one(void **state)
{
    struct mach_calibration c = calibration_of(&machines[1]);
    (void)state;
    assert_true(c.limit_cycles[MACH_L1] == c.limit_cycles[MACH_L2]);
    for (double cost = 0; cost < 60; cost += 0.7) {
        c.probe_cost_cycles = cost;
        mach_calibration_set_limits(&c);
        for (double reading = 0; reading < 200; reading += machines[1].step_cycles)
            assert_int_not_equal(mach_level_of_latency(&c, reading - cost), MACH_L2);
    }
    c.latency_cycles[MACH_L2] = c.latency_cycles[MACH_L1] + machines[1].step_cycles;
    c.latency_cycles[MACH_L3] = 100;
    mach_calibration_set_limits(&c);
    assert_true(c.limit_cycles[MACH_L1] < c.limit_cycles[MACH_L2]);
}

static void typical_latency_sees_between_the_steps(void **state)
{
    (void)state;
    uint64_t readings[100];
    for (int i = 0; i < 100; i++)
        readings[i] = i < 75 ? 52 : i < 99 ? 78 : 100000; /* the last is an interrupt */
    assert_true(fabs(mach_latency_typical(readings, 100, 26) - (75 * 52 + 24 * 78) / 99.0) < 1e-9);
    uint64_t fine[5] = {9, 5, 900, 4, 5};
    assert_true(fabs(mach_latency_typical(fine, 5, 1) - 5) < 0.6);
}

#if defined(__x86_64__)
static void this_machine_is_measured_in_a_plausible_order(void **state)
{
    (void)state;
    struct mach_calibration c;
    assert_int_equal(mach_calibrate(&c), LS_OK);
    for (int l = 0; l < MACH_LEVEL_COUNT; l++)
        printf("  level %d: %.1f cycles, limit %.1f\n", l, c.latency_cycles[l], c.limit_cycles[l]);
    printf("  tsc %.1f MHz, step %u, probe cost %.1f, issue width %.2f\n", (double)c.tsc_hz / 1e6,
           c.tsc_step_cycles, c.probe_cost_cycles, c.issue_width);
    assert_true(c.latency_cycles[MACH_DRAM] > 2 * c.latency_cycles[MACH_L2]);
    assert_true(c.latency_cycles[MACH_L3] >= c.latency_cycles[MACH_L2]);
    assert_true(c.latency_cycles[MACH_L2] >= c.latency_cycles[MACH_L1]);
    for (int l = 0; l < MACH_LEVEL_COUNT; l++)
        printf("  level %d: a line each %.2f cycles\n", l, c.line_cycles[l]);
    printf("  memory: %.2f cycles with %u CPUs at once\n", c.line_cycles_all, c.cpus);
    assert_true(c.line_cycles[MACH_DRAM] > c.line_cycles[MACH_L1]);
    assert_true(c.line_cycles[MACH_DRAM] < c.latency_cycles[MACH_DRAM]); /* prefetched, and several at once */
    assert_true(c.line_cycles_all >= c.line_cycles[MACH_DRAM]);
    assert_true(c.cpus >= 1);
    assert_in_range(c.tsc_hz, 100000000, 100000000000);
    assert_true(c.issue_width > 0.1 && c.issue_width < 100);
    /* A virtual machine's neighbours may have the third cache, so that it seems as far as memory: no limit
     * can be between them then. Limits are half a step of the counter from where they would be, and a step
     * apart. */
    if (c.latency_cycles[MACH_DRAM] >= c.latency_cycles[MACH_L3] + 3 * c.tsc_step_cycles)
        assert_int_equal(mach_level_of_latency(&c, c.latency_cycles[MACH_DRAM]), MACH_DRAM);
}
#else
static void this_machine_is_measured_in_a_plausible_order(void **state)
{
    (void)state;
    struct mach_calibration c;
    assert_int_equal(mach_calibrate(&c), LS_ERR_UNSUPPORTED);
}
#endif

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_never_gets_nearer_with_a_longer_latency),
        cmocka_unit_test(limits_rise_and_end_at_infinity),
        cmocka_unit_test(each_level_of_a_fine_counter_is_recognised_by_its_own_latency),
        cmocka_unit_test(no_reading_of_a_coarse_counter_lies_on_a_limit),
        cmocka_unit_test(levels_that_differ_by_less_than_a_step_are_one),
        cmocka_unit_test(limits_follow_the_cost_of_the_probe),
        cmocka_unit_test(typical_latency_sees_between_the_steps),
        cmocka_unit_test(this_machine_is_measured_in_a_plausible_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
