/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups that pass, fail, crash, leave early and are skipped, for test_unit.sh. */
#include "tests/unit.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static int left_after; /* by an earlier group: none does */

static void passes(void **state)
{
    (void)state;
    assert_int_equal(left_after++, 0);
}

static void fails(void **state)
{
    (void)state;
    assert_int_equal(1, 2);
}

static void is_skipped(void **state)
{
    (void)state;
    skip();
}

static void is_killed(void **state)
{
    (void)state;
    raise(SIGKILL);
}

static void leaves(void **state)
{
    (void)state;
    exit(0);
}

static int run_good(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(passes), cmocka_unit_test(is_skipped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static int run_failing(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(passes), cmocka_unit_test(fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static int run_killed(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(passes), cmocka_unit_test(is_killed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static int run_leaving(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaves), cmocka_unit_test(passes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static int run_unable(void)
{
    return 1;
}

static int run_skipped(void)
{
    printf("SKIP: nothing to test here\n");
    return UNIT_SKIPPED;
}

__attribute__((constructor)) static void register_groups(void)
{
    static struct unit_group some[] = {
        {"folder/test_unable.c", run_unable, NULL},   {"folder/test_skipped.c", run_skipped, NULL},
        {"folder/test_leaving.c", run_leaving, NULL}, {"folder/test_killed.c", run_killed, NULL},
        {"folder/test_good.c", run_good, NULL},       {"folder/test_failing.c", run_failing, NULL},
    };
    for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
        unit_add(&some[i]);
}
