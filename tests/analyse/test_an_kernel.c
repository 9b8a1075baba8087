/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analyse/an_kernel.h"
#include "tests/unit.h"

#include <math.h>

enum { NONE = UINT32_MAX };
static const struct prof_node nodes[] = {{.id = 0, .parent = NONE, .kind = PROF_NODE_ROOT, .label = "all"},
                                         {.id = 1, .parent = 0, .kind = PROF_NODE_SITE, .label = "work"},
                                         {.id = 2, .parent = 1, .kind = PROF_NODE_BLOCK, .label = "work #1"},
                                         {.id = 3, .parent = 0, .kind = PROF_NODE_SITE, .label = "mesh"},
                                         {.id = 4, .parent = 0, .kind = PROF_NODE_SITE, .label = "log"}};
static const struct prof_line lines[] = {
    {.ip = 1, .module = "/m", .function = "f", .file = "/a.c", .line = 3},
    {.ip = 2, .module = "/m", .function = "f", .file = "/a.c", .line = 4},
    {.ip = 3, .module = "/m", .function = "g", .file = "/a.c", .line = 9}};
static const struct an_tables tables = {.nodes = nodes, .nodes_len = 5, .lines = lines, .lines_len = 3};

/* The block of work is faulted in at two lines of f; mesh is faulted in once and never unmapped. */
static const struct prof_kernel rows[] = {
    {0, PROF_KERNEL_FAULT, 2, 0, NONE, 3000, 12000000, 3e8, 3e7},
    {0, PROF_KERNEL_FAULT, 1, 1, NONE, 1000, 4000000, 1e8, 4e7},
    {1, PROF_KERNEL_UNMAP, 1, 2, NONE, 10, 16000000, 2e8, 1e7},
    {0, PROF_KERNEL_FAULT, 3, 0, NONE, 5000, 20000000, 9e8, 1e7},
    {0, PROF_KERNEL_UNMAP, 4, 2, NONE, 100, 409600, 5e6, 1e6},
    {0, PROF_KERNEL_FAULT, 4, 2, NONE, 100, 409600, 5e6, 9e6},
    {0, PROF_KERNEL_OTHER, NONE, NONE, NONE, UINT64_MAX, UINT64_MAX, 7e7, 2e7}};

static struct an_kernel kernel_by(enum an_kernel_by by, uint32_t below)
{
    struct an_kernel k;
    const struct an_kernel_input in = {&tables, rows, sizeof(rows) / sizeof(rows[0]), by, below};
    assert_int_equal(an_kernel_init(&k, &in), LS_OK);
    double sum_ns = 0;
    for (size_t i = 0; i < k.len; i++) {
        sum_ns += k.rows[i].time_ns;
        assert_true(i == 0 || k.rows[i - 1].time_ns >= k.rows[i].time_ns);
    }
    if (!below) assert_float_equal(sum_ns, 15.8e8, 1);
    return k;
}

static void an_kernel_time_adds_up_by_cause_and_function(void **state)
{
    (void)state;
    struct an_kernel k = kernel_by(AN_KERNEL_BY_DATA, 0);
    assert_int_equal(k.len, 6);
    assert_int_equal(k.rows[1].node, 1); /* blocks belong to their site */
    assert_float_equal(k.rows[1].time_ns, 4e8, 1);
    assert_float_equal(k.rows[1].error_ns, 5e7, 1);
    assert_int_equal(k.rows[1].calls, 4000);
    assert_int_equal(k.rows[3].cause, PROF_KERNEL_OTHER);
    assert_int_equal(k.rows[3].calls, 0);
    an_kernel_fini(&k);
    k = kernel_by(AN_KERNEL_BY_FUNCTION, 0);
    assert_int_equal(k.len, 4); /* faults of f and of g, munmap of g, the rest */
    assert_float_equal(k.rows[0].time_ns, 13e8, 1);
    assert_int_equal(k.rows[0].node, NONE);
    an_kernel_fini(&k);
    k = kernel_by(AN_KERNEL_BY_LINE, 0);
    assert_int_equal(k.len, 7);
    an_kernel_fini(&k);
    k = kernel_by(AN_KERNEL_BY_DATA, 1);
    assert_int_equal(k.len, 2);
    an_kernel_fini(&k);
}

static void an_blocks_that_come_and_go_are_found(void **state)
{
    (void)state;
    struct an_kernel k = kernel_by(AN_KERNEL_BY_DATA, 0);
    struct an_churn churn[4];
    assert_int_equal(an_kernel_churn(&k, &tables, 5e9, churn, 4), 1); /* log costs less than 1 % */
    assert_int_equal(churn[0].node, 1);
    assert_int_equal(churn[0].unmaps, 10);
    assert_float_equal(churn[0].time_ns, 6e8, 1);
    assert_float_equal(churn[0].error_ns, hypot(5e7, 1e7), 1);
    assert_int_equal(an_kernel_churn(&k, &tables, 1e11, churn, 4), 0);
    assert_int_equal(an_kernel_churn(&k, &tables, 5e8, churn, 4), 2);
    k.rows[2].calls = AN_CHURN_UNMAPS - 1; /* the munmap of work */
    assert_int_equal(k.rows[2].cause, PROF_KERNEL_UNMAP);
    assert_int_equal(an_kernel_churn(&k, &tables, 5e9, churn, 4), 0);
    an_kernel_fini(&k);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_kernel_time_adds_up_by_cause_and_function),
        cmocka_unit_test(an_blocks_that_come_and_go_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
