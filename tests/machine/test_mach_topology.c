/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/mach_hwloc.h"
#include "machine/mach_topology.h"
#include "tests/unit.h"

#include <stdlib.h>
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

static int number(hwloc_topology_t t, hwloc_obj_type_t type)
{
    return hwloc_get_nbobjs_by_type(t, type);
}

static uint64_t cache_bytes(hwloc_topology_t t, hwloc_obj_type_t type)
{
    const hwloc_obj_t first = hwloc_get_obj_by_type(t, type, 0);
    return first ? first->attr->cache.size : 0;
}

static void the_quick_topology_has_all_processors_and_caches(void **state)
{
    (void)state;
    static const hwloc_obj_type_t caches[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE};
    hwloc_topology_t whole, quick = mach_hwloc_load();
    assert_non_null(quick);
    assert_int_equal(hwloc_topology_init(&whole), 0);
    assert_int_equal(hwloc_topology_load(whole), 0);
    assert_int_equal(number(quick, HWLOC_OBJ_PU), number(whole, HWLOC_OBJ_PU));
    assert_int_equal(number(quick, HWLOC_OBJ_CORE), number(whole, HWLOC_OBJ_CORE));
    assert_int_equal(number(quick, HWLOC_OBJ_PACKAGE), number(whole, HWLOC_OBJ_PACKAGE));
    assert_int_equal(number(quick, HWLOC_OBJ_NUMANODE), number(whole, HWLOC_OBJ_NUMANODE));
    for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
        assert_int_equal(number(quick, caches[i]), number(whole, caches[i]));
        assert_int_equal(cache_bytes(quick, caches[i]), cache_bytes(whole, caches[i]));
    }
    hwloc_topology_destroy(quick);
    hwloc_topology_destroy(whole);
}

static void a_topology_without_cores_is_looked_for_again(void **state)
{
    (void)state;
    setenv("HWLOC_SYNTHETIC", "pu:3", 1);
    hwloc_topology_t t = mach_hwloc_load();
    unsetenv("HWLOC_SYNTHETIC");
    assert_non_null(t);
    assert_int_equal(number(t, HWLOC_OBJ_PU), 3);
    hwloc_topology_destroy(t);
}

static void the_environment_is_unchanged(void **state)
{
    (void)state;
    unsetenv("HWLOC_PLUGINS_PATH");
    hwloc_topology_destroy(mach_hwloc_load());
    assert_null(getenv("HWLOC_PLUGINS_PATH"));
    setenv("HWLOC_PLUGINS_PATH", "/dev", 1);
    hwloc_topology_destroy(mach_hwloc_load());
    assert_string_equal(getenv("HWLOC_PLUGINS_PATH"), "/dev");
    unsetenv("HWLOC_PLUGINS_PATH");
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_summary_is_one_line_that_names_cores_and_memory),
        cmocka_unit_test(the_host_name_is_the_systems),
        cmocka_unit_test(the_quick_topology_has_all_processors_and_caches),
        cmocka_unit_test(a_topology_without_cores_is_looked_for_again),
        cmocka_unit_test(the_environment_is_unchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
