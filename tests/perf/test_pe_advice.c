/* SPDX-License-Identifier: BSD-3-Clause */
/* Every error of perf_event_open and its ring comes with its cause here and the command that helps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/pe_advice.h"
#include "tests/unit.h"

#include <errno.h>
#include <linux/version.h>
#include <stdio.h>
#include <string.h>

static const struct perf_event_attr pebs = {.type = 4,
                                            .size = 128,
                                            .config = 0x1cd,
                                            .config1 = 3,
                                            .precise_ip = 2,
                                            .sample_period = 1000,
                                            .exclude_kernel = 1,
                                            .exclude_hv = 1};
static const struct perf_event_attr ibs = {
    .type = 9, .size = 128, .config = 0x80000, .sample_period = 0x1000};

static struct mach_privilege machine(void)
{
    return (struct mach_privilege){.kernel = KERNEL_VERSION(6, 1, 0),
                                   .perf_event_paranoid = 2,
                                   .mlock_kib = 516,
                                   .max_sample_rate_hz = 100000,
                                   .files_max = 1024};
}

static struct pe_advice advise(int error, enum pe_call call, const struct pe_facts *f)
{
    struct pe_advice a;
    pe_advise(error, call, f, &a);
    return a;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("no '%s' in '%s'", part, text);
}

static void paranoid_is_reported_with_its_value_and_the_exact_sysctl(void **state)
{
    (void)state;
    static const struct {
        int64_t level;
        bool cpu_wide, kernel_too;
        const char *cause, *remedy;
    } rows[] = {
        {3, false, false, "paranoid is 3", "sudo sysctl kernel.perf_event_paranoid=2"},
        {4, false, true, "CAP_PERFMON is not enough", "sudo sysctl kernel.perf_event_paranoid=1"},
        {2, false, true, "paranoid is 2", "sudo sysctl kernel.perf_event_paranoid=1"},
        {1, true, true, "whole CPUs needs 0", "sudo sysctl kernel.perf_event_paranoid=0"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct mach_privilege m = machine();
        struct perf_event_attr attr = pebs;
        m.perf_event_paranoid = rows[i].level;
        attr.exclude_kernel = !rows[i].kernel_too;
        const struct pe_facts f = {.machine = &m, .pmu = "cpu", .attr = &attr, .cpu_wide = rows[i].cpu_wide};
        const struct pe_advice a = advise(EACCES, PE_AT_OPEN, &f);
        has(a.cause, rows[i].cause);
        has(a.remedy, rows[i].remedy);
    }
}

static void a_capability_that_debian_ignores_is_not_praised(void **state)
{
    (void)state;
    struct mach_privilege m = machine();
    m.perf_event_paranoid = 3;
    m.cap_perfmon = true;
    const struct pe_facts f = {.machine = &m, .pmu = "cpu", .attr = &pebs};
    has(advise(EACCES, PE_AT_OPEN, &f).cause, "CAP_SYS_ADMIN");
    m.perf_event_paranoid = 2;
    has(advise(EACCES, PE_AT_OPEN, &f).cause, "security module");
}

static void each_container_gets_its_own_words(void **state)
{
    (void)state;
    static const struct {
        const char *name, *remedy;
    } rows[] = {{"docker", "docker run --cap-add PERFMON"},
                {"podman", "podman run --cap-add PERFMON"},
                {"kubernetes", "securityContext"},
                {"lxc", "lxc.seccomp.profile"},
                {"systemd-nspawn", "--capability=CAP_PERFMON"},
                {"apptainer", "on the host"},
                {"something else", "CAP_PERFMON"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct mach_privilege m = machine();
        snprintf(m.container, sizeof(m.container), "%s", rows[i].name);
        m.seccomp = true;
        const struct pe_facts f = {.machine = &m, .pmu = "cpu", .attr = &pebs};
        const struct pe_advice a = advise(EPERM, PE_AT_OPEN, &f);
        has(a.cause, rows[i].name);
        has(a.remedy, rows[i].remedy);
    }
}

static void eperm_of_a_mapping_is_about_locked_memory(void **state)
{
    (void)state;
    struct mach_privilege m = machine();
    snprintf(m.container, sizeof(m.container), "docker");
    const struct pe_facts f = {.machine = &m, .pmu = "cpu", .attr = &pebs, .ring_kib = 4100};
    const struct pe_advice a = advise(EPERM, PE_AT_MMAP, &f);
    has(a.cause, "4100 KiB");
    has(a.cause, "516");
    has(a.remedy, "kernel.perf_event_mlock_kb=8200");
    has(advise(EPERM, PE_AT_MMAP_AUX, &f).cause, "locked memory");
}

static void a_missing_pmu_is_reported_apart_from_a_hidden_one(void **state)
{
    (void)state;
    struct mach_privilege m = machine();
    const struct pe_facts f = {.machine = &m, .pmu = "cpu", .attr = &pebs};
    has(advise(ENOENT, PE_AT_OPEN, &f).cause, "no driver");
    has(advise(EOPNOTSUPP, PE_AT_OPEN, &f).cause, "max_precise");
    snprintf(m.hypervisor, sizeof(m.hypervisor), "virtual machine (QEMU)");
    has(advise(ENOENT, PE_AT_OPEN, &f).cause, "virtual machine (QEMU)");
    has(advise(ENOENT, PE_AT_OPEN, &f).remedy, "-cpu host,pmu=on");
    has(advise(EOPNOTSUPP, PE_AT_OPEN, &f).cause, "PEBS is not exposed");
    has(advise(EOPNOTSUPP, PE_AT_OPEN, &f).remedy, "on the host");
}

struct field_row {
    const char *pmu;
    struct perf_event_attr attr;
    uint32_t kernel;
    bool swfilt;
    const char *cause;
};

static void einval_names_the_field(void **state)
{
    (void)state;
    struct field_row rows[] = {
        {"ibs_op", ibs, KERNEL_VERSION(6, 8, 0), false, "multiple of 16"},
        {"ibs_op", ibs, KERNEL_VERSION(6, 15, 0), false, "144"},
        {"ibs_op", ibs, KERNEL_VERSION(6, 8, 0), false, "exclude_kernel"},
        {"ibs_op", ibs, KERNEL_VERSION(6, 14, 0), true, "does not take config"},
        {"ibs_op", ibs, KERNEL_VERSION(6, 1, 0), false, "pid names a task"},
        {"ibs_op", ibs, KERNEL_VERSION(6, 15, 0), false, "ldlat"},
        {"ibs_op", ibs, KERNEL_VERSION(6, 15, 0), false, "exclude_idle"},
        {"arm_spe_0",
         {.type = 9, .freq = 1, .sample_freq = 100},
         KERNEL_VERSION(6, 1, 0),
         false,
         "freq is set"},
        {"cpu", pebs, KERNEL_VERSION(6, 1, 0), false, "only counts"},
        {"cpu", pebs, KERNEL_VERSION(6, 1, 0), false, "perf_event_max_sample_rate"},
        {"cpu", pebs, KERNEL_VERSION(5, 10, 0), false, "WEIGHT_STRUCT"},
        {"cpu", pebs, KERNEL_VERSION(5, 10, 0), false, "DATA_PAGE_SIZE"},
        {"cpu", pebs, KERNEL_VERSION(5, 10, 0), false, "remove_on_exec"},
        {"cpu", pebs, KERNEL_VERSION(5, 15, 0), false, "read_format"},
        {"cpu", pebs, KERNEL_VERSION(6, 1, 0), false, "PERF_SAMPLE_READ"},
        {"cpu", pebs, KERNEL_VERSION(6, 1, 0), false, "highest bit"},
        {"cpu", pebs, KERNEL_VERSION(6, 1, 0), false, "clockid"},
        {"cpu", pebs, KERNEL_VERSION(6, 1, 0), false, "config 0x1cd, config1 0x3"},
    };
    rows[0].attr.sample_period = 1001;
    rows[1].attr.sample_period = 0x80;
    rows[2].attr.exclude_kernel = 1;
    rows[3].attr.exclude_kernel = 1;
    rows[3].attr.config2 = 1;
    rows[5].attr.config1 = 64;
    rows[6].attr.exclude_idle = 1;
    rows[8].attr.sample_period = 0;
    rows[9].attr.freq = 1;
    rows[9].attr.sample_freq = 200000;
    rows[10].attr.sample_type = PERF_SAMPLE_WEIGHT_STRUCT;
    rows[11].attr.sample_type = PERF_SAMPLE_DATA_PAGE_SIZE;
    rows[12].attr.remove_on_exec = 1;
    rows[13].attr.read_format = PERF_FORMAT_LOST;
    rows[14].attr.inherit = 1;
    rows[14].attr.sample_type = PERF_SAMPLE_READ;
    rows[15].attr.sample_period = UINT64_C(1) << 63;
    rows[16].attr.use_clockid = 1;
    rows[16].attr.clockid = 7; /* CLOCK_BOOTTIME */
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct mach_privilege m = machine();
        m.kernel = rows[i].kernel;
        const struct pe_facts f = {
            .machine = &m, .pmu = rows[i].pmu, .attr = &rows[i].attr, .ibs_filters = rows[i].swfilt};
        const struct pe_advice a = advise(EINVAL, PE_AT_OPEN, &f);
        has(a.cause, rows[i].cause);
        assert_true(*a.remedy);
    }
}

