/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_perfmap.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static sym_perfmap *parse(const char *text)
{
    sym_perfmap *m;
    assert_int_equal(sym_perfmap_parse(text, strlen(text), &m), LS_OK);
    return m;
}

static void sym_perfmap_names_addresses(void **state)
{
    (void)state;
    sym_perfmap *m = parse("2000 40 LazyCompile:*sum /app.js:3\n0x1000 10 Builtin:Add\n3000 8 third\n");
    assert_int_equal(sym_perfmap_len(m), 3);
    assert_string_equal(sym_perfmap_find(m, 0x1000), "Builtin:Add");
    assert_string_equal(sym_perfmap_find(m, 0x100f), "Builtin:Add");
    assert_null(sym_perfmap_find(m, 0x1010));
    assert_null(sym_perfmap_find(m, 0xfff));
    assert_string_equal(sym_perfmap_find(m, 0x203f), "LazyCompile:*sum /app.js:3");
    assert_string_equal(sym_perfmap_find(m, 0x3007), "third");
    sym_perfmap_free(m);
}

static void sym_perfmap_prefers_the_last_line(void **state)
{
    (void)state;
    sym_perfmap *m = parse("1000 100 old\n1040 20 between\n1000 100 new\n1050 4 newest\n");
    assert_string_equal(sym_perfmap_find(m, 0x1000), "new");
    assert_string_equal(sym_perfmap_find(m, 0x1045), "new");
    assert_string_equal(sym_perfmap_find(m, 0x1051), "newest");
    sym_perfmap_free(m);
}

static void sym_perfmap_skips_invalid_lines(void **state)
{
    (void)state;
    sym_perfmap *m = parse("\n \nzz 10 a\n1000 zz b\n1000 10\n1000 10 \n1000 0 empty\n"
                           "11112222333344445 10 long\nffffffffffffffff 10 wraps\n4000 10 good\n5000 10 cut");
    assert_int_equal(sym_perfmap_len(m), 1);
    assert_string_equal(sym_perfmap_find(m, 0x4001), "good");
    sym_perfmap_free(m);
    m = parse("");
    assert_null(sym_perfmap_find(m, 0));
    sym_perfmap_free(m);
}

static char folder[] = "perfmap-test-XXXXXX";

static const char *write_map(const char *name)
{
    static char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    fputs("1000 10 f\n", f);
    fclose(f);
    return path;
}

static void sym_perfmap_accepts_only_the_programs_own_file(void **state)
{
    (void)state;
    sym_perfmap *m;
    struct stat st;
    char link[128];
    assert_non_null(mkdtemp(folder));
    const char *path = write_map("map");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(sym_perfmap_open(path, st.st_mtime, &m), LS_OK);
    assert_string_equal(sym_perfmap_find(m, 0x1001), "f");
    sym_perfmap_free(m);
    assert_int_equal(sym_perfmap_open(path, st.st_mtime + 1, &m),
                     LS_ERR_NOT_FOUND); /* an earlier process's */
    snprintf(link, sizeof(link), "%s/link", folder);
    assert_int_equal(symlink("map", link), 0);
    assert_int_equal(sym_perfmap_open(link, 0, &m), LS_ERR_NOT_FOUND);
    assert_int_equal(sym_perfmap_open(folder, 0, &m), LS_ERR_NOT_FOUND);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 1, 1), 0);
        assert_int_equal(sym_perfmap_open(path, 0, &m), LS_ERR_NOT_FOUND);
    }
    unlink(link);
    unlink(path);
    rmdir(folder);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sym_perfmap_names_addresses),
                                       cmocka_unit_test(sym_perfmap_prefers_the_last_line),
                                       cmocka_unit_test(sym_perfmap_skips_invalid_lines),
                                       cmocka_unit_test(sym_perfmap_accepts_only_the_programs_own_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
