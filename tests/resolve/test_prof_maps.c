/* SPDX-License-Identifier: BSD-3-Clause */
/* The coarse home of each mapping, from the text of /proc/PID/maps. */
#include "resolve/prof_maps.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct expected {
    enum prof_node_kind kind;
    const char *path;
};

static void expect(const char *text, const struct expected *rows, size_t len)
{
    prof_names *names = prof_names_new();
    prof_mapping_list all = {.len = 0};
    assert_int_equal(prof_maps_parse(text, strlen(text), names, &all), LS_OK);
    assert_int_equal(all.len, len);
    for (size_t i = 0; i < len; i++) {
        assert_int_equal(all.rows[i].kind, rows[i].kind);
        assert_string_equal(all.rows[i].path, rows[i].path);
    }
    free(all.rows);
    prof_names_free(names);
}
#define EXPECT(text, ...)                                    \
    do {                                                     \
        static const struct expected rows[] = {__VA_ARGS__}; \
        expect(text, rows, sizeof(rows) / sizeof(rows[0]));  \
    } while (0)

static void modules_have_code_data_and_bss(void **state)
{
    (void)state;
    EXPECT("555555554000-555555555000 r--p 00000000 08:01 10 /opt/app\n"
           "555555555000-555555556000 r-xp 00001000 08:01 10 /opt/app\n"
           "555555556000-555555558000 rw-p 00002000 08:01 10 /opt/app\n"
           "555555558000-55555555a000 rw-p 00000000 00:00 0 \n"
           "7f0000000000-7f0000001000 rw-s 00003000 08:01 11 /opt/data\n"
           "7f0000001000-7f0000002000 rw-p 00000000 00:00 0 \n",
           {PROF_NODE_CODE, "/opt/app"}, {PROF_NODE_CODE, "/opt/app"}, {PROF_NODE_STATIC, "/opt/app"},
           {PROF_NODE_STATIC, "/opt/app"}, {PROF_NODE_FILE, "/opt/data"}, {PROF_NODE_ANONYMOUS, ""});
}

/* ld --omagic: text and data in one segment, with the header. */
static void module_of_one_segment_is_a_module(void **state)
{
    (void)state;
    EXPECT("00400000-00402000 rwxp 00000000 08:01 10 /opt/app\n"
           "00402000-00403000 rwxp 00000000 00:00 0 \n",
           {PROF_NODE_STATIC, "/opt/app"}, {PROF_NODE_JIT, ""});
}

/* sbcl maps its core file writable and executable, protects parts of it, and goes on in anonymous memory. */
static void image_of_a_heap_is_a_file(void **state)
{
    (void)state;
    EXPECT("50000000-50008000 rwxp 00008000 08:01 10 /lib/sbcl.core\n"
           "50008000-50100000 rwxp 00000000 00:00 0 \n"
           "50100000-5013e000 r-xp 01960000 08:01 10 /lib/sbcl.core\n"
           "5013e000-50142000 rwxp 0199e000 08:01 10 /lib/sbcl.core\n"
           "50142000-50143000 rw-p 00000000 00:00 0 \n"
           "1000000000-1001330000 rwxp 00010000 08:01 10 /lib/sbcl.core\n"
           "1001330000-1040000000 rwxp 00000000 00:00 0 \n"
           "1050000000-1050001000 rwxp 00000000 00:00 0 \n",
           {PROF_NODE_FILE, "/lib/sbcl.core"}, {PROF_NODE_FILE, "/lib/sbcl.core"},
           {PROF_NODE_FILE, "/lib/sbcl.core"}, {PROF_NODE_FILE, "/lib/sbcl.core"}, {PROF_NODE_ANONYMOUS, ""},
           {PROF_NODE_FILE, "/lib/sbcl.core"}, {PROF_NODE_FILE, "/lib/sbcl.core"}, {PROF_NODE_JIT, ""});
}

/* V8 copies its built-in code out of the program, to a place far from it. */
static void copied_code_stays_code(void **state)
{
    (void)state;
    EXPECT("00400000-00500000 r-xp 00400000 08:01 10 /opt/node\n"
           "7f0000000000-7f0000001000 rwxp 00000000 00:01 7 /memfd:jit (deleted)\n",
           {PROF_NODE_CODE, "/opt/node"}, {PROF_NODE_JIT, "/memfd:jit"});
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_have_code_data_and_bss),
        cmocka_unit_test(module_of_one_segment_is_a_module),
        cmocka_unit_test(image_of_a_heap_is_a_file),
        cmocka_unit_test(copied_code_stays_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
