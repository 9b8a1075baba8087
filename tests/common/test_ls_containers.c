/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors and indices against arrays that are searched from the beginning; the order of numbers. */
#include "common/ls_index.h"
#include "common/ls_random.h"
#include "common/ls_sorted.h"
#include "common/ls_vector.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ROWS = 5000 };

static void vectors_keep_what_was_added(void **state)
{
    (void)state;
    LS_VECTOR(uint32_t) v = {0};
    for (uint32_t i = 0; i < ROWS; i++) {
        assert_int_equal(LS_VECTOR_ADD(&v, i * i), LS_OK);
        assert_true(v.room >= v.len && v.room < 2 * v.len + 16);
    }
    assert_int_equal(v.len, ROWS);
    for (uint32_t i = 0; i < ROWS; i++)
        assert_int_equal(v.rows[i], i * i);
    free(v.rows);
}

static void vectors_take_more_than_twice_as_many(void **state)
{
    (void)state;
    LS_VECTOR(char) v = {0};
    assert_int_equal(LS_GROW(v.rows, v.room, 1000), LS_OK);
    assert_int_equal(v.room, 1000);
    memset(v.rows, 1, 1000);
    assert_int_equal(LS_GROW(v.rows, v.room, 10), LS_OK);
    assert_int_equal(v.room, 1000);
    free(v.rows);
}

static void vectors_without_memory_stay_as_they_are(void **state)
{
    (void)state;
    LS_VECTOR(uint64_t) v = {0};
    assert_int_equal(LS_VECTOR_ADD(&v, 7), LS_OK);
    uint64_t *const rows = v.rows;
    /* so large that its number of bytes wraps to 8 */
    assert_int_equal(LS_GROW(v.rows, v.room, SIZE_MAX / 8 + 2), LS_ERR_NOMEM);
    assert_int_equal(LS_GROW(v.rows, v.room, SIZE_MAX / 16), LS_ERR_NOMEM);
    assert_string_equal(ls_last_error(), "out of memory for 1152921504606846975 rows of 8 bytes");
    assert_ptr_equal(v.rows, rows);
    assert_int_equal(v.room, 16);
    assert_int_equal(v.rows[0], 7);
    free(v.rows);
}

/* Differences of more than half the range must not wrap. */
static void numbers_are_sorted_over_their_whole_range(void **state)
{
    (void)state;
    uint64_t rows[] = {UINT64_MAX, 1, UINT64_C(1) << 63, 0, UINT64_MAX, (UINT64_C(1) << 63) - 1, UINT32_MAX};
    const uint64_t sorted[] = {0,          1,         UINT32_MAX, (UINT64_C(1) << 63) - 1, UINT64_C(1) << 63,
                               UINT64_MAX, UINT64_MAX};
    qsort(rows, sizeof(rows) / sizeof(rows[0]), sizeof(rows[0]), ls_compare_u64);
    assert_memory_equal(rows, sorted, sizeof(rows));
    assert_int_equal(ls_compare_u64(&sorted[5], &sorted[6]), 0);
}

/* Keys that occur several times, in rising order and at random, as pointers and counters are. */
static void indices_find_each_row_of_a_key(void **state)
{
    (void)state;
    static uint64_t keys[ROWS];
    static bool seen[ROWS];
    struct ls_index x = {0};
    uint64_t seed = 1;
    assert_int_equal(ls_index_find(&x, 0), LS_INDEX_NONE);
    for (uint32_t i = 0; i < ROWS; i++) {
        keys[i] = i % 2 ? 64 * (uint64_t)i : ls_random_below(&seed, ROWS / 4);
        assert_int_equal(ls_index_put(&x, keys[i], i), LS_OK);
    }
    assert_int_equal(x.len, ROWS);
    for (uint64_t key = 0; key < 64 * ROWS; key += key < ROWS ? 1 : 64 * 7) {
        uint32_t row, found = 0;
        for (size_t step = 0; ls_index_next(&x, key, &step, &row); found++) {
            assert_int_equal(keys[row], key);
            assert_false(seen[row]);
            seen[row] = true;
        }
        for (uint32_t i = 0; i < ROWS; i++)
            found -= keys[i] == key;
        assert_int_equal(found, 0);
    }
    ls_index_fini(&x);
    assert_int_equal(ls_index_find(&x, keys[0]), LS_INDEX_NONE);
}

static void keys_of_two_words_depend_on_both(void **state)
{
    (void)state;
    assert_true(ls_index_key(1, 2) != ls_index_key(2, 1));
    assert_true(ls_index_key(0, 1) != ls_index_key(1, 0));
    assert_true(ls_index_key(0, 0) != ls_index_key(0, 1));
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_keep_what_was_added),
        cmocka_unit_test(vectors_take_more_than_twice_as_many),
        cmocka_unit_test(vectors_without_memory_stay_as_they_are),
        cmocka_unit_test(numbers_are_sorted_over_their_whole_range),
        cmocka_unit_test(indices_find_each_row_of_a_key),
        cmocka_unit_test(keys_of_two_words_depend_on_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
