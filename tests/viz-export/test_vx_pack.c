/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/ls_put.h"
#include "common/ls_json.h"
#include "viz-export/view/vx_pack.h"
#include "viz-export/view/vx_view_parts.h"
#include "tests/unit.h"

#include <float.h>

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

static void columns_are_packed_as_documented(void **state)
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

/* A profile without fields has no values to pack. */
static void an_empty_pack_is_written(void **state)
{
    struct vx_pack p = {0};
    char *got = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&got, &len);
    (void)state;
    assert_non_null(out);
    const size_t deflated = vx_pack_deflated_bytes(&p, 0);
    assert_true(deflated > 0 && deflated < 16);
    assert_int_equal(vx_pack_write(&p, "{}", 2, out), LS_OK);
    fclose(out);
    assert_true(len > 0);
    free(got);
    vx_pack_fini(&p);
}

/* --- profiles of other users --- */

static uint64_t unpacked(const struct vx_pack *p, size_t *at)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *at < p->len_bytes; shift += 7) {
        const uint8_t byte = p->bytes[(*at)++];
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) break;
    }
    return value >> 1; /* without its sign */
}

static void costs_that_are_not_numbers_are_packed_as_small_ones(void **state)
{
    enum { TILES = 6, COLUMN_TIME = 9 /* after eight coordinates and the samples */ };
    struct an_tile all[TILES] = {{.time_ns = 1},   {.time_ns = INFINITY}, {.time_ns = -INFINITY},
                                 {.time_ns = NAN}, {.time_ns = DBL_MAX},  {.time_ns = 1e300}};
    struct an_tiles tiles = {.tiles = all, .len = TILES, .slices = 1, .bins_per_octave = 4};
    const double weights[] = {1, 0, NAN, INFINITY};
    (void)state;
    for (size_t w = 0; w < sizeof(weights) / sizeof(weights[0]); w++) {
        const struct an_costs costs = {.weight_ns = weights[w]};
        const struct vx_view v = {.tiles = &tiles, .costs = &costs};
        struct vx_pack p = {0};
        char *text = NULL;
        size_t len = 0;
        struct ls_json j = {.out = open_memstream(&text, &len), .escaped = LS_JSON_IN_HTML};
        assert_non_null(j.out);
        vx_view_tiles(&v, &p, &j);
        fclose(j.out);
        free(text);
        assert_string_equal(p.columns[COLUMN_TIME].name, "tile.time");
        size_t at = p.columns[COLUMN_TIME].at_bytes;
        for (size_t i = 0; i < TILES; i++)
            assert_true(unpacked(&p, &at) <= UINT64_C(1) << 54);
        vx_pack_fini(&p);
    }
}

/* Each point a value; true when all have places, and these are not many more than max. */
static bool places_fit(double *points, uint64_t points_len, size_t max)
{
    char label[] = "mesh";
    const struct ndm_geometry g = {
        .kind = NDM_MESH, .label = label, .dims = 3, .points = points, .points_len = points_len};
    struct vx_places places;
    bool fits = vx_places_mesh(&g, NDM_POINTS, max, &places) == LS_OK;
    fits = fits && places.values_len == points_len && places.len > 0 && places.len <= 4 * max;
    for (uint64_t i = 0; fits && i < points_len; i++)
        fits = places.place_of_value[i] < places.len;
    vx_places_fini(&places);
    return fits;
}

static void meshes_of_any_shape_have_places(void **state)
{
    enum { POINTS = 1000, PLACES = 100 };
    static double points[3 * POINTS];
    static const double sides[][3] = {{1, 1, 1},
                                      {1, 1, 1e-8},
                                      {1, 1, 1e-9},
                                      {1, 1e-8, 1e-8},
                                      {1, 1, 0},
                                      {DBL_MAX, 1, 1},
                                      {1e-300, 1e-300, 1e-300},
                                      {DBL_MAX, DBL_MAX, DBL_MAX},
                                      {0, 0, 0},
                                      {1, 1e-3, 1e-6}};
    (void)state;
    for (size_t s = 0; s < sizeof(sides) / sizeof(sides[0]); s++) {
        for (uint32_t i = 0; i < POINTS; i++)
            for (int a = 0; a < 3; a++)
                points[3 * i + (uint32_t)a] =
                    sides[s][a] * (i * (uint32_t)(7 + 12 * a) % POINTS / (POINTS / 2.0) - 1);
        if (!places_fit(points, POINTS, PLACES)) fail_msg("row %zu: no places, or too many", s);
    }
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(json_holds_no_markup_whatever_the_text),
                                       cmocka_unit_test(json_is_valid_utf8_whatever_the_bytes),
                                       cmocka_unit_test(json_that_is_no_markup_stays_legible),
                                       cmocka_unit_test(json_numbers_are_json),
                                       cmocka_unit_test(columns_are_packed_as_documented),
                                       cmocka_unit_test(an_empty_pack_is_written),
                                       cmocka_unit_test(costs_that_are_not_numbers_are_packed_as_small_ones),
                                       cmocka_unit_test(meshes_of_any_shape_have_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
