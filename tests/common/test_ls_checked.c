/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/ls_checked.h"
#include "common/ls_quantity.h"
#include "tests/unit.h"

#include <math.h>

static void ls_rounding_accepts_every_number(void **state)
{
    (void)state;
    static const struct {
        double value;
        uint64_t rounded;
    } rows[] = {{0.49, 0},
                {0.5, 1},
                {1e15 + 0.5, UINT64_C(1000000000000001)},
                {-1, 0},
                {-INFINITY, 0},
                {NAN, 0},
                {0x1p62, 1ull << 62},
                {0x1p63, 1ull << 63},
                {0x1p64, 1ull << 63},
                {INFINITY, 1ull << 63}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_true(ls_round_u64(rows[i].value) == rows[i].rounded);
}

/* Leading zeros are no octal number. */
static void ls_numbers_are_decimal_or_hexadecimal(void **state)
{
    (void)state;
    uint64_t n = 0;
    assert_int_equal(ls_parse_u64("0671150", &n), LS_OK);
    assert_int_equal(n, 671150);
    assert_int_equal(ls_parse_u64("0x1F", &n), LS_OK);
    assert_int_equal(n, 31);
    assert_int_equal(ls_parse_u64("08", &n), LS_OK);
    assert_int_equal(n, 8);
    assert_int_equal(ls_parse_u64("18446744073709551616", &n), LS_ERR_RANGE);
    assert_int_equal(ls_parse_u64("-1", &n), LS_ERR_ARG);
    assert_string_equal(ls_last_error(), "'-1' is below 0");
    assert_int_equal(ls_parse_u64("1f", &n), LS_ERR_ARG);
    assert_int_equal(ls_parse_u64("", &n), LS_ERR_ARG);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ls_rounding_accepts_every_number),
                                       cmocka_unit_test(ls_numbers_are_decimal_or_hexadecimal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
