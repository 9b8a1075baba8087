/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analyse/an_diff.h"
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

/* Names as "0 text" or "1 text"; wanted: their rows. */
static void check(const char *const *written, const uint32_t *wanted, size_t len, uint32_t rows)
{
    struct an_name names[16];
    uint32_t rows_len = 0, *labels = NULL;
    for (size_t i = 0; i < len; i++)
        names[i] = (struct an_name){.text = written[i] + 2, .side = (uint32_t)(written[i][0] - '0')};
    assert_int_equal(an_match_names(names, len, &rows_len, &labels), LS_OK);
    assert_int_equal(rows_len, rows);
    for (size_t i = 0; i < len; i++)
        if (names[i].row != wanted[i])
            fail_msg("'%s' is row %u, not %u", written[i], names[i].row, wanted[i]);
    for (uint32_t r = 0; r < rows_len; r++) /* row of side 1 if it has one */
        for (size_t i = 0; i < len; i++)
            if (names[i].row == r && names[i].side == 1) assert_int_equal(names[labels[r]].side, 1);
    free(labels);
}
#define ROWS(...)      \
    (const uint32_t[]) \
    {                  \
        __VA_ARGS__    \
    }
#define CHECK(rows_len, rows, ...)                  \
    check((const char *const[]){__VA_ARGS__}, rows, \
          sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *), rows_len)

static void an_equal_names_are_one_row(void **state)
{
    (void)state;
    CHECK(3, ROWS(1, 0, 1, 2), "0 b", "0 a", "1 b", "1 c");
    CHECK(1, ROWS(0, 0, 0), "0 worker", "0 worker", "1 worker"); /* several of a name in one run, too */
    check(NULL, NULL, 0, 0);
}

static void an_names_with_moved_lines_are_one_row(void **state)
{
    (void)state;
    CHECK(1, ROWS(0, 0), "0 g < make:5", "1 g < make:9");
    CHECK(2, ROWS(0, 1, 1), "0 f:10", "0 f:20", "1 f:20");              /* f:20 is still there: f:10 went */
    CHECK(4, ROWS(0, 1, 2, 3), "0 f:10", "0 f:20", "1 f:30", "1 f:40"); /* which is which? */
    CHECK(3, ROWS(0, 1, 2), "0 f:10", "1 f:30", "1 f:40");
    CHECK(2, ROWS(0, 1), "0 f:10", "1 g:10");
    CHECK(2, ROWS(0, 1), "0 a", "1 b");
    CHECK(2, ROWS(0, 1), "0 f:10", "0 f:12"); /* one side only */
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_equal_names_are_one_row),
        cmocka_unit_test(an_names_with_moved_lines_are_one_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
