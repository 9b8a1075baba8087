/* SPDX-License-Identifier: BSD-3-Clause */
/* Pattern files: the published suite, Table 5 of the Spatter paper, and everything that is wrong with a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "patterns/pat_json.h"
#include "patterns/pat_builder.h"
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static char notes[2048];

static void note(void *user, const char *text)
{
    (void)user;
    snprintf(notes + strlen(notes), sizeof(notes) - strlen(notes), "%s\n", text);
}

static const struct pat_json_options listening = {.note = note};

static ls_err read_text(const char *text, struct pat_suite *s)
{
    pat_input *in;
    notes[0] = '\0';
    memset(s, 0, sizeof(*s));
    assert_int_equal(pat_input_open_bytes(text, strlen(text), "t.json", &in), LS_OK);
    const ls_err err = pat_json_read(in, &listening, s);
    pat_input_free(in);
    return err;
}

static void read_suite(const char *name, struct pat_suite *s)
{
    char path[4096];
    const char *top = getenv("top_srcdir");
    snprintf(path, sizeof(path), "%s/tests/data/spatter-suite/%s.json", top ? top : ".", name);
    memset(s, 0, sizeof(*s));
    if (pat_json_read_file(path, &listening, s) != LS_OK) fail_msg("%s", ls_last_error());
}

/* Table 5 of the paper: name, kernel, delta, indices. */
struct published {
    const char *suite;
    enum pat_kernel kernel;
    int64_t delta;
    int64_t indices[16];
};

#define STRIDE(s)                                                                                     \
    {                                                                                                 \
        0, s, 2 * s, 3 * s, 4 * s, 5 * s, 6 * s, 7 * s, 8 * s, 9 * s, 10 * s, 11 * s, 12 * s, 13 * s, \
            14 * s, 15 * s                                                                            \
    }
#define BROADCAST                                      \
    {                                                  \
        0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3 \
    }
#define ROTATED                                                     \
    {                                                               \
        4, 8, 12, 0, 20, 24, 28, 16, 36, 40, 44, 32, 52, 56, 60, 48 \
    }
#define CORNERS                                                        \
    {                                                                  \
        482, 0, 2, 484, 484, 2, 4, 486, 486, 4, 6, 488, 488, 6, 8, 490 \
    }
#define PAIRS                                                     \
    {                                                             \
        6, 0, 2, 4, 14, 8, 10, 12, 22, 16, 18, 20, 30, 24, 26, 28 \
    }

static const struct published table5[] = {
    {"pennant", PAT_GATHER, 2, {2, 484, 482, 0, 4, 486, 484, 2, 6, 488, 486, 4, 8, 490, 488, 6}},
    {"pennant", PAT_GATHER, 2, {0, 2, 484, 482, 2, 4, 486, 484, 4, 6, 488, 486, 6, 8, 490, 488}},
    {"pennant", PAT_GATHER, 2, STRIDE(4)},
    {"pennant", PAT_GATHER, 2, ROTATED},
    {"pennant", PAT_GATHER, 4, BROADCAST},
    {"pennant", PAT_GATHER, 4, ROTATED},
    {"pennant", PAT_GATHER, 480, CORNERS},
    {"pennant", PAT_GATHER, 482, CORNERS},
    {"pennant", PAT_GATHER, 129608, {2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0}},
    {"pennant", PAT_GATHER, 388852, BROADCAST},
    {"pennant", PAT_GATHER, 388848, BROADCAST},
    {"pennant", PAT_GATHER, 518408, PAIRS},
    {"pennant", PAT_GATHER, 1036816, PAIRS},
    {"pennant", PAT_GATHER, 1882384, BROADCAST},
    {"pennant", PAT_SCATTER, 1, STRIDE(4)},
    {"lulesh", PAT_GATHER, 1, STRIDE(1)},
    {"lulesh", PAT_GATHER, 8, STRIDE(1)},
    {"lulesh", PAT_GATHER, 1, STRIDE(8)},
    {"lulesh", PAT_GATHER, 8, STRIDE(24)},
    {"lulesh", PAT_GATHER, 4, STRIDE(24)},
    {"lulesh", PAT_GATHER, 1, STRIDE(24)},
    {"lulesh", PAT_GATHER, 41, STRIDE(1)},
    {"lulesh", PAT_SCATTER, 1, STRIDE(8)},
    {"lulesh", PAT_SCATTER, 8, STRIDE(24)},
    {"lulesh", PAT_SCATTER, 1, STRIDE(24)},
    {"lulesh", PAT_SCATTER, 0, STRIDE(24)},
    {"nekbone", PAT_GATHER, 3, STRIDE(6)},
    {"nekbone", PAT_GATHER, 8, STRIDE(6)},
    {"amg",
     PAT_GATHER,
     1,
     {1333, 0, 1, 36, 37, 72, 73, 1296, 1297, 1332, 1368, 1369, 2592, 2593, 2628, 2629}},
    {"amg", PAT_GATHER, 1, {1333, 0, 1, 2, 36, 37, 38, 72, 73, 74, 1296, 1297, 1298, 1332, 1334, 1368}},
};

