/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analyse/an_annotate.h"
#include "analyse/an_function.h"
#include "tests/analyse/an_fixture.h"
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

/* f of /bin/m has code in a.c and, inlined, in a.h; /lib/n has a different f; g has parameters. */
static const struct prof_thread threads[] = {{.process = 0, .tid = 7}};
static const struct prof_line lines[] = {
    {.ip = 1, .module = "/bin/m", .function = "f", .file = "/s/a.c", .line = 10},
    {.ip = 2, .module = "/bin/m", .function = "f", .file = "/s/a.h", .line = 2},
    {.ip = 3, .module = "/bin/m", .function = "f", .file = "/s/a.c", .line = 20},
    {.ip = 4, .module = "/bin/m", .function = "f", .file = "/s/a.c", .line = 10},
    {.ip = 5, .module = "/lib/n", .function = "f", .file = "/s/n.c", .line = 5},
    {.ip = 6, .module = "/lib/n", .function = "ns::g(int, long)", .file = "/s/n.c", .line = 50},
    {.ip = 8,
     .module = "/lib/n",
     .function = "std::vector<ns::a, b<int> >::h<ns::c>(ns::d)",
     .file = "/s/n.c",
     .line = 60},
    {.ip = 9, .module = "/lib/n", .function = "", .file = "", .line = 0},
};
enum { LINES = sizeof(lines) / sizeof(lines[0]) };
static struct prof_source sources[64];
static size_t sources_len;

static void have_source(const char *file, uint32_t from, uint32_t to)
{
    for (uint32_t l = from; l <= to; l++)
        sources[sources_len++] = (struct prof_source){file, l, l % 2 ? "odd" : "even"};
}

struct run {
    struct an_fixture *f;
    struct an_tables t;
    struct an_combination c;
    uint32_t thread[LINES];
};

static void begin(struct run *r, const char *by_text, bool by_file)
{
    struct an_by by;
    memset(r, 0, sizeof(*r));
    r->f = fix_new(5, 4);
    fix_burst(r->f, 1000, 1000);
    for (uint32_t i = 0; i < LINES; i++) {
        fix_load(r->f, 0, 600 + i, 100);
        r->f->ip[i] = lines[i].ip;
    }
    fix_input(r->f);
    r->f->in.samples.thread = r->thread;
    r->t = (struct an_tables){
        .threads = threads, .threads_len = 1, .lines = lines, .lines_len = LINES, .by_file = by_file};
    assert_int_equal(an_by_parse(&by, by_text), LS_OK);
    const struct an_grouped of = {.tables = &r->t, .samples = &r->f->in.samples};
    assert_int_equal(an_combination_init(&r->c, &by, &of), LS_OK);
    sources_len = 0;
    have_source("/s/a.c", 1, 13); /* 1 to 6: part of a function above */
    have_source("/s/a.c", 17, 22);
    have_source("/s/a.h", 1, 5);
}

static void end(struct run *r)
{
    an_combination_fini(&r->c);
    fix_free(r->f);
}

static size_t named(struct run *r, const char *name, uint32_t *out)
{
    return an_functions_named(&r->c, &r->t, name, out, 4);
}

static void an_functions_are_found_by_name(void **state)
{
    struct run r;
    uint32_t found[4];
    (void)state;
    begin(&r, "function,line", false);
    assert_int_equal(named(&r, "f", found), 2);
    assert_int_equal(named(&r, "m:f", found), 1);
    assert_string_equal(lines[r.c.keys[0].keys[found[0]]].module, "/bin/m");
    assert_int_equal(named(&r, "n.c:f", found), 1);
    assert_string_equal(lines[r.c.keys[0].keys[found[0]]].module, "/lib/n");
    assert_int_equal(named(&r, "b.c:f", found), 0);
    assert_int_equal(named(&r, "ns::g", found), 1);
    assert_int_equal(named(&r, "n:ns::g", found), 1);
    assert_int_equal(named(&r, "ns::g(int, long)", found), 1);
    assert_int_equal(named(&r, "g", found), 1);
    assert_int_equal(named(&r, "h", found), 1);
    assert_int_equal(named(&r, "std::vector<ns::a, b<int> >::h", found), 1);
    assert_int_equal(named(&r, "vector", found), 0);
    assert_int_equal(named(&r, "ns", found), 0);
    assert_int_equal(named(&r, "?", found), 1);
    assert_int_equal(named(&r, "", found), 0);
    end(&r);
}

