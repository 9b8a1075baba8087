/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/mach_privilege.h"

#include "common/ls_file.h"

#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
    MACH_PATH_BYTES = 512,
    MACH_CAP_PERFMON = 38, /* linux/capability.h since 5.8 */
    MACH_CPUINFO_BYTES = 8192
};

static const char *mach_path(const char *root, const char *path, char out[MACH_PATH_BYTES])
{
    snprintf(out, MACH_PATH_BYTES, "%s%s", root, path);
    return out;
}

static int64_t mach_sysctl(const char *root, const char *name)
{
    char path[MACH_PATH_BYTES], file[96];
    int64_t value = MACH_UNKNOWN;
    snprintf(file, sizeof(file), "/proc/sys/kernel/%s", name);
    ls_file_number(mach_path(root, file, path), &value);
    return value;
}

uint32_t mach_kernel_version(void)
{
    struct utsname name;
    unsigned long parts[3] = {0, 0, 0};
    if (uname(&name) != 0) return 0;
    char *at = name.release;
    for (int i = 0; i < 3; i++) {
        char *end;
        parts[i] = strtoul(at, &end, 10);
        if (end == at || *end != '.') break;
        at = end + 1;
    }
    return (uint32_t)((parts[0] << 16) + (parts[1] << 8) + (parts[2] > 255 ? 255 : parts[2]));
}

/* Return the text after "KEY:" at the start of a line; "" when it is missing. */
static const char *mach_value(const char *text, const char *key)
{
    const size_t len = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, len) == 0) return line + len;
    }
    return "";
}

static void mach_read_status(const char *root, struct mach_privilege *p)
{
    char path[MACH_PATH_BYTES], status[4096];
    ls_file_read(mach_path(root, "/proc/self/status", path), status, sizeof(status));
    const unsigned long long caps = strtoull(mach_value(status, "CapEff:"), NULL, 16);
    p->cap_perfmon = caps >> MACH_CAP_PERFMON & 1;
    p->cap_sys_admin = caps >> CAP_SYS_ADMIN & 1;
    p->seccomp = atoi(mach_value(status, "Seccomp:")) != 0;
    p->is_root = geteuid() == 0;
}

static void mach_name(char out[48], const char *name)
{
    snprintf(out, 48, "%.*s", (int)strcspn(name, "\n"), name);
}

/* The environment is tested first: docker also makes the containers of pods. */
static bool mach_container_by_env(char *(*get)(const char *), char out[48])
{
    static const struct {
        const char *variable, *name; /* name NULL: the variable's value */
    } rows[] = {{"KUBERNETES_SERVICE_HOST", "kubernetes"},
                {"APPTAINER_CONTAINER", "apptainer"},
                {"SINGULARITY_CONTAINER", "apptainer"},
                {"container", NULL}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *value = get(rows[i].variable);
        if (!value || !*value) continue;
        mach_name(out, rows[i].name ? rows[i].name : value);
        return true;
    }
    return false;
}

static bool mach_container_by_file(const char *root, char out[48])
{
    static const struct {
        const char *path, *name; /* name NULL: the file's text */
    } rows[] = {{"/run/systemd/container", NULL},
                {"/run/.containerenv", "podman"},
                {"/.dockerenv", "docker"},
                {"/var/run/secrets/kubernetes.io", "kubernetes"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char path[MACH_PATH_BYTES], text[48];
        mach_path(root, rows[i].path, path);
        if (access(path, F_OK) != 0) continue;
        if (!rows[i].name) ls_file_read(path, text, sizeof(text));
        mach_name(out, rows[i].name ? rows[i].name : *text ? text : "container");
        return true;
    }
    return false;
}

static void mach_container_by_cgroup(const char *root, char out[48])
{
    static const struct {
        const char *part, *name;
    } rows[] = {{"kubepods", "kubernetes"},
                {"docker", "docker"},
                {"libpod", "podman"},
                {"containerd", "containerd"},
                {"/lxc", "lxc"}};
    char path[MACH_PATH_BYTES], text[2048];
    ls_file_read(mach_path(root, "/proc/1/cgroup", path), text, sizeof(text));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strstr(text, rows[i].part)) {
            mach_name(out, rows[i].name);
            return;
        }
}

static void mach_find_container(const char *root, char *(*get)(const char *), struct mach_privilege *p)
{
    if (mach_container_by_env(get, p->container) || mach_container_by_file(root, p->container)) return;
    mach_container_by_cgroup(root, p->container);
}

/* The CPU flag (x86) or Xen reports that there is a hypervisor, the firmware may name it. */
static void mach_find_hypervisor(const char *root, struct mach_privilege *p)
{
    char path[MACH_PATH_BYTES], text[MACH_CPUINFO_BYTES];
    ls_file_read(mach_path(root, "/proc/cpuinfo", path), text, sizeof(text));
    char flags[4096];
    const char *value = mach_value(text, "flags");
    snprintf(flags, sizeof(flags), "%.*s ", (int)strcspn(value, "\n"), value);
    const bool is_flagged = strstr(flags, " hypervisor ") != NULL;
    ls_file_read(mach_path(root, "/sys/hypervisor/type", path), text, sizeof(text));
    if (!is_flagged && !*text) return;
    ls_file_read(mach_path(root, "/sys/class/dmi/id/sys_vendor", path), text, sizeof(text));
    text[strcspn(text, "\n")] = '\0';
    if (*text)
        snprintf(p->hypervisor, sizeof(p->hypervisor), "virtual machine (%.28s)", text);
    else
        mach_name(p->hypervisor, "virtual machine");
}

void mach_privilege_read(const char *root, char *(*get)(const char *name), struct mach_privilege *out)
{
    struct rlimit files;
    memset(out, 0, sizeof(*out));
    out->kernel = mach_kernel_version();
    out->perf_event_paranoid = mach_sysctl(root, "perf_event_paranoid");
    out->mlock_kib = mach_sysctl(root, "perf_event_mlock_kb");
    out->max_sample_rate_hz = mach_sysctl(root, "perf_event_max_sample_rate");
    out->nmi_watchdog = mach_sysctl(root, "nmi_watchdog") == 1;
    out->files_max = getrlimit(RLIMIT_NOFILE, &files) == 0 ? files.rlim_cur : 0;
    mach_read_status(root, out);
    mach_find_container(root, get, out);
    mach_find_hypervisor(root, out);
}