static bool is_published(const struct pat_config *c, const struct published *p)
{
    return c->kernel == p->kernel && c->delta == p->delta && c->pattern.len == 16 &&
           memcmp(c->pattern.data, p->indices, sizeof(p->indices)) == 0;
}

static void pat_suite_holds_table_5(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(table5) / sizeof(table5[0]); i++) {
        struct pat_suite s;
        bool found = false;
        read_suite(table5[i].suite, &s);
        for (size_t c = 0; c < s.len; c++)
            found |= is_published(&s.rows[c], &table5[i]);
        if (!found) fail_msg("row %zu of Table 5 is not in %s.json", i, table5[i].suite);
        pat_suite_fini(&s);
    }
}

static void pat_suite_files_are_read_whole(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t configs;
    } files[] = {{"amg", 2},        {"lulesh", 12},      {"nekbone", 3},           {"pennant", 17},
                 {"cpu-stream", 5}, {"cpu-ustride", 16}, {"pattern-size-test", 4}, {"gpu-stream", 5},
                 {"amg_gpu", 1}};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        struct pat_suite s;
        notes[0] = '\0';
        read_suite(files[i].name, &s);
        if (i < 8) assert_int_equal(s.len, files[i].configs);
        assert_true(s.len >= files[i].configs);
        assert_string_equal(notes, "");
        pat_suite_fini(&s);
    }
}

static void pat_stream_file_has_all_kernels(void **state)
{
    (void)state;
    struct pat_suite s;
    read_suite("cpu-stream", &s);
    static const enum pat_kernel order[] = {PAT_GATHER, PAT_SCATTER, PAT_GS, PAT_MULTISCATTER,
                                            PAT_MULTIGATHER};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(s.rows[i].kernel, order[i]);
    assert_int_equal(s.rows[0].delta, 8);
    assert_int_equal(s.rows[2].delta_gather, 8);
    assert_int_equal(s.rows[2].gather.len, 8);
    assert_int_equal(s.rows[0].count, 4194304);
    pat_suite_fini(&s);
    read_suite("cpu-ustride", &s);
    assert_int_equal(s.rows[7].delta, 8 * 128);
    pat_suite_fini(&s);
    read_suite("pattern-size-test", &s);
    assert_int_equal(s.rows[0].pattern.len, 4);
    assert_int_equal(s.rows[2].pattern.len, 8);
    pat_suite_fini(&s);
}

