/* SPDX-License-Identifier: BSD-3-Clause */
/* Generators and transformations against the examples of the Spatter paper (section 3.3) and of its
 * version 2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "patterns/pat_builder.h"
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct golden {
    const char *text, *indices;
    int64_t delta; /* INT64_MIN: none is set */
};
#define NO_DELTA INT64_MIN

static const struct golden goldens[] = {
    {"UNIFORM:8:4", "0,4,8,12,16,20,24,28", NO_DELTA},
    {"UNIFORM:8:1:NR", "0,1,2,3,4,5,6,7", 8},
    {"UNIFORM:4:3:NR", "0,3,6,9", 12},
    {"UNIFORM:4:3:5", "0,3,6,9", 5},
    {"UNIFORM:4:3:-2", "0,3,6,9", -2},
    {"uniform:2:1:nr", "0,1", 2},
    {"UNIFORM:1:1", "0", NO_DELTA},
    {"MS1:8:4:20", "0,1,2,3,23,24,25,26", NO_DELTA},
    {"MS1:8:2,4:20", "0,1,21,22,42,43,44,45", NO_DELTA},
    {"MS1:8:2, 4:20, 5", "0,1,21,22,27,28,29,30", NO_DELTA},
    {"MS1:4:0:1", "0,1,2,3", NO_DELTA},
    {"MS1:4:0:7", "6,7,8,9", NO_DELTA},
    {"LAPLACIAN:1:1:10", "0,1,2", 1},
    {"LAPLACIAN:2:2:100", "0,100,198,199,200,201,202,300,400", 1},
    {"LAPLACIAN:3:1:10", "0,90,99,100,101,110,200", 1},
    {"0,4,8,12", "0,4,8,12", NO_DELTA},
    {"7", "7", NO_DELTA},
    {" 1, 2 ,3", "1,2,3", NO_DELTA},
    {"9223372036854775807", "9223372036854775807", NO_DELTA},
};

static void spell(const struct pat_indices *p, char *out, size_t room)
{
    size_t n = 0;
    for (size_t i = 0; i < p->len; i++)
        n += (size_t)snprintf(out + n, room - n, "%s%lld", i ? "," : "", (long long)p->data[i]);
}

static void pat_generators_give_the_published_indices(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(goldens) / sizeof(goldens[0]); i++) {
        const struct golden *g = &goldens[i];
        struct pat_generated out;
        char indices[512] = "";
        if (pat_generate(g->text, &out) != LS_OK) fail_msg("%s: %s", g->text, ls_last_error());
        spell(&out.indices, indices, sizeof(indices));
        assert_string_equal(indices, g->indices);
        assert_int_equal(out.sets_delta, g->delta != NO_DELTA);
        if (out.sets_delta) assert_int_equal(out.delta, g->delta);
        assert_string_equal(out.note, "");
        free(out.indices.data);
    }
}

static void pat_doubtful_ms1_is_noted(void **state)
{
    (void)state;
    struct pat_generated out;
    char indices[128] = "";
    assert_int_equal(pat_generate("MS1:4:2,1:5", &out), LS_OK);
    spell(&out.indices, indices, sizeof(indices));
    assert_string_equal(indices, "0,1,6,7");
    assert_non_null(strstr(out.note, "location 1 is not reached"));
    free(out.indices.data);
}

static void pat_wrong_patterns_name_the_expected_form(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        ls_err err;
    } wrong[] = {
        {"", "the pattern is empty", LS_ERR_ARG},
        {"UNIFORM", "'UNIFORM' is not an integer", LS_ERR_ARG},
        {"UNIFORM:8", "expected UNIFORM:LENGTH:STRIDE", LS_ERR_ARG},
        {"UNIFORM:8:1:NR:3", "4 fields after UNIFORM", LS_ERR_ARG},
        {"UNIFORM:0:1", "length: 0 is below 1", LS_ERR_RANGE},
        {"UNIFORM:8:0", "stride: 0 is below 1", LS_ERR_RANGE},
        {"UNIFORM:8:1:XX", "delta: 'XX' is not an integer", LS_ERR_ARG},
        {"UNIFORM:4000000000:4000000000", "do not fit 64 bits", LS_ERR_RANGE},
        {"UNIFORM:1000000000000000:1", "GiB are available", LS_ERR_NOMEM},
        {"MS1:8:4", "expected MS1:LENGTH:LOCATIONS:GAPS", LS_ERR_ARG},
        {"MS1:8:4:1,2", "2 gaps for 1 locations", LS_ERR_ARG},
        {"MS1:8:2,4,6:1,2", "Spatter reads beyond its list here", LS_ERR_ARG},
        {"MS1:8::20", "is not an integer", LS_ERR_ARG},
        {"MS1:8:0:0", "a gap of 0", LS_ERR_RANGE},
        {"MS1:3:1:9223372036854775807", "do not fit 64 bits", LS_ERR_RANGE},
        {"LAPLACIAN:2:2", "expected LAPLACIAN:DIMENSIONS:ORDER:SIZE", LS_ERR_ARG},
        {"LAPLACIAN:0:2:5", "dimensions: 0 is below 1", LS_ERR_RANGE},
        {"LAPLACIAN:40:1:1000", "do not fit 64 bits", LS_ERR_RANGE},
        {"RANDOM:8:4", "use UNIFORM, MS1 or LAPLACIAN", LS_ERR_ARG},
        {"1,2,", "element 2: '' is not an integer", LS_ERR_ARG},
        {"1,,2", "element 1", LS_ERR_ARG},
        {"1,-2", "element 1: -2 is below 0", LS_ERR_RANGE},
        {"1,9223372036854775808", "element 1: 9223372036854775808 does not fit", LS_ERR_RANGE},
        {"1,2e-3", "is not an integer", LS_ERR_ARG},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct pat_generated out;
        const ls_err err = pat_generate(wrong[i].text, &out);
        if (err != wrong[i].err || !strstr(ls_last_error(), wrong[i].says))
            fail_msg("%s: %s '%s' lacks '%s'", wrong[i].text, ls_err_name(err), ls_last_error(),
                     wrong[i].says);
        assert_null(out.indices.data);
    }
}

