/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses of this very program have its names; broken files cost names, never the process. */
#include "symbols/sym_session.h"
#include "tests/spool/spool_fixture.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { KNOWN_LINE = __LINE__ + 1 };
__attribute__((noinline)) static int known_function_of_this_test(int x)
{
    return x * 3 + 1;
}

struct own_module {
    char path[512];
    uint64_t base, end, offset;
};

/* First mapping of the file that holds addr, and the hull of its mappings. */
static struct own_module module_of(uint64_t addr)
{
    struct own_module m = {{0}, 0, 0, 0}, found = {{0}, 0, 0, 0};
    char line[1024];
    FILE *maps = fopen("/proc/self/maps", "re");
    assert_non_null(maps);
    while (fgets(line, sizeof(line), maps)) {
        uint64_t base, end, offset;
        char path[512] = "";
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %511s", &base, &end, &offset,
                   path) < 3)
            continue;
        if (strcmp(path, m.path) != 0) {
            m.base = base;
            m.offset = offset;
            memcpy(m.path, path, sizeof(path));
        }
        m.end = end;
        if (addr >= base && addr < end) memcpy(found.path, path, sizeof(path));
        if (found.path[0] != '\0' && strcmp(found.path, m.path) == 0) found = m;
    }
    fclose(maps);
    return found;
}

static void own_function_has_name_file_and_line(void **state)
{
    sym_session *s;
    size_t len;
    (void)state;
    const uint64_t ip = (uint64_t)(uintptr_t)known_function_of_this_test;
    const struct own_module m = module_of(ip);
    assert_int_equal(sym_session_new(&s), LS_OK);
    assert_int_equal(sym_session_add(s, "/nonexistent/library.so", 4096, 8192, 0), LS_OK);
    assert_int_equal(sym_session_add(s, m.path, m.base, m.end, m.offset), LS_OK);
    const struct sym_place place = sym_session_find(s, ip);
    assert_string_equal(place.module, m.path);
    assert_string_equal(place.function, "known_function_of_this_test");
    assert_non_null(strstr(place.file, "tests/symbols/test_sym_session.c"));
    assert_in_range(place.line, KNOWN_LINE, KNOWN_LINE + 3);
    const struct sym_place missing = sym_session_find(s, 5000);
    assert_string_equal(missing.module, "/nonexistent/library.so");
    assert_string_equal(missing.function, "");
    assert_string_equal(sym_session_find(s, 64).module, "");
    assert_int_equal(sym_session_modules(s, &len)[1].base, m.base);
    assert_int_equal(len, 2);
    sym_session_free(s);
}

static void library_function_has_its_name(void **state)
{
    sym_session *s;
    (void)state;
    const uint64_t ip = (uint64_t)(uintptr_t)_cmocka_run_group_tests;
    const struct own_module m = module_of(ip);
    assert_int_equal(sym_session_new(&s), LS_OK);
    assert_int_equal(sym_session_add(s, m.path, m.base, m.end, m.offset), LS_OK);
    assert_non_null(strstr(sym_session_find(s, ip).function, "cmocka_run_group_tests"));
    sym_session_free(s);
}

static void ask_broken_file(const char *path)
{
    sym_session *s;
    assert_int_equal(sym_session_new(&s), LS_OK);
    assert_int_equal(sym_session_add(s, path, 0x10000, 0x900000, 0), LS_OK);
    for (uint64_t ip = 0x10000; ip < 0x30000; ip += 0x1357)
        assert_string_equal(sym_session_find(s, ip).module, path);
    sym_session_free(s);
}

static void broken_elf_files_do_no_harm(void **state)
{
    struct spool_fixture f;
    char path[400];
    size_t len;
    uint64_t random = 1;
    (void)state;
    spool_fixture_init(&f);
    snprintf(path, sizeof(path), "%s/broken.so", f.root);
    uint8_t *bytes = fixture_read_file("/proc/self/exe", &len);
    for (int round = 0; round < 60; round++) {
        uint8_t *copy = malloc(len);
        memcpy(copy, bytes, len);
        for (int flip = 0; flip < 40; flip++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            /* half of the damage hits the headers */
            const size_t at = (size_t)(random >> 16) % (flip % 2 ? len : 1024);
            copy[at < 4 ? 4 : at] ^= (uint8_t)(1u << (random & 7));
        }
        fixture_write_file(path, copy, round % 3 ? len : len / (size_t)(round + 2));
        ask_broken_file(path);
        free(copy);
    }
    fixture_write_file(path, "", 0);
    ask_broken_file(path);
    ask_broken_file("/dev/zero");
    free(bytes);
    spool_fixture_fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_function_has_name_file_and_line),
        cmocka_unit_test(library_function_has_its_name),
        cmocka_unit_test(broken_elf_files_do_no_harm),
    };
    return known_function_of_this_test(0) == 1 ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