static void pat_keys_override_the_defaults(void **state)
{
    (void)state;
    struct pat_suite s;
    assert_int_equal(
        read_text(
            "[{\"pattern\":[3]}, {\"name\":\"n\\u00e4me\", \"kernel\":\"GS\", \"pattern-gather\":\"1,2\","
            "\"pattern-scatter\":[4,3], \"delta-gather\":-5, \"delta-scatter\":\"7\", \"count\":12,"
            "\"wrap\":3, \"nruns\":4, \"seed\":99, \"boundary\":0, \"local-work-size\":-1},"
            "{\"pattern\":\"0,1\",\"delta\":[8,-2,4]}, {\"pattern\":[5,6],\"pattern\":[7]}]",
            &s),
        LS_OK);
    assert_int_equal(s.len, 4);
    const struct pat_config *c = &s.rows[0];
    assert_string_equal(c->name, "");
    assert_int_equal(c->kernel, PAT_GATHER);
    assert_int_equal(c->delta, 8);
    assert_int_equal(c->count, 1024);
    assert_int_equal(c->wrap, 1);
    assert_int_equal(c->runs, 10);
    c = &s.rows[1];
    assert_string_equal(c->name, "n\303\244me");
    assert_int_equal(c->delta_gather, -5);
    assert_int_equal(c->delta_scatter, 7);
    assert_int_equal(c->scatter.data[1], 3);
    assert_int_equal(c->count, 12);
    assert_int_equal(c->wrap, 3);
    assert_int_equal(c->runs, 4);
    assert_int_equal(c->seed, 99);
    c = &s.rows[2];
    assert_int_equal(c->deltas.len, 3);
    assert_int_equal(c->deltas.data[1], -2);
    assert_int_equal(s.rows[3].pattern.data[0], 7);
    assert_string_equal(notes, "");
    pat_suite_fini(&s);
}

static void pat_rows_are_read(void **state)
{
    (void)state;
    struct pat_suite s;
    assert_int_equal(read_text("[{\"pattern\":[5,6],\"row-lengths\":[3,0,1],\"rows-wait\":1,\"count\":2},"
                               "{\"pattern\":[5,6,7],\"row-lengths\":[3],\"count\":1,\"pattern-size\":2}]",
                               &s),
                     LS_OK);
    assert_int_equal(s.rows[0].row_lengths.len, 3);
    assert_int_equal(s.rows[0].row_lengths.data[0], 3);
    assert_int_equal(s.rows[0].row_lengths.data[1], 0);
    assert_true(pat_rows_hold_all(&s.rows[0]));
    assert_int_equal(s.rows[0].rows_wait, 1);
    assert_int_equal(s.rows[1].rows_wait, 0);
    s.rows[0].count = 1;
    assert_false(pat_rows_hold_all(&s.rows[0]));
    assert_int_equal(s.rows[1].row_lengths.len, 0); /* cut: its rows are not known */
    assert_string_equal(notes, "");
    pat_suite_fini(&s);
}

static void pat_names_have_no_control_characters(void **state)
{
    (void)state;
    struct pat_suite s;
    assert_int_equal(
        read_text("[{\"name\":\"\\u001b[31mred\\n\\t\\u007f\\u009b2J gr\\u00fcn\",\"pattern\":[0],"
                  "\"found-as\":\"load\\rx\",\"class\":\"\\u0007\"}]",
                  &s),
        LS_OK);
    assert_string_equal(s.rows[0].name, "?[31mred?????2J gr\303\274n");
    assert_string_equal(s.rows[0].found_as, "load?x");
    assert_string_equal(s.rows[0].found_class, "?");
    pat_suite_fini(&s);
}

/* Files of programs that write all numbers as doubles, or that mark the encoding. */
static void pat_whole_doubles_are_integers(void **state)
{
    (void)state;
    struct pat_suite s;
    assert_int_equal(
        read_text(
            "\xef\xbb\xbf[{\"pattern\":[1.0,1e3,12.50e1],\"count\":1e3,\"delta\":-125.0},\n"
            "{\"pattern\":[0e5],\"count\":1.25E+2,\"delta\":\"-9223372036854775808\",\"wrap\":2000e-3,\"index-bits\":32}]",
            &s),
        LS_OK);
    assert_int_equal(s.rows[0].pattern.data[0], 1);
    assert_int_equal(s.rows[0].pattern.data[1], 1000);
    assert_int_equal(s.rows[0].pattern.data[2], 125);
    assert_int_equal(s.rows[0].count, 1000);
    assert_int_equal(s.rows[0].delta, -125);
    assert_int_equal(s.rows[1].pattern.data[0], 0);
    assert_int_equal(s.rows[1].count, 125);
    assert_int_equal(s.rows[1].delta, INT64_MIN);
    assert_int_equal(s.rows[1].wrap, 2);
    assert_int_equal(s.rows[1].index_bits, 32);
    pat_suite_fini(&s);
}

