/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/mach_topology.h"
#include "tests/unit.h"

#include <string.h>
#include <unistd.h>

static void the_summary_is_one_line_that_names_cores_and_memory(void **state)
{
    (void)state;
    struct mach_machine m;
    assert_int_equal(mach_describe(&m), LS_OK);
    assert_null(strchr(m.summary, '\n'));
    assert_non_null(strstr(m.summary, "core"));
    assert_non_null(strstr(m.summary, "iB"));
    assert_non_null(strstr(m.detail, m.cpu));
    assert_true(m.cpu[0] != '\0');
    assert_int_equal(m.detail[strlen(m.detail) - 1], '\n');
}

static void the_host_name_is_the_systems(void **state)
{
    (void)state;
    struct mach_machine m;
    char host[256] = "";
    assert_int_equal(gethostname(host, sizeof(host) - 1), 0);
    assert_int_equal(mach_describe(&m), LS_OK);
    assert_string_equal(m.host, host);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_summary_is_one_line_that_names_cores_and_memory),
        cmocka_unit_test(the_host_name_is_the_systems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
