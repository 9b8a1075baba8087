/* SPDX-License-Identifier: BSD-3-Clause */
/* The cached calibration is used if it belongs to this machine, otherwise measured again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "machine/mach_calibration.h"
#include "machine/mach_isa.h"
#include "tests/unit.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char cache_dir[] = "/tmp/loadstone-test-cache.XXXXXX";
static struct mach_cpu cpu;
static struct mach_calibration here;
static char path[PATH_MAX];

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(cache_dir) || setenv("XDG_CACHE_HOME", cache_dir, 1) != 0) return -1;
    mach_cpu_identify(&cpu);
    here = (struct mach_calibration){.tsc_step_cycles = 2,
                                     .probe_cost_cycles = 40.5,
                                     .issue_width = 4.5,
                                     .core_cycle = 0.7,
                                     .fault_ns = 512,
                                     .huge_fault_ns = 180000,
                                     .fault_error = 0.125,
                                     .latency_cycles = {4.25, 14, 50, 300},
                                     .line_cycles = {1, 2.5, 6, 20},
                                     .line_cycles_all = 40,
                                     .cpus = 2};
    memcpy(here.cache_bytes, cpu.cache_bytes, sizeof(cpu.cache_bytes));
    if (mach_tsc_hz(5000000, &here.tsc_hz) != LS_OK) here.tsc_hz = 1000000000;
    mach_calibration_set_limits(&here);
    return mach_calibration_cache_path(&cpu, path, sizeof(path)) == LS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char sub[PATH_MAX];
    unlink(path);
    snprintf(sub, sizeof(sub), "%s/loadstone", cache_dir);
    rmdir(sub);
    return rmdir(cache_dir);
}

static void write_file(const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void read_file(char *out, size_t out_bytes)
{
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    out[fread(out, 1, out_bytes - 1, f)] = '\0';
    fclose(f);
}

static void a_stored_calibration_is_read_back(void **state)
{
    (void)state;
    struct mach_calibration back;
    assert_int_equal(mach_calibration_cache_store(&cpu, &here), LS_OK);
    assert_int_equal(mach_calibration_cache_load(&cpu, &back), LS_OK);
    assert_int_equal(back.tsc_hz, here.tsc_hz);
    assert_true(fabs(back.probe_cost_cycles - 40.5) < 1e-3);
    assert_int_equal(back.tsc_step_cycles, 2);
    for (int l = 0; l < MACH_LEVEL_COUNT; l++) {
        assert_true(fabs(back.latency_cycles[l] - here.latency_cycles[l]) < 1e-3);
        assert_true(back.limit_cycles[l] == here.limit_cycles[l]);
    }
}

/* Every single character that changes or is cut off, and whole wrong files, are refused or lead to a
 * calibration inside its bounds. */
static void a_truncated_file_is_refused_at_every_length(void **state)
{
    (void)state;
    char text[2048];
    assert_int_equal(mach_calibration_cache_store(&cpu, &here), LS_OK);
    read_file(text, sizeof(text));
    for (size_t len = strlen(text) - 1; len > 0; len--) {
        struct mach_calibration back = {.tsc_hz = 7};
        text[len - 1] = '\0'; /* one byte less each time; the line feed at the very end may be missing */
        write_file(text);
        assert_int_not_equal(mach_calibration_cache_load(&cpu, &back), LS_OK);
        assert_int_equal(back.tsc_hz, 7);
    }
}

