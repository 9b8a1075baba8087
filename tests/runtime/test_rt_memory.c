/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime's own memory functions, which this program is linked with, against loops over bytes. */
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { LEN_MOST = 200, SHIFT_MOST = 40, ROOM = LEN_MOST + 2 * SHIFT_MOST };

/* Called through pointers: the compiler must not expand the calls. */
static void *(*volatile copy)(void *restrict, const void *restrict, size_t) = memcpy;
static void *(*volatile move)(void *, const void *, size_t) = memmove;
static void *(*volatile set)(void *, int, size_t) = memset;

static void number(uint8_t bytes[ROOM])
{
    for (unsigned i = 0; i < ROOM; i++)
        bytes[i] = (uint8_t)(i + 1);
}

static void copies_of_all_lengths(void **state)
{
    (void)state;
    for (size_t len = 0; len <= LEN_MOST; len++) {
        uint8_t from[ROOM], to[ROOM] = {0};
        number(from);
        assert_ptr_equal(copy(to + SHIFT_MOST, from + 3, len), to + SHIFT_MOST);
        for (size_t i = 0; i < ROOM; i++) {
            const bool is_in = i >= SHIFT_MOST && i < SHIFT_MOST + len;
            assert_int_equal(to[i], is_in ? from[i - SHIFT_MOST + 3] : 0);
        }
    }
}

static void moves_of_all_lengths_and_distances(void **state)
{
    (void)state;
    for (size_t len = 0; len <= LEN_MOST; len++)
        for (size_t shift = 0; shift <= 2 * (size_t)SHIFT_MOST; shift++) {
            uint8_t bytes[ROOM], before[ROOM];
            number(bytes);
            number(before);
            assert_ptr_equal(move(bytes + shift, bytes + SHIFT_MOST, len), bytes + shift);
            for (size_t i = 0; i < ROOM; i++) {
                const bool is_in = i >= shift && i < shift + len;
                assert_int_equal(bytes[i], before[is_in ? i - shift + SHIFT_MOST : i]);
            }
        }
}

static void sets_of_all_lengths(void **state)
{
    (void)state;
    for (size_t len = 0; len <= LEN_MOST; len++) {
        uint8_t bytes[ROOM];
        number(bytes);
        assert_ptr_equal(set(bytes + 5, 0x1fe, len), bytes + 5);
        for (size_t i = 0; i < ROOM; i++)
            assert_int_equal(bytes[i], i >= 5 && i < 5 + len ? 0xfe : (uint8_t)(i + 1));
    }
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_all_lengths),
        cmocka_unit_test(moves_of_all_lengths_and_distances),
        cmocka_unit_test(sets_of_all_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
