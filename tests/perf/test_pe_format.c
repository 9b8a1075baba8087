/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields as sysfs describes them, periods, lists of CPUs, and the variables that become a request. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/pe_encode.h"
#include "perf/pe_event.h"
#include "perf/pe_settings.h"
#include "tests/unit.h"

#include <string.h>

static void fields_land_in_their_bits(void **state)
{
    (void)state;
    static const struct {
        const char *format;
        uint64_t value, config, config1, config2;
    } rows[] = {
        {"config:0-7", 0xcd, 0xcd, 0, 0},
        {"config:8-15", 0x82, 0x8200, 0, 0},
        {"config:0-7,32-35", 0x1ff, 0x1000000ff, 0, 0},
        {"config:0-7,21", 0x1ff, 0x2000ff, 0, 0},
        {"config1:0-15", 30, 0, 30, 0},
        {"config1:0-63", UINT64_MAX, 0, UINT64_MAX, 0},
        {"config2:0", 1, 0, 0, 1},
        {"config:63", 1, UINT64_C(1) << 63, 0, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pe_field f;
        struct perf_event_attr a;
        memset(&a, 0, sizeof(a));
        assert_int_equal(pe_field_parse(rows[i].format, &f), LS_OK);
        assert_int_equal(pe_field_set(&f, "x", rows[i].value, &a), LS_OK);
        assert_int_equal(a.config, rows[i].config);
        assert_int_equal(a.config1, rows[i].config1);
        assert_int_equal(a.config2, rows[i].config2);
        assert_int_equal(pe_field_get(&f, &a), rows[i].value);
        assert_int_equal(pe_field_set(&f, "x", 0, &a), LS_OK); /* clears the old contents */
        assert_int_equal(a.config | a.config1 | a.config2, 0);
    }
}

static void values_that_do_not_fit_change_nothing(void **state)
{
    (void)state;
    struct pe_field f;
    struct perf_event_attr a = {.config = 0x1234};
    assert_int_equal(pe_field_parse("config:0-7,32-35", &f), LS_OK);
    assert_int_equal(pe_field_max(&f), 0xfff);
    assert_int_equal(pe_field_set(&f, "event", 0x1000, &a), LS_ERR_RANGE);
    assert_non_null(strstr(ls_last_error(), "event=4096"));
    assert_non_null(strstr(ls_last_error(), "4095"));
    assert_int_equal(a.config, 0x1234);
}

static void damaged_descriptions_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "config",
                                      "config:",
                                      "config:x",
                                      "config:0-",
                                      "config:7-0",
                                      "config:64",
                                      "config4:0",
                                      "config:0-7,",
                                      "config:0-7 ",
                                      "conf:0-7",
                                      "config:0,1,2,3,4,5,6,7,8",
                                      "config:000000001",
                                      "config:-1",
                                      "config1:0-64"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct pe_field f;
        if (pe_field_parse(bad[i], &f) != LS_ERR_FORMAT) fail_msg("'%s' was taken", bad[i]);
    }
}

static void periods_are_what_the_pmu_takes(void **state)
{
    (void)state;
    const struct pe_encoding e = {.period_min = 0x90, .period_max = 0x7fffff0, .period_step = 16};
    assert_int_equal(pe_period_fit(&e, 1), 0x90);
    assert_int_equal(pe_period_fit(&e, 0x90), 0x90);
    assert_int_equal(pe_period_fit(&e, 1001), 992);
    assert_int_equal(pe_period_fit(&e, UINT64_MAX), 0x7fffff0);
    const struct pe_encoding odd = {.period_min = 1000, .period_max = 5000, .period_step = 256};
    assert_int_equal(pe_period_fit(&odd, 10), 1024);
}

static void cpus_are_found_in_lists(void **state)
{
    (void)state;
    const struct pe_encoding e = {.cpus = "0-3,8,16-17"}, all = {.cpus = ""}, damaged = {.cpus = "1,3;5"};
    static const bool in[] = {1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0};
    for (unsigned cpu = 0; cpu < sizeof(in); cpu++)
        assert_int_equal(pe_encoding_has_cpu(&e, cpu), in[cpu]);
    assert_true(pe_encoding_has_cpu(&all, 1000));
    assert_true(pe_encoding_has_cpu(&damaged, 1));
    assert_false(pe_encoding_has_cpu(&damaged, 3)); /* nothing from where the damage is */
    assert_false(pe_encoding_has_cpu(&damaged, 5));
}

static const char *const *variables; /* name, value, ..., NULL */
static char *look_up(const char *name)
{
    for (const char *const *v = variables; *v; v += 2)
        if (strcmp(v[0], name) == 0) return (char *)v[1];
    return NULL;
}

static void variables_become_a_request(void **state)
{
    (void)state;
    static const char *const all[] = {"LOADSTONE_EVENT",
                                      "cpu/mem-loads/P",
                                      "LOADSTONE_HW_PERIOD",
                                      "5000",
                                      "LOADSTONE_LDLAT",
                                      "50",
                                      "LOADSTONE_STORES",
                                      "only",
                                      "LOADSTONE_SYSFS",
                                      "/elsewhere",
                                      NULL};
    struct pe_settings s;
    variables = all;
    assert_null(pe_settings_read(&s, look_up));
    assert_string_equal(s.request.event, "cpu/mem-loads/P");
    assert_string_equal(s.request.sysfs_root, "/elsewhere");
    assert_int_equal(s.request.period_events, 5000);
    assert_int_equal(s.request.ldlat_cycles, 50);
    assert_true(s.request.stores && !s.request.loads && s.request.user_only);
}

static void without_variables_loads_are_sampled(void **state)
{
    (void)state;
    static const char *const none[] = {NULL};
    struct pe_settings s;
    variables = none;
    assert_null(pe_settings_read(&s, look_up));
    assert_true(s.request.loads && !s.request.stores);
    assert_string_equal(s.request.event, "");
    assert_string_equal(s.request.sysfs_root, "/sys");
}

static void bad_variables_are_named_and_leave_the_default(void **state)
{
    (void)state;
    static const char *const rows[][3] = {{"LOADSTONE_STORES", "perhaps", NULL},
                                          {"LOADSTONE_LDLAT", "x", NULL},
                                          {"LOADSTONE_LDLAT", "5000000000", NULL},
                                          {"LOADSTONE_HW_FREQ", "-1", NULL}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pe_settings s;
        variables = rows[i];
        const char *bad = pe_settings_read(&s, look_up);
        assert_non_null(bad);
        assert_string_equal(bad, rows[i][0]);
        assert_true(s.request.loads && !s.request.stores && s.request.ldlat_cycles == 0 &&
                    s.request.freq_hz == 0);
    }
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_land_in_their_bits),
        cmocka_unit_test(values_that_do_not_fit_change_nothing),
        cmocka_unit_test(damaged_descriptions_are_refused),
        cmocka_unit_test(periods_are_what_the_pmu_takes),
        cmocka_unit_test(cpus_are_found_in_lists),
        cmocka_unit_test(variables_become_a_request),
        cmocka_unit_test(without_variables_loads_are_sampled),
        cmocka_unit_test(bad_variables_are_named_and_leave_the_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
