/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_devices_sigsafe.h"

#include <string.h>

struct prefix_row {
    const char *prefix;
    bool is_device;
};

/* First match decides. */
static const struct prefix_row prefixes[] = {
    {"/dev/shm/", false}, {"/dev/zero", false},  {"/dev/hugepages/", false}, {"/dev/", true},
    {"/sys/", true},      {"anon_inode:", true}, {"/dmabuf:", true},         {"/drm ", true},
};

bool rt_burst_path_is_device(const char *path, size_t len_bytes)
{
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        const size_t n = strlen(prefixes[i].prefix);
        if (len_bytes >= n && memcmp(path, prefixes[i].prefix, n) == 0) return prefixes[i].is_device;
    }
    return false;
}

/* The number of bytes that range i grows by when it is made to contain [base, end). */
static uint64_t growth(const struct rt_burst_devices *d, uint32_t i, uint64_t base, uint64_t end)
{
    const uint64_t low = d->ranges[i].base, high = d->ranges[i].end;
    return (base < low ? low - base : 0) + (end > high ? end - high : 0);
}

/* Readers see the range grow at one end after the other: what it contained stays in it. */
static void grow(struct rt_burst_devices *d, uint32_t i, uint64_t base, uint64_t end)
{
    if (base < d->ranges[i].base) __atomic_store_n(&d->ranges[i].base, base, __ATOMIC_RELAXED);
    if (end > d->ranges[i].end) __atomic_store_n(&d->ranges[i].end, end, __ATOMIC_RELAXED);
}

void rt_burst_devices_add(struct rt_burst_devices *d, uint64_t base, uint64_t end)
{
    const uint32_t n = d->count;
    uint32_t nearest = 0;
    for (uint32_t i = 0; i < n; i++)
        if (growth(d, i, base, end) < growth(d, nearest, base, end)) nearest = i;
    const bool touches = n && base <= d->ranges[nearest].end && end >= d->ranges[nearest].base;
    if (touches || n == RT_BURST_DEVICES_MAX) {
        grow(d, nearest, base, end);
        return;
    }
    d->ranges[n].base = base;
    d->ranges[n].end = end;
    __atomic_store_n(&d->count, n + 1, __ATOMIC_RELEASE);
}

static const char *hex(const char *p, const char *end, uint64_t *out)
{
    uint64_t v = 0;
    for (; p < end; p++) {
        const char c = *p;
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0) break;
        v = v << 4 | (uint64_t)digit;
    }
    *out = v;
    return p;
}

/* base-end perms offset dev inode path */
enum { FIELDS_BEFORE_PATH = 5 };

static const char *path_of_line(const char *p, const char *end)
{
    for (int field = 0; field < FIELDS_BEFORE_PATH; field++) {
        while (p < end && *p != ' ')
            p++;
        while (p < end && *p == ' ')
            p++;
    }
    return p;
}

static void scan_line(struct rt_burst_devices *d, const char *line, const char *end)
{
    uint64_t base, limit;
    const char *p = hex(line, end, &base);
    if (p == end || *p != '-') return;
    hex(p + 1, end, &limit);
    const char *path = path_of_line(line, end);
    if (rt_burst_path_is_device(path, (size_t)(end - path))) rt_burst_devices_add(d, base, limit);
}

void rt_burst_devices_scan(struct rt_burst_devices *d, const char *maps, size_t len_bytes)
{
    const char *end = maps + len_bytes;
    while (maps < end) {
        const char *newline = memchr(maps, '\n', (size_t)(end - maps));
        const char *line_end = newline ? newline : end;
        scan_line(d, maps, line_end);
        maps = line_end + 1;
    }
}

bool rt_burst_devices_may_probe(const struct rt_burst_devices *d, uint64_t addr)
{
    const uint32_t n = __atomic_load_n(&d->count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++)
        if (addr >= __atomic_load_n(&d->ranges[i].base, __ATOMIC_RELAXED) &&
            addr < __atomic_load_n(&d->ranges[i].end, __ATOMIC_RELAXED))
            return false;
    return true;
}