static void a_damaged_line_is_refused(void **state)
{
    (void)state;
    static const char *const damages[][2] = {
        {"loadstone-calibration 5", "loadstone-calibration 9"},
        {"latency_millicycles ", "latency_millicycles -"},
        {"latency_millicycles ", "latency_millicycles 99999999 "},
        {"line_millicycles 1000", "line_millicycles 90000"},
        {"cpus 2", "cpus 0"},
        {"disturbed 0", "disturbed 99"},
        {"tsc_step_cycles 2", "tsc_step_cycles 0"},
        {"probe_cost_millicycles 40500", "probe_cost_millicycles nan"},
        {"issue_width_milli 4", "issue_width_milli 99999999999999999999994"},
        {"cache_bytes ", "cache_bytes 1"},
        {"\ncpu ", "\ncpu another "},
    };
    char text[2048], damaged[4096];
    assert_int_equal(mach_calibration_cache_store(&cpu, &here), LS_OK);
    read_file(text, sizeof(text));
    for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
        struct mach_calibration back;
        const char *at = strstr(text, damages[i][0]);
        assert_non_null(at);
        snprintf(damaged, sizeof(damaged), "%.*s%s%s", (int)(at - text), text, damages[i][1],
                 at + strlen(damages[i][0]));
        write_file(damaged);
        if (mach_calibration_cache_load(&cpu, &back) == LS_OK) fail_msg("accepted: %s", damages[i][1]);
    }
}

#if defined(__x86_64__)
static void a_corrupt_file_is_replaced_by_a_measurement(void **state)
{
    (void)state;
    struct mach_calibration c, again;
    write_file("loadstone-calibration 3\nrubbish\n");
    assert_int_equal(mach_calibration_get(&c), LS_OK);
    assert_true(c.latency_cycles[MACH_DRAM] > c.latency_cycles[MACH_L1]);
    assert_int_equal(mach_calibration_cache_load(&cpu, &again), LS_OK);
    assert_int_equal(again.tsc_hz, c.tsc_hz);
}

/* Another program ran beside the measurement: the next one improves it, until one was alone or all are done. */
static void a_disturbed_calibration_is_measured_again(void **state)
{
    (void)state;
    struct mach_calibration slow = here, c;
    slow.disturbed = 1;
    slow.line_cycles[MACH_DRAM] = slow.line_cycles_all = 50000;
    slow.latency_cycles[MACH_DRAM] = 90000;
    assert_int_equal(mach_calibration_cache_store(&cpu, &slow), LS_OK);
    assert_int_equal(mach_calibration_get(&c), LS_OK);
    assert_true(c.line_cycles[MACH_DRAM] < 5000);
    assert_true(c.latency_cycles[MACH_DRAM] < 9000);
    assert_true(c.latency_cycles[MACH_L1] <= here.latency_cycles[MACH_L1]);
    assert_true(c.disturbed == 0 || c.disturbed == 2);
    for (unsigned done = 0; done < 2; done++) {
        slow.disturbed = done ? MACH_CALIBRATIONS_MOST : 0;
        assert_int_equal(mach_calibration_cache_store(&cpu, &slow), LS_OK);
        assert_int_equal(mach_calibration_get(&c), LS_OK);
        assert_true(c.line_cycles[MACH_DRAM] == 50000);
    }
}

static void another_machines_clock_is_refused(void **state)
{
    (void)state;
    struct mach_calibration foreign = here, back;
    foreign.tsc_hz = here.tsc_hz * 2;
    assert_int_equal(mach_calibration_cache_store(&cpu, &foreign), LS_OK);
    assert_int_not_equal(mach_calibration_cache_load(&cpu, &back), LS_OK);
}

static void an_unwritable_cache_only_costs_time(void **state)
{
    (void)state;
    struct mach_calibration c;
    assert_int_equal(setenv("XDG_CACHE_HOME", "/proc/no-such-directory", 1), 0);
    assert_int_equal(mach_calibration_get(&c), LS_OK);
    assert_int_equal(setenv("XDG_CACHE_HOME", cache_dir, 1), 0);
}
#endif

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
        cmocka_unit_test(a_stored_calibration_is_read_back),
        cmocka_unit_test(another_machines_clock_is_refused),
        cmocka_unit_test(a_disturbed_calibration_is_measured_again),
        cmocka_unit_test(an_unwritable_cache_only_costs_time),
        cmocka_unit_test(a_corrupt_file_is_replaced_by_a_measurement),
#endif
        cmocka_unit_test(a_truncated_file_is_refused_at_every_length),
        cmocka_unit_test(a_damaged_line_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