static void einval_of_a_mapping_knows_inherited_events(void **state)
{
    (void)state;
    struct mach_privilege m = machine();
    struct perf_event_attr attr = pebs;
    attr.inherit = 1;
    const struct pe_facts f = {
        .machine = &m, .pmu = "cpu", .attr = &attr, .per_thread = true, .ring_kib = 12};
    has(advise(EINVAL, PE_AT_MMAP, &f).cause, "inherit");
    attr.inherit = 0;
    has(advise(EINVAL, PE_AT_MMAP, &f).cause, "power of two");
    has(advise(EINVAL, PE_AT_MMAP_AUX, &f).cause, "aux_size");
}

static void other_errors_have_a_remedy(void **state)
{
    (void)state;
    static const struct {
        int error;
        const char *cause, *remedy;
    } rows[] = {
        {EMFILE, "1024 file descriptors", "ulimit -n 4096"},
        {ENFILE, "system", "fs.file-max"},
        {EBUSY, "NMI watchdog", "kernel.nmi_watchdog=0"},
        {ENODATA, "mem-loads-aux", "{cpu/mem-loads-aux/,cpu/mem-loads,ldlat=30/}:P"},
        {E2BIG, "128 bytes", "newer kernel"},
        {ENOSYS, "no perf events", "CONFIG_PERF_EVENTS"},
        {ENOMEM, "no memory", "smaller ring"},
        {ENOSPC, "no room", "fewer"},
        {EOVERFLOW, "sample_max_stack", "perf_event_max_stack"},
        {ENODEV, "offline", "online"},
    };
    struct mach_privilege m = machine();
    m.nmi_watchdog = true;
    const struct pe_facts f = {.machine = &m, .pmu = "cpu", .attr = &pebs};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct pe_advice a = advise(rows[i].error, PE_AT_OPEN, &f);
        has(a.cause, rows[i].cause);
        has(a.remedy, rows[i].remedy);
    }
    m.nmi_watchdog = false;
    assert_null(strstr(advise(EBUSY, PE_AT_OPEN, &f).cause, "NMI"));
    has(advise(EIO, PE_AT_OPEN, &f).cause, strerror(EIO));
}

