/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_sysfs.h"

#include "common/ls_compat.h"
#include "common/ls_file.h"
#include "common/ls_quantity.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

enum { PE_PATH_BYTES = 512, PE_LISTING_BYTES = 4096, PE_NAMES_MAX = 64 };

/* The record of getdents64(2); the C library's opendir would allocate. */
struct pe_dirent {
    uint64_t inode;
    int64_t offset;
    uint16_t record_bytes;
    uint8_t kind;
    char name[];
};

static bool pe_sysfs_path(const struct pe_sysfs *s, const char *pmu, const char *name,
                          char out[PE_PATH_BYTES])
{
    const int n = snprintf(out, PE_PATH_BYTES, "%s/bus/event_source/devices%s%s%s%s", s->root,
                           *pmu ? "/" : "", pmu, *name ? "/" : "", name);
    return n > 0 && n < PE_PATH_BYTES;
}

/* Reject names from the user that would lead out of the folder: names become parts of a path. */
static bool pe_is_plain_name(const char *name)
{
    return *name && !strstr(name, "..") && strspn(name, "/") == 0;
}

bool pe_sysfs_text(const struct pe_sysfs *s, const char *pmu, const char *name, char *out, size_t out_bytes)
{
    char path[PE_PATH_BYTES];
    if (!pe_is_plain_name(pmu) || !pe_is_plain_name(name) || !pe_sysfs_path(s, pmu, name, path)) return false;
    const size_t len = ls_file_read(path, out, out_bytes), line = strcspn(out, "\n");
    if (line == len && len + 1 == out_bytes) return false; /* longer than the room */
    out[line] = '\0';
    return *out != '\0';
}

bool pe_sysfs_has(const struct pe_sysfs *s, const char *pmu, const char *name)
{
    char path[PE_PATH_BYTES];
    if (!pe_is_plain_name(pmu) || !pe_is_plain_name(name) || !pe_sysfs_path(s, pmu, name, path)) return false;
    return ls_syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
}

bool pe_sysfs_number(const struct pe_sysfs *s, const char *pmu, const char *name, uint64_t *out)
{
    char text[64];
    return pe_sysfs_text(s, pmu, name, text, sizeof(text)) && ls_parse_u64(text, out) == LS_OK;
}

bool pe_sysfs_midr(const struct pe_sysfs *s, unsigned cpu, uint64_t *out)
{
    char path[PE_PATH_BYTES], text[64];
    const int n = snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu%u/regs/identification/midr_el1",
                           s->root, cpu);
    if (n < 0 || n >= PE_PATH_BYTES) return false;
    ls_file_read(path, text, sizeof(text));
    text[strcspn(text, "\n")] = '\0';
    return ls_parse_u64(text, out) == LS_OK;
}

void pe_sysfs_pmus(const struct pe_sysfs *s, char *out, size_t out_bytes)
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < s->pmus_len && used < out_bytes; i++)
        used += (size_t)snprintf(out + used, out_bytes - used, "%s%s", used ? ", " : "", s->pmus[i]);
}

ls_err pe_sysfs_type(const struct pe_sysfs *s, const char *pmu, uint32_t *out)
{
    uint64_t type = 0;
    char known[160];
    if (pe_sysfs_number(s, pmu, "type", &type) && type <= UINT32_MAX) {
        *out = (uint32_t)type;
        return LS_OK;
    }
    pe_sysfs_pmus(s, known, sizeof(known));
    return ls_fail(LS_ERR_NOT_FOUND, "the kernel knows no PMU '%s'; for the processor there %s %s", pmu,
                   s->pmus_len == 1 ? "is" : "are", *known ? known : "none");
}

void pe_sysfs_cpus(const struct pe_sysfs *s, const char *pmu, char out[PE_CPUS_BYTES])
{
    /* hybrid cores have "cpus", SPE has "cpumask" */
    if (!pe_sysfs_text(s, pmu, "cpus", out, PE_CPUS_BYTES) &&
        !pe_sysfs_text(s, pmu, "cpumask", out, PE_CPUS_BYTES))
        out[0] = '\0';
}

