/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/ls_put.h"
#include "common/ls_json.h"
#include "viz-export/vx_pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void assert_json_text(const char *text, const char *want)
{
    char *got = NULL;
    size_t len = 0;
    struct ls_json j = {.out = open_memstream(&got, &len), .escaped = LS_JSON_IN_HTML};
    assert_non_null(j.out);
    ls_json_text(&j, NULL, text);
    fclose(j.out);
    assert_string_equal(got, want);
    free(got);
}

static void json_holds_no_markup_whatever_the_text(void **state)
{
    (void)state;
    assert_json_text("</script>&\"\\", "\"\\u003c/script\\u003e\\u0026\\u0022\\u005c\"");
    assert_json_text("a\nb\x01\x7f", "\"a\\u000ab\\u0001\\u007f\"");
}

static void json_is_valid_utf8_whatever_the_bytes(void **state)
{
    (void)state;
    assert_json_text("gr\xc3\xbc\xc3\x9f", "\"gr\xc3\xbc\xc3\x9f\"");
    assert_json_text("\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\"");
    assert_json_text("\xff", "\"\\ufffd\"");
    assert_json_text("\xc3", "\"\\ufffd\"");                       /* cut off */
    assert_json_text("\xc0\xbc", "\"\\ufffd\\ufffd\"");            /* overlong < */
    assert_json_text("\xe0\x80\xbc", "\"\\ufffd\\ufffd\\ufffd\""); /* the same in three bytes */
    assert_json_text("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""); /* a surrogate */
    assert_json_text("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

static void json_that_is_no_markup_stays_legible(void **state)
{
    char *got = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&got, &len);
    (void)state;
    assert_non_null(out);
    ls_put_json(out, "vector<int>\t\"\\\xff", "");
    fclose(out);
    assert_string_equal(got, "\"vector<int>\\u0009\\\"\\\\\\ufffd\"");
    free(got);
}

static void json_numbers_are_json(void **state)
{
    char *got = NULL;
    size_t len = 0;
    struct ls_json j = {.out = open_memstream(&got, &len), .escaped = LS_JSON_IN_HTML};
    const double numbers[] = {0, -3, 0.5, NAN, INFINITY, 4503599627370496.0};
    (void)state;
    ls_json_open(&j, NULL, '[');
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        ls_json_number(&j, NULL, numbers[i]);
    ls_json_close(&j, ']');
    fclose(j.out);
    assert_string_equal(got, "[0,-3,0.5,null,null,4503599627370496]");
    free(got);
}

static void columns_are_packed_as_the_header_says(void **state)
{
    struct vx_pack p = {0};
    const double floats[] = {1.0, NAN};
    const uint8_t want[] = {5,    0x80, 0x01,             /* 5, 128 */
                            0,    1,    2,    0xff, 0x01, /* 0, -1, 1, -128 */
                            0x3f, 0x7f, 0x80, 0xc0, 0,    0};
    (void)state;
    vx_pack_begin(&p, "a", VX_COLUMN_UINT);
    vx_pack_uint(&p, 5);
    vx_pack_uint(&p, 128);
    vx_pack_begin(&p, "b", VX_COLUMN_INT);
    vx_pack_int(&p, 0);
    vx_pack_int(&p, -1);
    vx_pack_int(&p, 1);
    vx_pack_int(&p, -128);
    vx_pack_floats(&p, "c", floats, 2);
    assert_false(p.failed);
    assert_int_equal(p.len_bytes, sizeof(want));
    assert_memory_equal(p.bytes, want, sizeof(want));
    assert_int_equal(p.columns_len, 3);
    assert_int_equal(p.columns[1].at_bytes, 3);
    assert_int_equal(p.columns[1].values_len, 4);
    vx_pack_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(json_holds_no_markup_whatever_the_text),
                                       cmocka_unit_test(json_is_valid_utf8_whatever_the_bytes),
                                       cmocka_unit_test(json_that_is_no_markup_stays_legible),
                                       cmocka_unit_test(json_numbers_are_json),
                                       cmocka_unit_test(columns_are_packed_as_the_header_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