static void pat_doubtful_files_are_noted(void **state)
{
    (void)state;
    struct pat_suite s;
    assert_int_equal(
        read_text("[\n{\"pattern\":\"UNIFORM:4:2:NR\",\n\"delta\":3},\n{\"delta\": 5,\"cuont\": [[{}]],\n"
                  "\"pattern\": \"UNIFORM:4:2:NR\"}]",
                  &s),
        LS_OK);
    assert_int_equal(s.rows[0].delta, 8);
    assert_int_equal(s.rows[1].delta, 8);
    assert_string_equal(
        notes, "t.json:3: the pattern sets delta 8; the key delta has no effect, as in Spatter\n"
               "t.json:4: unknown key \"cuont\"; it has no effect\n"
               "t.json:5: UNIFORM:4:2:NR sets delta 8; the key delta has no effect, as in Spatter\n");
    pat_suite_fini(&s);
}

static void pat_wrong_files_name_line_and_expectation(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"", "t.json:1: the file ends too early; expected an array of configurations"},
        {"  \n\n", "t.json:3: the file ends too early"},
        {"[]", "has no configurations"},
        {"\177LStrace",
         "expected an array of configurations, [{...}, ...]: this is no pattern file; loadstone "
         "patterns FILE -o P.json makes one"},
        {"[", "t.json:1: the file ends too early; expected a configuration"},
        {"[\n{\"pattern\":[1,2", "t.json:2: the file ends too early; expected integers"},
        {"[{\"pattern\":[1]}", "ends too early"},
        {"[{\"pattern\":[1]}]]", "t.json:1:"},
        {"[{\"pattern\":[1]}]\nx", "t.json:2:"},
        {"[{\"pattern\":[1]},]", "t.json:1:"},
        {"{\"pattern\":[1]}", "expected an array of configurations"},
        {"7", "expected an array of configurations, [{...}, ...], found a number"},
        {"[7]", "expected a configuration"},
        {"[[]]", "expected a configuration"},
        {"[\n\n{\"pattern\":\n[1,-2]}]", "t.json:4: pattern: element 1: -2 is below 0"},
        {"[{\"pattern\":[1,2.5]}]", "element 1: '2.5' is not an integer"},
        {"[{\"pattern\":[1,2],\"count\":1,\n\"row-lengths\":[3,\n-1]}]",
         "t.json:3: row-lengths: element 1: -1 is below 0"},
        {"[{\"pattern\":[1,2],\"count\":1,\n\"row-lengths\":[1,0]\n}]",
         "t.json:3: in the configuration that begins in line 1: row-lengths: the rows have 1 accesses, but the pattern has 2 "
         "indices and count 1"},
        {"[{\"pattern\":[1,2],\"count\":3,\"row-lengths\":[1,6]}]",
         "the rows have 7 accesses, but the pattern has 2 indices and count 3"},
        {"[{\"pattern\":[1],\"row-lengths\":[9223372036854775807,9223372036854775807,9223372036854775807]}]",
         "row-lengths: the sum up to element 2 does not fit 64 bits"},
        {"[{\"pattern\":[1],\"row-lengths\":[9223372036854775808]}]",
         "row-lengths: element 0: 9223372036854775808 does not fit"},
        {"[{\"pattern\":[1],\"row-lengths\":[]}]", "row-lengths: the array is empty"},
        {"[{\"pattern\":[1],\"row-lengths\":1024}]",
         "row-lengths: a number was found; expected an array of integers that are not"},
        {"[{\"pattern\":[1],\"row-lengths\":\"1024\"}]",
         "row-lengths: a text was found; expected an array of integers"},
        {"[{\"pattern\":[1],\"row-lengths\":{}}]",
         "row-lengths: expected an array of integers that are not negative, found"},
        {"[{\"pattern\":[1,1e-3]}]", "'1e-3' is not an integer"},
        {"[{\"pattern\":[1],\"count\":1e19}]", "1e19 does not fit 64 bits"},
        {"[{\"pattern\":[1],\"count\":1e99999}]", "'1e99999' is not an integer"},
        {"[{\"pattern\":[1],\"count\":125.5}]", "'125.5' is not an integer"},
        {"[{\"pattern\":[1],\"count\":\"1e\"}]", "'1e' is not an integer"},
        {"[{\"pattern\":[1],\"count\":\".5\"}]", "'.5' is not an integer"},
        {"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 5\n",
         "t.json is a pointer of git-lfs, not the file itself"},
        {"[{\"pattern\":[99999999999999999999]}]", "does not fit 64 bits"},
        {"[{\"pattern\":[\"1\"]}]", "pattern: expected integers, found a text"},
        {"[{\"pattern\":[[1]]}]", "pattern: expected integers, found an array"},
        {"[{\"pattern\":[]}]", "the array is empty"},
        {"[{\"pattern\":7}]", "pattern: a number was found; expected an array of integers"},
        {"[{\"pattern\":null}]", "found null"},
        {"[{\"pattern\":\"\"}]", "the pattern is empty"},
        {"[{\"pattern\":\"MS1:8:1,2,3:4,5\"}]", "2 gaps for 3 locations"},
        {"[{\"pattern\":\"RAW=/nowhere/x\"}]", "/nowhere/x cannot be read"},
        {"[{\"kernel\":\"sg\",\"pattern\":[1]}]", "called 'gs'"},
        {"[{\"kernel\":\"jump\",\"pattern\":[1]}]", "unknown kernel 'jump': use gather, scatter"},
        {"[{\"pattern\":[1],\"count\":0}]", "count: 0 is below 1"},
        {"[{\"pattern\":[1],\"count\":-3}]", "count: -3 is below 1"},
        {"[{\"pattern\":[1],\"count\":true}]", "count: expected an integer of at least 1, found true"},
        {"[{\"pattern\":[1],\"wrap\":0}]", "wrap: 0 is below 1"},
        {"[{\"pattern\":[1],\"nruns\":0}]", "nruns: 0 is below 1"},
        {"[{\"pattern\":[1],\"delta\":1.5}]", "delta: element 0: '1.5' is not an integer"},
        {"[{\"name\":5,\"pattern\":[1]}]", "name: a number was found; expected a text"},
        {"[{\"name\":\"x\"},\n{}]",
         "t.json:1: in the configuration that begins in line 1: kernel gather needs pattern"},
        {"[{\"pattern\":[1]},\n{\"kernel\":\"GS\",\n\"pattern-gather\":[1,2],\"pattern-scatter\":[3]\n}]",
         "t.json:4: in the configuration that begins in line 2: pattern-gather has 2 indices"},
        {"[{\"pattern\":[1,2],\"pattern-size\":3}]", "cannot be cut to 3 indices"},
        {"[{\"pattern\":[1,\n2\n,x]}]", "t.json:3: lexical error"},
        {"[{\"name\":\"a\\u0000b\",\"pattern\":[1]}]", "zero byte"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct pat_suite s;
        const ls_err err = read_text(wrong[i].text, &s);
        if ((err != LS_ERR_FORMAT && err != LS_ERR_TRUNCATED) || !strstr(ls_last_error(), wrong[i].says))
            fail_msg("%s: %s '%s' lacks '%s'", wrong[i].text, ls_err_name(err), ls_last_error(),
                     wrong[i].says);
        assert_int_equal(s.len, 0);
    }
}

