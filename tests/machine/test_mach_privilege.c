/* SPDX-License-Identifier: BSD-3-Clause */
/* Containers, hypervisors and limits are recognised by their files, under a root directory of the test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/mach_privilege.h"
#include "tests/perf/machine_root.h"
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static char root[256];

static void put(const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof(full), "%s%s", root, path);
    for (char *slash = strchr(full + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(full, 0755);
        *slash = '/';
    }
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void take_away(const char *path)
{
    char full[512];
    snprintf(full, sizeof(full), "%s%s", root, path);
    unlink(full);
}

static const char *set_name, *set_value;
static char *look_up(const char *name)
{
    return set_name && strcmp(name, set_name) == 0 ? (char *)set_value : NULL;
}

static struct mach_privilege read_all(const char *name, const char *value)
{
    struct mach_privilege p;
    set_name = name;
    set_value = value;
    mach_privilege_read(root, look_up, &p);
    return p;
}

static void limits_are_read(void **state)
{
    (void)state;
    struct mach_privilege p = read_all(NULL, NULL);
    assert_int_equal(p.perf_event_paranoid, MACH_UNKNOWN);
    assert_string_equal(p.container, "");
    assert_string_equal(p.hypervisor, "");
    put("/proc/sys/kernel/perf_event_paranoid", "-1\n");
    put("/proc/sys/kernel/perf_event_mlock_kb", "516\n");
    put("/proc/sys/kernel/perf_event_max_sample_rate", "63000\n");
    put("/proc/sys/kernel/nmi_watchdog", "1\n");
    put("/proc/self/status", "Name:\tx\nUid:\t5\t5\t5\t5\nCapEff:\t0000004000000000\nSeccomp:\t2\n");
    p = read_all(NULL, NULL);
    assert_int_equal(p.perf_event_paranoid, -1);
    assert_int_equal(p.mlock_kib, 516);
    assert_int_equal(p.max_sample_rate_hz, 63000);
    assert_true(p.nmi_watchdog && p.cap_perfmon && !p.cap_sys_admin && p.seccomp);
    assert_true(p.files_max > 0);
    put("/proc/sys/kernel/perf_event_paranoid", "garbage\n");
    assert_int_equal(read_all(NULL, NULL).perf_event_paranoid, MACH_UNKNOWN);
}

static void the_kernel_is_the_running_one(void **state)
{
    (void)state;
    struct utsname name;
    char text[32];
    assert_int_equal(uname(&name), 0);
    const uint32_t k = mach_kernel_version();
    snprintf(text, sizeof(text), "%u.%u", k >> 16, k >> 8 & 0xff);
    assert_int_equal(strncmp(name.release, text, strlen(text)), 0);
}

static void containers_are_recognised_by_their_files(void **state)
{
    (void)state;
    static const struct {
        const char *path, *text, *variable, *value, *name;
    } rows[] = {
        {"/.dockerenv", "", NULL, NULL, "docker"},
        {"/run/.containerenv", "", NULL, NULL, "podman"},
        {"/run/systemd/container", "systemd-nspawn\n", NULL, NULL, "systemd-nspawn"},
        {"/run/systemd/container", "lxc\n", NULL, NULL, "lxc"},
        {"/proc/1/cgroup", "0::/kubepods/besteffort/pod1\n", NULL, NULL, "kubernetes"},
        {"/proc/1/cgroup", "12:cpu:/lxc/box\n", NULL, NULL, "lxc"},
        {"/proc/1/cgroup", "0::/init.scope\n", NULL, NULL, ""},
        {NULL, NULL, "container", "lxc", "lxc"},
        {NULL, NULL, "KUBERNETES_SERVICE_HOST", "10.0.0.1", "kubernetes"},
        {NULL, NULL, "APPTAINER_CONTAINER", "/x.sif", "apptainer"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].path) put(rows[i].path, rows[i].text);
        assert_string_equal(read_all(rows[i].variable, rows[i].value).container, rows[i].name);
        if (rows[i].path) take_away(rows[i].path);
    }
}

static void hypervisors_are_reported_by_the_cpu_and_named_by_the_firmware(void **state)
{
    (void)state;
    put("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu sse2 lm\n");
    assert_string_equal(read_all(NULL, NULL).hypervisor, "");
    put("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu sse2 hypervisor\nbugs\t\t:\n");
    assert_string_equal(read_all(NULL, NULL).hypervisor, "virtual machine");
    put("/sys/class/dmi/id/sys_vendor", "QEMU\n");
    assert_string_equal(read_all(NULL, NULL).hypervisor, "virtual machine (QEMU)");
    put("/proc/cpuinfo", "");
    assert_string_equal(read_all(NULL, NULL).hypervisor, "");
    put("/sys/hypervisor/type", "xen\n");
    assert_string_equal(read_all(NULL, NULL).hypervisor, "virtual machine (QEMU)");
}

static int make_root(void **state)
{
    (void)state;
    snprintf(root, sizeof(root), "%s/loadstone-root-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    struct machine_root m;
    (void)state;
    snprintf(m.path, sizeof(m.path), "%s", root);
    machine_root_fini(&m);
    return 0;
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_read),
        cmocka_unit_test(the_kernel_is_the_running_one),
        cmocka_unit_test(containers_are_recognised_by_their_files),
        cmocka_unit_test(hypervisors_are_reported_by_the_cpu_and_named_by_the_firmware),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