static void unknown_values_are_accepted_and_texts_end(void **state)
{
    (void)state;
    static const enum pe_call calls[] = {PE_AT_OPEN, PE_AT_MMAP, PE_AT_MMAP_AUX, PE_AT_ENABLE};
    struct mach_privilege m;
    memset(&m, 0, sizeof(m));
    const struct pe_facts f = {.machine = &m};
    for (int error = 1; error < 134; error++)
        for (size_t p = 0; p < 4; p++) {
            const struct pe_advice a = advise(error, calls[p], &f);
            assert_true(*a.cause);
            assert_true(strlen(a.cause) < sizeof(a.cause) - 1 && strlen(a.remedy) < sizeof(a.remedy) - 1);
        }
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paranoid_is_reported_with_its_value_and_the_exact_sysctl),
        cmocka_unit_test(a_capability_that_debian_ignores_is_not_praised),
        cmocka_unit_test(each_container_gets_its_own_words),
        cmocka_unit_test(eperm_of_a_mapping_is_about_locked_memory),
        cmocka_unit_test(a_missing_pmu_is_reported_apart_from_a_hidden_one),
        cmocka_unit_test(einval_names_the_field),
        cmocka_unit_test(einval_of_a_mapping_knows_inherited_events),
        cmocka_unit_test(other_errors_have_a_remedy),
        cmocka_unit_test(unknown_values_are_accepted_and_texts_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
