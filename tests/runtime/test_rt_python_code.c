/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of locations and texts of CPython. */
#include "runtime/core/rt_python_code.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* co_linetable of CPython 3.11.2, and the results of co_positions():
 *     def f(n):
 *         x = g(n,
 *               2)
 *         return x.append(
 *             1) */
static const uint8_t table[] = {
    0x80, 0x00, 0xdd, 0x08, 0x09, 0x88, 0x21, 0xd8, 0x0a, 0x0b, 0xf1, 0x03, 0x01, 0x09, 0x0d, 0xf4,
    0x00, 0x01, 0x09, 0x0d, 0x80, 0x41, 0xe0, 0x0b, 0x0c, 0x8f, 0x38, 0x8a, 0x38, 0xd8, 0x08, 0x09,
    0xf1, 0x03, 0x01, 0x0c, 0x0b, 0xf4, 0x00, 0x01, 0x0c, 0x0b, 0xf0, 0x00, 0x01, 0x05, 0x0b,
};
static const struct rt_python_location expected[] = {
    {1, 1, 1, 1},   {2, 2, 9, 10},  {2, 2, 9, 10},  {2, 2, 9, 10},  {2, 2, 9, 10},  {2, 2, 9, 10},
    {2, 2, 9, 10},  {2, 2, 11, 12}, {3, 3, 11, 12}, {2, 3, 9, 13},  {2, 3, 9, 13},  {2, 3, 9, 13},
    {2, 3, 9, 13},  {2, 3, 9, 13},  {2, 3, 9, 13},  {2, 3, 9, 13},  {2, 2, 5, 6},   {4, 4, 12, 13},
    {4, 4, 12, 20}, {4, 4, 12, 20}, {4, 4, 12, 20}, {4, 4, 12, 20}, {4, 4, 12, 20}, {4, 4, 12, 20},
    {4, 4, 12, 20}, {4, 4, 12, 20}, {4, 4, 12, 20}, {4, 4, 12, 20}, {4, 4, 12, 20}, {5, 5, 9, 10},
    {4, 5, 12, 11}, {4, 5, 12, 11}, {4, 5, 12, 11}, {4, 5, 12, 11}, {4, 5, 12, 11}, {4, 5, 12, 11},
    {4, 5, 12, 11}, {4, 5, 5, 11},
};

static void locations_are_those_that_python_gives(void **state)
{
    enum { UNITS = sizeof(expected) / sizeof(expected[0]) };
    struct rt_python_location l;
    (void)state;
    for (uint32_t unit = 0; unit < UNITS; unit++) {
        l = (struct rt_python_location){.line = 1};
        assert_true(rt_python_locate(table, sizeof(table), unit, &l));
        assert_memory_equal(&l, &expected[unit], sizeof(l));
    }
    assert_false(rt_python_locate(table, sizeof(table), UNITS, &l));
}

static void instructions_without_a_line_have_no_location(void **state)
{
    static const uint8_t none[] = {0x80 | 15 << 3 | 1, 0x80 | 13 << 3, 2};
    struct rt_python_location l = {.line = 7};
    (void)state;
    assert_false(rt_python_locate(none, sizeof(none), 1, &l));
    assert_true(rt_python_locate(none, sizeof(none), 2, &l));
    assert_int_equal(l.line, 8);
    assert_int_equal(l.column, 0);
}

static void damaged_tables_are_survived(void **state)
{
    (void)state;
    srand(1);
    for (int round = 0; round < 20000; round++) {
        uint8_t *bytes = malloc(40); /* so that a sanitizer sees its end */
        const size_t len = (size_t)rand() % 40;
        struct rt_python_location l = {.line = 1};
        for (size_t i = 0; i < len; i++)
            bytes[i] = (uint8_t)(rand() | (i % 3 == 0 ? 0x80 : 0));
        rt_python_locate(bytes + 40 - len, len, (uint32_t)rand() % 50, &l);
        free(bytes);
    }
}

static void letters_of_each_width_become_utf8(void **state)
{
    static const uint8_t latin[] = {'a', 0xf6, 0xff}, wide[] = {0x20, 0x26, 'b', 0, 0, 0xd8},
                         widest[] = {0x00, 0xf6, 0x01, 0, 0, 0, 0, 0xff};
    char out[16];
    (void)state;
    assert_int_equal(rt_python_utf8(latin, 3, 1, out, sizeof(out)), 5);
    assert_memory_equal(out, "a\xc3\xb6\xc3\xbf", 5);
    assert_int_equal(rt_python_utf8(wide, 3, 2, out, sizeof(out)), 7); /* half of a pair is no letter */
    assert_memory_equal(out,
                        "\xe2\x98\xa0"
                        "b\xef\xbf\xbd",
                        7);
    assert_int_equal(rt_python_utf8(widest, 2, 4, out, sizeof(out)), 7);
    assert_memory_equal(out, "\xf0\x9f\x98\x80\xef\xbf\xbd", 7);
    assert_int_equal(rt_python_utf8(latin, 3, 1, out, 2), 1); /* no half of a letter */
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locations_are_those_that_python_gives),
        cmocka_unit_test(instructions_without_a_line_have_no_location),
        cmocka_unit_test(damaged_tables_are_survived),
        cmocka_unit_test(letters_of_each_width_become_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
