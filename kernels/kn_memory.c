/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kn_memory.h"

#include "common/ls_clock.h"
#include "common/ls_compat.h"
#include "common/ls_file.h"
#include "machine/mach_hwloc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- blocks ---- */

/* ROOM_BYTES: small blocks get this much address space, so that kept ones serve larger configurations, too */
enum { HUGE_PAGE_BYTES = 2 << 20, ROOM_BYTES = 1 << 20 };

static const int advice_of[KN_PAGES_COUNT] = {
    [KN_PAGES_HUGE] = MADV_HUGEPAGE, [KN_PAGES_SMALL] = MADV_NOHUGEPAGE};

ls_err kn_block_init(struct kn_block *out, size_t len_bytes, enum kn_pages pages)
{
    *out = (struct kn_block){0};
    if (len_bytes == 0) return LS_OK;
    const size_t align = len_bytes >= HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : (size_t)sysconf(_SC_PAGESIZE);
    if (len_bytes > SIZE_MAX - 2 * align)
        return ls_fail(LS_ERR_NOMEM, "%zu bytes do not fit the address space", len_bytes);
    const size_t mapping_bytes = len_bytes + align > ROOM_BYTES ? len_bytes + align : ROOM_BYTES;
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

void kn_memory_collapse(void *start, size_t len_bytes, enum kn_pages pages)
{
    const uintptr_t from = (uintptr_t)start, end = (from + len_bytes) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    const uintptr_t begin = (from + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    if (pages == KN_PAGES_HUGE && begin < end) (void)madvise((void *)begin, end - begin, MADV_COLLAPSE);
}

/* ---- kept blocks ---- */

/* Faults of new pages take longer than many short runs, and Spatter has them once for a whole file. */
enum { KEPT = 4, SLACK_BYTES = 16 << 20 };

static struct kept {
    struct kn_block block; /* empty: none */
    enum kn_pages pages;
    unsigned threads, node;
} kept[KEPT];

static size_t room_of(const struct kn_block *b)
{
    return b->mapping_bytes - (size_t)((char *)b->base - (char *)b->mapping);
}

static uint64_t kept_bytes(void)
{
    uint64_t bytes = 0;
    for (int k = 0; k < KEPT; k++)
        bytes += kept[k].block.mapping_bytes;
    return bytes;
}

/* Does the machine have one NUMA node (sysfs-devices-node)? Kernels without NUMA lack the file. */
static bool is_one_node(void)
{
    static enum { UNKNOWN, ONE, SEVERAL } nodes;
    char online[64];
    if (nodes == UNKNOWN) {
        ls_file_read("/sys/devices/system/node/online", online, sizeof(online));
        nodes = strpbrk(online, "-,") ? SEVERAL : ONE;
    }
    return nodes == ONE;
}

/* The NUMA node of the calling thread. */
static unsigned node_here(void)
{
    unsigned cpu, node = 0;
    return is_one_node() || syscall(SYS_getcpu, &cpu, &node, NULL) != 0 ? 0 : node;
}

/* Threads touch their shares, whose limits depend on the length: on several nodes the shares of another length are
 * elsewhere. */
static bool is_placed_alike(const struct kept *k, size_t len_bytes, unsigned threads)
{
    if (is_one_node()) return true;
    return k->threads == threads && (threads == 1 ? k->node == node_here() : k->block.len_bytes == len_bytes);
}

/* A large block does not serve a small one, which would then lie in huge pages and take up more memory than needed. */
static bool serves(const struct kept *k, size_t len_bytes, enum kn_pages pages, unsigned threads)
{
    const size_t room = k->block.mapping ? room_of(&k->block) : 0;
    return room >= len_bytes && k->pages == pages && room - len_bytes <= len_bytes / 4 + SLACK_BYTES &&
           (room >= HUGE_PAGE_BYTES) == (len_bytes >= HUGE_PAGE_BYTES) &&
           is_placed_alike(k, len_bytes, threads);
}

/* Unmap all kept blocks that are larger than the slack: a new one takes their memory. */
static void drop_large(void)
{
    for (int k = 0; k < KEPT; k++)
        if (kept[k].block.mapping_bytes > SLACK_BYTES) kn_block_fini(&kept[k].block);
}

ls_err kn_block_reuse(struct kn_block *out, size_t len_bytes, enum kn_pages pages, unsigned threads)
{
    struct kept *best = NULL;
    for (int k = 0; k < KEPT && len_bytes; k++)
        if (serves(&kept[k], len_bytes, pages, threads) &&
            (!best || room_of(&kept[k].block) < room_of(&best->block)))
            best = &kept[k];
    if (!best) {
        if (len_bytes >= SLACK_BYTES) drop_large();
        return kn_block_init(out, len_bytes, pages);
    }
    *out = best->block;
    out->len_bytes = len_bytes;
    best->block = (struct kn_block){0};
    return LS_OK;
}

void kn_block_keep(struct kn_block *b, enum kn_pages pages, unsigned threads)
{
    struct kept *least = &kept[0];
    for (int k = 1; k < KEPT; k++)
        if (kept[k].block.mapping_bytes < least->block.mapping_bytes) least = &kept[k];
    if (b->mapping && b->mapping_bytes > least->block.mapping_bytes) {
        kn_block_fini(&least->block);
        *least = (struct kept){*b, pages, threads, node_here()};
        *b = (struct kn_block){0};
    }
    kn_block_fini(b);
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
    return least > UINT64_MAX - kept_bytes() ? least : least + kept_bytes();
}

/* The available memory does not change within a second so much that a small need of it becomes too large. */
static bool is_small_need(uint64_t need_bytes)
{
    static uint64_t read_ns, small_bytes;
    const uint64_t now_ns = ls_clock_mono_ns();
    if (!read_ns || now_ns - read_ns > LS_NS_PER_S) {
        small_bytes = kn_memory_available_bytes() / 8;
        read_ns = now_ns;
    }
    return need_bytes <= small_bytes;
}

ls_err kn_memory_check(const char *name, uint64_t need_bytes, uint64_t limit_bytes)
{
    if (!limit_bytes && is_small_need(need_bytes)) return LS_OK;
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
    const hwloc_topology_t t = mach_hwloc_load();
    uint64_t bytes = 0;
    if (!t) return 0;
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]) && bytes == 0; i++)
        bytes = bytes_of_level(t, levels[i]);
    hwloc_topology_destroy(t);
    return bytes;
}
