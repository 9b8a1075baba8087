/* SPDX-License-Identifier: BSD-3-Clause */
/* Judgements about synthetic steps: machines whose traps are fast, slow, and of changing length. */
#include "runtime/step/rt_step_sigsafe.h"
#include "tests/unit.h"
#include "tests/xorshift.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { PER_US = 2500, BURST = 1200 };

static uint64_t random_state = 88172645463325252u;

/* A step between these lengths; one of 32 is twice as long. */
static uint64_t draw_step(unsigned least_us, unsigned most_us)
{
    const uint64_t us_256 = least_us * 256u + xorshift(&random_state) % ((most_us - least_us) * 256u + 1);
    const unsigned times = xorshift(&random_state) % 32 ? 1 : 2;
    return us_256 * times * PER_US / 256;
}

/* Judge a burst of such steps; return how many were not usual, and in *interrupted how many were interrupted. */
static unsigned judge_burst(struct rt_step_lengths *l, unsigned least_us, unsigned most_us,
                            unsigned *interrupted)
{
    unsigned long_steps = 0;
    *interrupted = 0;
    for (unsigned i = 0; i < BURST; i++) {
        const enum rt_step_length length = rt_step_judge(l, draw_step(least_us, most_us), PER_US);
        long_steps += length != RT_STEP_USUAL;
        *interrupted += length == RT_STEP_INTERRUPTED;
    }
    return long_steps;
}

static void slow_steps_are_usual_on_a_slow_machine(void **state)
{
    (void)state;
    static const unsigned machines_us[][2] = {{18, 50}, {18, 30}, {40, 60}, {30, 120}};
    for (unsigned m = 0; m < sizeof machines_us / sizeof machines_us[0]; m++) {
        struct rt_step_lengths l = {0};
        unsigned interrupted;
        rt_step_lengths_begin(&l, (uint64_t)machines_us[m][0] * PER_US);
        for (unsigned burst = 0; burst < 10; burst++) {
            assert_true(judge_burst(&l, machines_us[m][0], machines_us[m][1], &interrupted) < BURST / 20);
            assert_int_equal(interrupted, 0);
        }
        assert_int_equal(rt_step_judge(&l, 2000 * PER_US, PER_US), RT_STEP_INTERRUPTED);
    }
}

static void fast_machine_has_its_bounds(void **state)
{
    (void)state;
    struct rt_step_lengths l = {.typical_cycles = 2 * PER_US};
    unsigned interrupted;
    assert_int_equal(judge_burst(&l, 1, 3, &interrupted), 0);
    assert_int_equal(rt_step_judge(&l, 7 * PER_US, PER_US), RT_STEP_USUAL);
    assert_int_equal(rt_step_judge(&l, 30 * PER_US, PER_US),
                     RT_STEP_LONG); /* perhaps a tick: ask the kernel */
    assert_int_equal(rt_step_judge(&l, 51 * PER_US, PER_US), RT_STEP_INTERRUPTED);
}

/* Even where the first steps of a process were disturbed. */
static void machine_is_learned_within_a_burst(void **state)
{
    (void)state;
    struct rt_step_lengths l = {0};
    unsigned interrupted;
    rt_step_lengths_begin(&l, 5000 * (uint64_t)PER_US);
    judge_burst(&l, 1, 3, &interrupted);
    assert_int_equal(rt_step_judge(&l, 51 * PER_US, PER_US), RT_STEP_INTERRUPTED);
    judge_burst(&l, 18, 50, &interrupted); /* the machine became slow, as when it moved to another host */
    judge_burst(&l, 18, 50, &interrupted);
    assert_int_equal(interrupted, 0);
}

/* An interruption does not make the next one usual. */
static void interruptions_teach_nothing(void **state)
{
    (void)state;
    struct rt_step_lengths l = {0};
    unsigned interrupted;
    judge_burst(&l, 1, 3, &interrupted);
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal(rt_step_judge(&l, 4000 * (uint64_t)PER_US, PER_US), RT_STEP_INTERRUPTED);
        for (unsigned k = 0; k < 10; k++)
            rt_step_judge(&l, draw_step(1, 3), PER_US);
    }
}

static void first_step_of_all_is_typical(void **state)
{
    (void)state;
    struct rt_step_lengths l = {0};
    assert_int_equal(rt_step_judge(&l, 45 * PER_US, PER_US), RT_STEP_LONG);
    assert_int_equal(rt_step_judge(&l, 48 * PER_US, PER_US), RT_STEP_USUAL);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_steps_are_usual_on_a_slow_machine),
        cmocka_unit_test(fast_machine_has_its_bounds),
        cmocka_unit_test(machine_is_learned_within_a_burst),
        cmocka_unit_test(interruptions_teach_nothing),
        cmocka_unit_test(first_step_of_all_is_typical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
