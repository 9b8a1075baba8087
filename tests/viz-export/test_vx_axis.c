/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "viz-export/vx_axis.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void spell(const struct vx_axis *a, unsigned wanted, char *out, size_t room)
{
    struct vx_tick ticks[VX_TICKS_MAX];
    const size_t n = vx_axis_ticks(a, wanted, ticks);
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(out + at, room - at, "%s%s", i ? " " : "", ticks[i].text);
}

static void vx_axes_have_round_ends_and_ticks(void **state)
{
    (void)state;
    static const struct {
        enum vx_scale scale;
        double low, high;
        bool from_zero;
        unsigned wanted;
        const char *ticks;
    } rows[] = {
        {VX_LINEAR, 3, 9.2, true, 5, "0 2 4 6 8 10"},
        {VX_LINEAR, -1333, 1223, false, 6, "-1500 -1000 -500 0 500 1000 1500"},
        {VX_LINEAR, 0, 540000, true, 6, "0 100k 200k 300k 400k 500k 600k"},
        {VX_LOG2, 1, 128, false, 9, "1 2 4 8 16 32 64 128"},
        {VX_LOG2, 3, 900, false, 4, "2 16 128 1024"},
        {VX_LOG10, 40000, 150000, false, 9, "20k 50k 100k 200k"},
        {VX_LOG10, 1000, 900000, false, 4, "1000 10k 100k 1M"},
        {VX_LINEAR, 5, 5, false, 4, "2 4 6 8"},
        {VX_LINEAR, NAN, NAN, false, 4, "0 0.2 0.4 0.6 0.8 1"},
        {VX_LOG10, 0, 0, false, 4, "1 2 5 10"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct vx_axis a = vx_axis_of(rows[i].scale, rows[i].low, rows[i].high, rows[i].from_zero);
        char ticks[256] = "";
        spell(&a, rows[i].wanted, ticks, sizeof(ticks));
        assert_string_equal(ticks, rows[i].ticks);
    }
}

static void vx_axis_positions_values(void **state)
{
    (void)state;
    struct vx_axis a = vx_axis_of(VX_LINEAR, 0, 10, true);
    a.from = 100;
    a.to = 0; /* upwards on paper */
    assert_float_equal(vx_axis_position(&a, 2.5), 75, 1e-9);
    assert_float_equal(vx_axis_position(&a, -5), 100, 1e-9);
    assert_float_equal(vx_axis_position(&a, 1e9), 0, 1e-9);
    a = vx_axis_of(VX_LOG10, 1, 10000, false);
    a.to = 4;
    assert_float_equal(vx_axis_position(&a, 100), 2, 1e-9);
    assert_float_equal(vx_axis_position(&a, 0), 0, 1e-9);
}

static void vx_numbers_are_short(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } rows[] = {{0, "0"},         {-0.0, "0"}, {0.25, "0.25"},  {1234, "1234"}, {9996, "10k"},
                {12345, "12.3k"}, {4e6, "4M"}, {1.5e9, "1.5G"}, {2e12, "2T"},   {-25000, "-25k"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[VX_TICK_BYTES];
        assert_string_equal(vx_number(rows[i].value, text), rows[i].text);
    }
}

static void vx_axis_middle_range_leaves_out_the_ends(void **state)
{
    (void)state;
    double values[1000], low = 0, high = 0;
    for (unsigned i = 0; i < 1000; i++)
        values[i] = 10 + i % 7;
    values[3] = 1e-8;
    values[500] = 20000;
    values[501] = NAN;
    values[502] = 0;
    assert_true(vx_middle_range(values, 1000, 0.005, &low, &high));
    assert_true(low == 10 && high == 16);
    assert_false(vx_middle_range(values, 100, 0.005, &low, &high)); /* too few to leave one out */
    assert_false(vx_middle_range(values, 0, 0.005, &low, &high));
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vx_axis_middle_range_leaves_out_the_ends),
        cmocka_unit_test(vx_axes_have_round_ends_and_ticks),
        cmocka_unit_test(vx_axis_positions_values),
        cmocka_unit_test(vx_numbers_are_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
