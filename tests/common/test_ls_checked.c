/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/ls_checked.h"
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

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ls_rounding_accepts_every_number)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