static void pat_deep_nesting_is_refused(void **state)
{
    (void)state;
    enum { DEEP = 1000000 };
    char *text = malloc(DEEP + 64);
    struct pat_suite s;
    const int at = sprintf(text, "[{\"x\":");
    memset(text + at, '[', DEEP);
    text[at + DEEP] = '\0';
    assert_int_equal(read_text(text, &s), LS_ERR_FORMAT);
    assert_non_null(strstr(ls_last_error(), "nested deeper than 64 levels"));
    free(text);
}

static void write_gzip(const char *path, const void *data, unsigned len)
{
    gzFile f = gzopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(gzwrite(f, data, len), (int)len);
    assert_int_equal(gzclose(f), Z_OK);
}

static void pat_packed_files_are_read_and_cut_ones_refused(void **state)
{
    (void)state;
    char dir[] = "/tmp/test_pat_json.XXXXXX", path[64], text[6000] = "[{\"pattern\":[0";
    assert_non_null(mkdtemp(dir));
    for (int i = 1; i < 900; i++)
        sprintf(text + strlen(text), ",%d", i * 7 % 1000);
    strcat(text, "]}]");
    snprintf(path, sizeof(path), "%s/p.json.gz", dir);
    write_gzip(path, text, (unsigned)strlen(text));
    struct pat_suite s = {0};
    assert_int_equal(pat_json_read_file(path, &listening, &s), LS_OK);
    assert_int_equal(s.rows[0].pattern.len, 900);
    assert_int_equal(s.rows[0].pattern.data[899], 899 * 7 % 1000);
    pat_suite_fini(&s);
    FILE *f = fopen(path, "rb+");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    const long len = ftell(f);
    fclose(f);
    assert_int_equal(truncate(path, len / 2), 0);
    assert_int_equal(pat_json_read_file(path, &listening, &s), LS_ERR_TRUNCATED);
    assert_int_equal(s.len, 0);
    unlink(path);
    rmdir(dir);
}

