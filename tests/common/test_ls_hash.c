/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/ls_hash.h"
#include "tests/unit.h"

#include <string.h>

/* Landon Curt Noll's test vectors for 64-bit FNV-1a. */
static void ls_hashes_are_the_published_ones(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t hash;
    } rows[] = {
        {"", UINT64_C(0xcbf29ce484222325)},
        {"a", UINT64_C(0xaf63dc4c8601ec8c)},
        {"foobar", UINT64_C(0x85944171f73967e8)},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_true(ls_hash_text(LS_HASH_BEGIN, rows[i].text) == rows[i].hash);
        assert_true(ls_hash_bytes(LS_HASH_BEGIN, rows[i].text, strlen(rows[i].text)) == rows[i].hash);
    }
    assert_true(ls_hash_text(ls_hash_text(LS_HASH_BEGIN, "foo"), "bar") == rows[2].hash);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ls_hashes_are_the_published_ones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
