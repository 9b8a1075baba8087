/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes and distances, against the column "Type" of the Spatter paper's Table 5. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "patterns/pat_describe.h"
#include "patterns/pat_config.h"
#include "patterns/pat_builder.h"
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pat_indices list_of(const char *text)
{
    struct pat_generated g;
    if (pat_generate(text, &g) != LS_OK) fail_msg("%s", ls_last_error());
    return g.indices;
}

static void pat_shapes_are_those_of_table_5(void **state)
{
    (void)state;
    static const struct {
        const char *indices, *text;
    } rows[] = {
        {"2,484,482,0,4,486,484,2,6,488,486,4,8,490,488,6", "16, complex"},              /* PENNANT-G0 */
        {"0,4,8,12,16,20,24,28,32,36,40,44,48,52,56,60", "16 x stride 4"},               /* PENNANT-G2 */
        {"4,8,12,0,20,24,28,16,36,40,44,32,52,56,60,48", "16, complex"},                 /* PENNANT-G3 */
        {"0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3", "16, broadcast"},                            /* PENNANT-G4 */
        {"2,0,0,0,2,0,0,0,2,0,0,0,2,0,0,0", "16, complex"},                              /* PENNANT-G8 */
        {"0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15", "16 x stride 1"},                      /* LULESH-G0 */
        {"0,24,48,72,96,120,144,168,192,216,240,264,288,312,336,360", "16 x stride 24"}, /* LULESH-G3 */
        {"1333,0,1,36,37,72,73,1296,1297,1332,1368,1369,2592,2593,2628,2629",
         "16, mostly stride-1"},                                                               /* AMG-G0 */
        {"1333,0,1,2,36,37,38,72,73,74,1296,1297,1298,1332,1334,1368", "16, mostly stride-1"}, /* AMG-G1 */
        {"7", "1 index"},
        {"5,5,5,5", "4 x stride 0"},
        {"9,6,3", "3 x stride -3"},
        {"0,0,1,1,5,5", "6, complex"},
        {"0,0,9223372036854775807,9223372036854775807,5,5", "6, complex"},
        {"0,0,0,1,1", "5, complex"},
        {"0,1,2,10,30,70,150,310,630", "9, complex"}, /* 1 is most frequent, but rare */
        {"0,1,2,7,12,17", "6, complex"},              /* 1 is frequent, 5 more so */
        {"MS1:8:4:20", "8, mostly stride-1"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[PAT_TEXT_BYTES];
        struct pat_config c = {.kernel = PAT_GATHER, .pattern = list_of(rows[i].indices)};
        assert_string_equal(pat_describe(&c, text), rows[i].text);
        free(c.pattern.data);
    }
}

/* The class in the file, not the one of its indices; without the key by the thresholds of extraction. */
static void pat_class_of_a_file_is_shown(void **state)
{
    (void)state;
    static const struct {
        const char *indices;
        char *found;
        uint64_t count;
        const char *text;
    } rows[] = {
        {"0,484,2,33,12,1", "random", 9, "6, random"},
        {"0,484,2,33,12,1", NULL, 9, "6, complex"},
        {"UNIFORM:3:1", "stencil", 9, "3 x stride 1, stencil"},
        {"UNIFORM:3:1", "uniform stride", 9, "3 x stride 1"},
        {"7", "pointer chase", 9, "1 index, pointer chase"},
        {"0,0,1,1", "mostly stride-1", 9, "4, mostly stride-1"},
        {"0,0,1,1", "", 9, "4, broadcast"},
        /* 17 distances, all different: random unless it is a period */
        {"9,2,40,5,77,3,120,30,200,1,333,60,500,10,900,80,2000,90", NULL, 1, "18, random"},
        {"9,2,40,5,77,3,120,30,200,1,333,60,500,10,900,80,2000,90", NULL, 2, "18, complex"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[PAT_TEXT_BYTES];
        struct pat_config c = {.kernel = PAT_GATHER,
                               .pattern = list_of(rows[i].indices),
                               .count = rows[i].count,
                               .found_class = rows[i].found};
        assert_string_equal(pat_describe(&c, text), rows[i].text);
        free(c.pattern.data);
    }
}

static void pat_two_lists_are_both_described(void **state)
{
    (void)state;
    static int64_t deltas[] = {1, -2, 3};
    char text[PAT_TEXT_BYTES];
    struct pat_config c = {.kernel = PAT_GS,
                           .gather = list_of("UNIFORM:8:1"),
                           .scatter = list_of("0,9,3,3,1,1,2,7"),
                           .delta_gather = INT64_MIN,
                           .delta_scatter = 4};
    assert_string_equal(pat_describe(&c, text), "8 x stride 1 > 8, complex");
    assert_string_equal(pat_describe_delta(&c, text), "-9223372036854775808/4");
    c.kernel = PAT_MULTISCATTER;
    c.pattern = c.gather;
    assert_string_equal(pat_describe(&c, text), "8 x stride 1 by 8, complex");
    c.deltas = (struct pat_indices){deltas, 3};
    assert_string_equal(pat_describe_delta(&c, text), "1,-2,...");
    c.pattern.len = 0;
    assert_string_equal(pat_describe(&c, text), "empty");
    free(c.gather.data);
    free(c.scatter.data);
}

static void pat_distances_are_counted(void **state)
{
    (void)state;
    struct pat_indices p = list_of("1333,0,1,2,36,37,38,72,73,74,1296,1297,1298,1332,1334,1368");
    static const struct pat_distance want[] = {{1, 8}, {34, 4}, {-1333, 1}, {2, 1}, {1222, 1}};
    struct pat_distance *d;
    size_t len;
    assert_int_equal(pat_distances(&p, &d, &len), LS_OK);
    assert_int_equal(len, 5);
    assert_memory_equal(d, want, sizeof(want));
    free(d);
    p.len = 1;
    assert_int_equal(pat_distances(&p, &d, &len), LS_OK);
    assert_int_equal(len, 0);
    assert_null(d);
    free(p.data);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pat_shapes_are_those_of_table_5),
        cmocka_unit_test(pat_class_of_a_file_is_shown),
        cmocka_unit_test(pat_two_lists_are_both_described),
        cmocka_unit_test(pat_distances_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