static void pat_raw_files_hold_integers(void **state)
{
    (void)state;
    char dir[] = "/tmp/test_pat_raw.XXXXXX", path[64], json[64];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/p.sbin", dir);
    snprintf(json, sizeof(json), "%s/p.json", dir);
    enum { N = 20001 };
    static int64_t data[N];
    for (int i = 0; i < N; i++)
        data[i] = (int64_t)i * 1000003 % 65537;
    write_gzip(path, data, sizeof(data));
    struct pat_indices p = {0};
    assert_int_equal(pat_raw_read_file(path, &p), LS_OK);
    assert_int_equal(p.len, N);
    assert_memory_equal(p.data, data, sizeof(data));
    free(p.data);
    /* cut at the end of an index: only the packing shows it */
    FILE *whole = fopen(path, "rb");
    assert_non_null(whole);
    fseek(whole, 0, SEEK_END);
    const long packed = ftell(whole);
    fclose(whole);
    for (long cut = packed - 1; cut > packed / 2; cut -= packed / 20) {
        struct pat_indices none = {0};
        assert_int_equal(truncate(path, cut), 0);
        assert_int_equal(pat_raw_read_file(path, &none), LS_ERR_TRUNCATED);
        assert_non_null(strstr(ls_last_error(), "the gzip data ends too early"));
        assert_null(none.data);
    }
    write_gzip(path, data, sizeof(data));
    /* beside the pattern file that names it */
    FILE *f = fopen(json, "w");
    assert_non_null(f);
    fputs("[{\"pattern\":\"RAW=p.sbin\"}]", f);
    fclose(f);
    struct pat_suite s = {0};
    assert_int_equal(pat_json_read_file(json, &listening, &s), LS_OK);
    assert_int_equal(s.rows[0].pattern.len, N);
    pat_suite_fini(&s);
    p = (struct pat_indices){0};
    write_gzip(path, data, 12);
    assert_int_equal(pat_raw_read_file(path, &p), LS_ERR_TRUNCATED);
    write_gzip(path, data, 0);
    assert_int_equal(pat_raw_read_file(path, &p), LS_ERR_FORMAT);
    data[2] = -1;
    write_gzip(path, data, 32);
    assert_int_equal(pat_raw_read_file(path, &p), LS_ERR_FORMAT);
    assert_non_null(strstr(ls_last_error(), "index 2 is -1"));
    unlink(path);
    unlink(json);
    rmdir(dir);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pat_suite_holds_table_5),
        cmocka_unit_test(pat_suite_files_are_read_whole),
        cmocka_unit_test(pat_stream_file_has_all_kernels),
        cmocka_unit_test(pat_keys_override_the_defaults),
        cmocka_unit_test(pat_rows_are_read),
        cmocka_unit_test(pat_names_have_no_control_characters),
        cmocka_unit_test(pat_whole_doubles_are_integers),
        cmocka_unit_test(pat_doubtful_files_are_noted),
        cmocka_unit_test(pat_wrong_files_name_line_and_expectation),
        cmocka_unit_test(pat_deep_nesting_is_refused),
        cmocka_unit_test(pat_packed_files_are_read_and_cut_ones_refused),
        cmocka_unit_test(pat_raw_files_hold_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