static void pat_generators_keep_a_limit(void **state)
{
    (void)state;
    static const char *const texts[] = {"UNIFORM:101:1", "MS1:101:4:20", "LAPLACIAN:1:50:10",
                                        "LAPLACIAN:51:2:1"};
    struct pat_generated out;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_int_equal(pat_generate_within(texts[i], 100, &out), LS_ERR_RANGE);
        assert_null(out.indices.data);
    }
    assert_int_equal(pat_generate_within("UNIFORM:100:1", 100, &out), LS_OK);
    free(out.indices.data);
}

static struct pat_indices list_of(const char *text)
{
    struct pat_generated g;
    assert_int_equal(pat_generate(text, &g), LS_OK);
    return g.indices;
}

static void pat_compression_renumbers_pages(void **state)
{
    (void)state;
    struct pat_indices p = list_of("0,10,600,5000,1000000");
    char indices[128] = "";
    assert_int_equal(pat_compress(&p), LS_OK);
    spell(&p, indices, sizeof(indices));
    assert_string_equal(indices, "0,10,600,1416,1600");
    free(p.data);
}

/* Against the definition, by looking every page up in the list of those seen. */
static void pat_compression_agrees_with_its_definition(void **state)
{
    (void)state;
    enum { N = 6000 };
    struct pat_indices p = {malloc(N * sizeof(int64_t)), N};
    static int64_t want[N], pages[N];
    size_t pages_len = 0;
    uint64_t random = 7;
    for (size_t i = 0; i < N; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        p.data[i] = (int64_t)(random >> 20) % 4000000;
        size_t at = 0;
        while (at < pages_len && pages[at] != p.data[i] / 512)
            at++;
        if (at == pages_len) pages[pages_len++] = p.data[i] / 512;
        want[i] = (int64_t)at * 512 + p.data[i] % 512;
    }
    assert_true(pages_len > 2048); /* the table has grown */
    assert_int_equal(pat_compress(&p), LS_OK);
    assert_memory_equal(p.data, want, sizeof(want));
    free(p.data);
}

static void pat_transformations_come_in_order(void **state)
{
    (void)state;
    struct pat_config c;
    char indices[128] = "";
    assert_int_equal(pat_config_init(&c), LS_OK);
    c.pattern = list_of("5,1000000,2000000,9");
    c.pattern_size = 3;
    c.boundary = 1500000;
    assert_int_equal(pat_config_finish(&c, true), LS_OK);
    spell(&c.pattern, indices, sizeof(indices));
    /* cut: 5,1000000,2000000; modulo: 5,1000000,500000; pages 0, 1953, 976 become 0, 1, 2 */
    assert_string_equal(indices, "5,576,1312");
    c.pattern_size = 7;
    assert_int_equal(pat_config_finish(&c, false), LS_ERR_RANGE);
    assert_non_null(strstr(ls_last_error(), "pattern: it cannot be cut to 7 indices, because it has only 3"));
    pat_config_fini(&c);
}

static void pat_kernels_get_the_lists_they_need(void **state)
{
    (void)state;
    static const struct {
        enum pat_kernel kernel;
        const char *pattern, *gather, *scatter, *says; /* NULL: it is well */
    } rows[] = {
        {PAT_GATHER, NULL, NULL, NULL, "gather needs pattern"},
        {PAT_GS, "1", "1,2", NULL, "gs needs pattern-scatter"},
        {PAT_GS, NULL, "1,2", "3", "needs as many in both"},
        {PAT_GS, NULL, "1,2", "3,4", NULL},
        {PAT_MULTIGATHER, "1,2", NULL, "0", "multigather needs pattern-gather"},
        {PAT_MULTISCATTER, "1,2", NULL, "0", NULL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pat_config c;
        assert_int_equal(pat_config_init(&c), LS_OK);
        c.kernel = rows[i].kernel;
        if (rows[i].pattern) c.pattern = list_of(rows[i].pattern);
        if (rows[i].gather) c.gather = list_of(rows[i].gather);
        if (rows[i].scatter) c.scatter = list_of(rows[i].scatter);
        assert_int_equal(pat_config_finish(&c, false), rows[i].says ? LS_ERR_ARG : LS_OK);
        if (rows[i].says && !strstr(ls_last_error(), rows[i].says)) fail_msg("'%s'", ls_last_error());
        pat_config_fini(&c);
    }
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pat_generators_give_the_published_indices),
        cmocka_unit_test(pat_doubtful_ms1_is_noted),
        cmocka_unit_test(pat_wrong_patterns_name_the_expected_form),
        cmocka_unit_test(pat_generators_keep_a_limit),
        cmocka_unit_test(pat_compression_renumbers_pages),
        cmocka_unit_test(pat_compression_agrees_with_its_definition),
        cmocka_unit_test(pat_transformations_come_in_order),
        cmocka_unit_test(pat_kernels_get_the_lists_they_need),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
