/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kn_memory.h"

#include <errno.h>
#include <hwloc.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- blocks ---- */

enum { HUGE_PAGE_BYTES = 2 << 20 };

static const int advice_of[KN_PAGES_COUNT] = {
    [KN_PAGES_HUGE] = MADV_HUGEPAGE, [KN_PAGES_SMALL] = MADV_NOHUGEPAGE};

ls_err kn_block_init(struct kn_block *out, size_t len_bytes, enum kn_pages pages)
{
    *out = (struct kn_block){0};
    if (len_bytes == 0) return LS_OK;
    const size_t align = len_bytes >= HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : (size_t)sysconf(_SC_PAGESIZE);
    if (len_bytes > SIZE_MAX - 2 * align)
        return ls_fail(LS_ERR_NOMEM, "%zu bytes do not fit the address space", len_bytes);
    const size_t mapping_bytes = len_bytes + align;
    void *p =
        mmap(NULL, mapping_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return ls_nomem("an array of %zu bytes: %s", len_bytes, strerror(errno));
    const uintptr_t at = ((uintptr_t)p + align - 1) / align * align;
    *out = (struct kn_block){(void *)at, len_bytes, p, mapping_bytes};
    /* refused by kernels without transparent huge pages; kn_block_huge_bytes reports the result */
    if (pages != KN_PAGES_DEFAULT) (void)madvise(p, mapping_bytes, advice_of[pages]);
    return LS_OK;
}

void kn_block_fini(struct kn_block *b)
{
    if (b->mapping) munmap(b->mapping, b->mapping_bytes);
    *b = (struct kn_block){0};
}

/* Count every range that overlaps the block, because the kernel may have split or merged the mapping. */
uint64_t kn_block_huge_bytes(const struct kn_block *b)
{
    FILE *f = b->base ? fopen("/proc/self/smaps", "re") : NULL;
    if (!f) return 0;
    const uintptr_t begin = (uintptr_t)b->base, end = begin + b->len_bytes;
    char line[512];
    bool ours = false;
    uint64_t kib = 0;
    while (fgets(line, sizeof(line), f)) {
        uintptr_t low, high;
        uint64_t n;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &low, &high) == 2)
            ours = low < end && high > begin;
        else if (ours && sscanf(line, "AnonHugePages: %" SCNu64, &n) == 1)
            kib += n;
    }
    fclose(f);
    const uint64_t bytes = kib * 1024;
    return bytes < b->len_bytes ? bytes : b->len_bytes; /* a merged neighbour may have added its own */
}

static uint64_t first_number_of(const char *path)
{
    FILE *f = fopen(path, "re");
    uint64_t n = UINT64_MAX;
    if (!f) return n;
    if (fscanf(f, "%" SCNu64, &n) != 1) n = UINT64_MAX; /* "max" */
    fclose(f);
    return n;
}

static uint64_t mem_available(void)
{
    FILE *f = fopen("/proc/meminfo", "re");
    uint64_t kib = UINT64_MAX;
    char line[256];
    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1) break;
    if (f) fclose(f);
    return kib == UINT64_MAX ? kib : kib * 1024;
}

struct group_files {
    const char *limit, *used;
};

/* Files of the cgroup: in a container they are its own; outside they belong to the root, which has no limit. */
static const struct group_files groups[] = {
    {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
    {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"},
};

uint64_t kn_memory_available_bytes(void)
{
    uint64_t least = mem_available();
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        const uint64_t limit = first_number_of(groups[i].limit), used = first_number_of(groups[i].used);
        if (limit == UINT64_MAX || used == UINT64_MAX) continue;
        const uint64_t left = limit > used ? limit - used : 0;
        if (left < least) least = left;
    }
    return least;
}

ls_err kn_memory_check(const char *name, uint64_t need_bytes, uint64_t limit_bytes)
{
    const uint64_t there = limit_bytes ? limit_bytes : kn_memory_available_bytes();
    if (need_bytes <= there) return LS_OK;
    const bool is_large = need_bytes >= UINT64_C(1) << 30;
    const double unit = is_large ? 1 << 30 : 1 << 10;
    const char *text = is_large ? "GiB" : "KiB";
    return ls_fail(LS_ERR_NOMEM,
                   "%s needs %.2f %s (%" PRIu64 " bytes) and %.2f %s %s: lower its count, delta or size",
                   name, (double)need_bytes / unit, text, need_bytes, (double)there / unit, text,
                   limit_bytes ? "are allowed" : "are available");
}

/* ---- caches ---- */

static const hwloc_obj_type_t levels[] = {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE,
                                          HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L1CACHE};

static uint64_t bytes_of_level(hwloc_topology_t t, hwloc_obj_type_t level)
{
    uint64_t bytes = 0;
    for (hwloc_obj_t c = NULL; (c = hwloc_get_next_obj_by_type(t, level, c));)
        bytes += c->attr->cache.size;
    return bytes;
}

uint64_t kn_caches_last_level_bytes(void)
{
    hwloc_topology_t t;
    uint64_t bytes = 0;
    if (hwloc_topology_init(&t) != 0) return 0;
    if (hwloc_topology_load(t) == 0)
        for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]) && bytes == 0; i++)
            bytes = bytes_of_level(t, levels[i]);
    hwloc_topology_destroy(t);
    return bytes;
}