/* Static functions of two files may have the same name. */
static void an_functions_of_a_file_are_separate(void **state)
{
    struct run r;
    uint32_t found[4];
    struct an_annotated *rows = NULL;
    size_t len = 0;
    (void)state;
    begin(&r, "function,line", true);
    assert_true(an_function_has_file(&r.t, "a.h:f"));
    assert_false(an_function_has_file(&r.t, "m:f"));
    assert_false(an_function_has_file(&r.t, "f"));
    assert_int_equal(named(&r, "f", found), 3);
    assert_int_equal(named(&r, "a.c:f", found), 1);
    assert_int_equal(named(&r, "n.c:g", found), 1);
    assert_int_equal(named(&r, "a.h:f", found), 1);
    const struct an_source_text none = {NULL, 0};
    assert_int_equal(an_annotate_lines(&r.c, &r.t, &none, found[0], &rows, &len), LS_OK);
    assert_int_equal(len, 1);
    assert_string_equal(rows[0].file, "/s/a.h");
    free(rows);
    end(&r);
}

/* Sampled: a.c 10 and 20, a.h 2. Known: a.c 1-13 and 17-22. So 7-10 before the first, the known lines
 * between, 20-22 after the last (23 is not known). */
static void an_lines_include_their_surrounding_lines(void **state)
{
    static const uint32_t wanted[] = {7, 8, 9, 10, 11, 12, 13, 17, 18, 19, 20, 21, 22, 1, 2, 3, 4, 5};
    struct run r;
    uint32_t found[4];
    struct an_annotated *rows = NULL;
    size_t len = 0;
    (void)state;
    begin(&r, "function,line", false);
    const struct an_source_text text = {sources, sources_len};
    named(&r, "m:f", found);
    assert_int_equal(an_annotate_lines(&r.c, &r.t, &text, found[0], &rows, &len), LS_OK);
    assert_int_equal(len, sizeof(wanted) / sizeof(wanted[0]));
    for (size_t i = 0; i < len; i++) {
        const bool sampled = i == 3 || i == 10 || i == 14;
        assert_int_equal(rows[i].line, wanted[i]);
        assert_string_equal(rows[i].file, i < 13 ? "/s/a.c" : "/s/a.h");
        assert_string_equal(rows[i].text, wanted[i] % 2 ? "odd" : "even");
        assert_true((rows[i].group != AN_UNSAMPLED) == sampled);
        assert_true(rows[i].follows_gap == (i == 7));
    }
    free(rows);
    end(&r);
}

static void an_lines_without_source_text_stay(void **state)
{
    struct run r;
    uint32_t found[4];
    struct an_annotated *rows = NULL;
    size_t len = 0;
    (void)state;
    begin(&r, "function,line", false);
    const struct an_source_text none = {NULL, 0};
    named(&r, "m:f", found);
    assert_int_equal(an_annotate_lines(&r.c, &r.t, &none, found[0], &rows, &len), LS_OK);
    assert_int_equal(len, 3);
    assert_null(rows[0].text);
    assert_true(rows[1].follows_gap);
    free(rows);
    end(&r);
}

static void an_instructions_come_by_address(void **state)
{
    static const uint64_t wanted[] = {1, 2, 3, 4};
    struct run r;
    uint32_t found[4];
    struct an_annotated *rows = NULL;
    size_t len = 0;
    (void)state;
    begin(&r, "function,ip", false);
    named(&r, "m:f", found);
    assert_int_equal(an_annotate_instructions(&r.c, &r.t, found[0], &rows, &len), LS_OK);
    assert_int_equal(len, 4);
    for (size_t i = 0; i < len; i++)
        assert_int_equal(lines[rows[i].row].ip, wanted[i]);
    free(rows);
    end(&r);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_functions_are_found_by_name),
        cmocka_unit_test(an_functions_of_a_file_are_separate),
        cmocka_unit_test(an_lines_include_their_surrounding_lines),
        cmocka_unit_test(an_lines_without_source_text_stay),
        cmocka_unit_test(an_instructions_come_by_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