/* Call back with each name in a folder. 0, or a negative errno. */
typedef void (*pe_name_taker)(void *user, const char *name);
static long pe_each_name(const char *path, pe_name_taker take, void *user)
{
    _Alignas(struct pe_dirent) char buffer[PE_LISTING_BYTES];
    const int fd = (int)ls_syscall(SYS_openat, AT_FDCWD, path, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    if (fd < 0) return fd;
    long got;
    while ((got = ls_syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0)
        for (long at = 0; at < got;) {
            const struct pe_dirent *d = (const struct pe_dirent *)(buffer + at);
            if (d->name[0] != '.') take(user, d->name);
            at += d->record_bytes;
        }
    ls_syscall(SYS_close, fd);
    return got;
}

static bool pe_is_core_pmu(const char *name)
{
    static const char *const patterns[] = {"cpu", "cpu_*", "ibs_op", "arm_spe_*", "armv[89]*", "armv8_*"};
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
        if (fnmatch(patterns[i], name, 0) == 0) return true;
    return false;
}

static void pe_take_pmu(void *user, const char *name)
{
    struct pe_sysfs *s = user;
    if (!pe_is_core_pmu(name) || strlen(name) >= PE_PMU_BYTES || s->pmus_len == PE_PMUS_MAX) return;
    unsigned at = s->pmus_len++;
    for (; at > 0 && strcmp(s->pmus[at - 1], name) > 0; at--)
        memcpy(s->pmus[at], s->pmus[at - 1], PE_PMU_BYTES);
    strcpy(s->pmus[at], name); /* shorter than PE_PMU_BYTES, see above */
}

ls_err pe_sysfs_list(const char *root, struct pe_sysfs *out)
{
    char path[PE_PATH_BYTES];
    memset(out, 0, sizeof(*out));
    out->root = root ? root : "/sys";
    if (!pe_sysfs_path(out, "", "", path))
        return ls_fail(LS_ERR_ARG, "the path of sysfs is too long: %.80s...", out->root);
    const long got = pe_each_name(path, pe_take_pmu, out);
    if (got < 0 && got != -ENOENT) return ls_fail_errno((int)-got, "cannot list the PMUs in %s", path);
    return LS_OK;
}

struct pe_names {
    char names[PE_NAMES_MAX][PE_PMU_BYTES];
    unsigned len;
    bool more;
};

static void pe_take_name(void *user, const char *name)
{
    struct pe_names *n = user;
    const size_t len = strlen(name);
    /* mem-loads.scale, mem-loads.unit: not events */
    if (strchr(name, '.')) return;
    if (n->len == PE_NAMES_MAX || len >= PE_PMU_BYTES) {
        n->more = true;
        return;
    }
    unsigned at = n->len++;
    for (; at > 0 && strcmp(n->names[at - 1], name) > 0; at--)
        memcpy(n->names[at], n->names[at - 1], PE_PMU_BYTES);
    memcpy(n->names[at], name, len + 1);
}

void pe_sysfs_names(const struct pe_sysfs *s, const char *pmu, const char *folder, char *out,
                    size_t out_bytes)
{
    struct pe_names names = {.len = 0};
    char path[PE_PATH_BYTES], joined[96];
    size_t used = 0;
    out[0] = '\0';
    snprintf(joined, sizeof(joined), "%s/%s", pmu, folder);
    if (!pe_sysfs_path(s, joined, "", path) || pe_each_name(path, pe_take_name, &names) < 0) return;
    for (unsigned i = 0; i < names.len; i++) {
        const int n = snprintf(out + used, out_bytes - used, "%s%s", used ? ", " : "", names.names[i]);
        if (n < 0 || (size_t)n + 5 >= out_bytes - used) {
            snprintf(out + used, out_bytes - used, ", ...");
            return;
        }
        used += (size_t)n;
    }
    if (names.more && used + 6 < out_bytes) snprintf(out + used, out_bytes - used, ", ...");
}
