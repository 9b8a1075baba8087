/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/mach_cpu.h"

#include "common/ls_quantity.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CACHE_INDEX_MAX = 8 };

/* Copy the value after the colon of a /proc/cpuinfo line, without the line's end and with control characters
 * as spaces. */
static void copy_value(const char *line, char *out, size_t out_bytes)
{
    const char *value = strchr(line, ':');
    value = value ? value + 1 + strspn(value + 1, " \t") : "";
    snprintf(out, out_bytes, "%.*s", (int)strcspn(value, "\n"), value);
    for (char *c = out; *c; c++)
        if ((unsigned char)*c < ' ') *c = ' ';
}

struct cpuinfo {
    char name[64], family[16], model[16], stepping[16];
};

static void cpuinfo_take(struct cpuinfo *info, const char *line)
{
    const struct {
        const char *key;
        char *out;
        size_t out_bytes;
    } rows[] = {
        {"model name\t", info->name, sizeof(info->name)},
        {"cpu family\t", info->family, sizeof(info->family)},
        {"model\t", info->model, sizeof(info->model)},
        {"stepping\t", info->stepping, sizeof(info->stepping)},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strncmp(line, rows[i].key, strlen(rows[i].key)) == 0)
            copy_value(line, rows[i].out, rows[i].out_bytes);
}

static void identify_by_cpuinfo(struct mach_cpu *out)
{
    struct cpuinfo info = {.name = "unknown processor", .family = "?", .model = "?", .stepping = "?"};
    FILE *f = fopen("/proc/cpuinfo", "re");
    char line[512];
    /* an empty line ends the first processor */
    while (f && fgets(line, sizeof(line), f) && line[0] != '\n')
        cpuinfo_take(&info, line);
    if (f) fclose(f);
    snprintf(out->name, sizeof(out->name), "%s", info.name);
    snprintf(out->identity, sizeof(out->identity), "%s, family %s model %s stepping %s", info.name,
             info.family, info.model, info.stepping);
}

static bool read_cache_file(int index, const char *what, char *out, size_t out_bytes)
{
    char path[96];
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, what);
    FILE *f = fopen(path, "re");
    if (!f) return false;
    const bool ok = fgets(out, (int)out_bytes, f) != NULL;
    fclose(f);
    if (ok) out[strcspn(out, "\n")] = '\0';
    return ok;
}

static void caches_by_sysfs(struct mach_cpu *out)
{
    for (int i = 0; i < CACHE_INDEX_MAX; i++) {
        char level[16], type[32], size[32];
        uint64_t level_number = 0, bytes = 0;
        if (!read_cache_file(i, "level", level, sizeof(level)) ||
            !read_cache_file(i, "type", type, sizeof(type)) ||
            !read_cache_file(i, "size", size, sizeof(size)))
            continue;
        if (strcmp(type, "Instruction") == 0 || ls_parse_u64(level, &level_number) != LS_OK ||
            ls_parse_bytes(size, &bytes) != LS_OK)
            continue;
        if (level_number < 1 || level_number > MACH_CPU_CACHE_LEVELS) continue;
        out->cache_bytes[level_number - 1] = bytes;
        char ways[16];
        uint64_t number = 0;
        if (read_cache_file(i, "ways_of_associativity", ways, sizeof(ways)) &&
            ls_parse_u64(ways, &number) == LS_OK)
            out->cache_ways[level_number - 1] = (unsigned)number;
    }
}

static void caches_by_sysconf(struct mach_cpu *out)
{
    static const int names[MACH_CPU_CACHE_LEVELS] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
                                                     _SC_LEVEL3_CACHE_SIZE};
    for (int i = 0; i < MACH_CPU_CACHE_LEVELS; i++) {
        const long bytes = sysconf(names[i]);
        if (out->cache_bytes[i] == 0 && bytes > 0) out->cache_bytes[i] = (uint64_t)bytes;
    }
}

void mach_cpu_identify(struct mach_cpu *out)
{
    *out = (struct mach_cpu){0};
    identify_by_cpuinfo(out);
    caches_by_sysfs(out);
    caches_by_sysconf(out);
}
