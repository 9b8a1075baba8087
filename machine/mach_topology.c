/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/mach_topology.h"

#include "machine/mach_cpu.h"
#include "machine/mach_hwloc.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct text {
    char *at;
    size_t left_bytes;
};

static struct text text_over(char *buffer, size_t len_bytes)
{
    buffer[0] = '\0';
    return (struct text){.at = buffer, .left_bytes = len_bytes};
}

/* Append formatted text, cut off where it does not fit. */
static void __attribute__((format(printf, 2, 3))) text_add(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int len = vsnprintf(t->at, t->left_bytes, format, args);
    va_end(args);
    if (len < 0) return;
    const size_t used = (size_t)len < t->left_bytes ? (size_t)len : t->left_bytes - 1;
    t->at += used;
    t->left_bytes -= used;
}

static void text_add_bytes(struct text *t, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t u = 0;
    while (value >= 1024 && u + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1024;
        u++;
    }
    const bool whole = value == (double)(uint64_t)value;
    text_add(t, whole ? "%.0f %s" : "%.1f %s", value, units[u]);
}

static void text_add_count(struct text *t, int n, const char *noun)
{
    text_add(t, "%d %s%s", n, noun, n == 1 ? "" : "s");
}

struct cache_row {
    hwloc_obj_type_t type;
    const char *name;
};

static const struct cache_row cache_rows[] = {{HWLOC_OBJ_L1CACHE, "L1d"},
                                              {HWLOC_OBJ_L2CACHE, "L2"},
                                              {HWLOC_OBJ_L3CACHE, "L3"},
                                              {HWLOC_OBJ_L4CACHE, "L4"}};
enum { CACHE_ROWS = sizeof(cache_rows) / sizeof(cache_rows[0]) };

static void add_cache(struct text *t, hwloc_topology_t topology, const struct cache_row *row)
{
    const int n = hwloc_get_nbobjs_by_type(topology, row->type);
    const hwloc_obj_t first = n > 0 ? hwloc_get_obj_by_type(topology, row->type, 0) : NULL;
    text_add(t, "%s ", row->name);
    text_add_bytes(t, first ? first->attr->cache.size : 0);
    if (n > 1) text_add(t, " x %d", n);
}

static void add_caches(struct text *t, hwloc_topology_t topology)
{
    const char *separator = "";
    for (int i = 0; i < CACHE_ROWS; i++) {
        if (hwloc_get_nbobjs_by_type(topology, cache_rows[i].type) <= 0) continue;
        text_add(t, "%s", separator);
        add_cache(t, topology, &cache_rows[i]);
        separator = ", ";
    }
}

static void add_processors(struct text *t, hwloc_topology_t topology)
{
    text_add_count(t, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE), "package");
    text_add(t, ", ");
    text_add_count(t, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE), "core");
    text_add(t, ", ");
    text_add_count(t, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU), "thread");
}

/* Size of the memory. hwloc adds up the NUMA nodes and so misses memory that was plugged in later; the
 * system's total includes it. */
static uint64_t memory_bytes(hwloc_topology_t topology)
{
    const uint64_t of_nodes = hwloc_get_root_obj(topology)->total_memory;
    const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    const uint64_t of_system = pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : 0;
    return of_system > of_nodes ? of_system : of_nodes;
}

static void add_summary(struct text *t, hwloc_topology_t topology)
{
    add_processors(t, topology);
    text_add(t, "; ");
    add_caches(t, topology);
    text_add(t, "; ");
    text_add_count(t, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE), "NUMA node");
    text_add(t, ", ");
    text_add_bytes(t, memory_bytes(topology));
}

static void add_numa_node(struct text *t, hwloc_obj_t node)
{
    text_add(t, "NUMA node %u: ", node->os_index);
    text_add_bytes(t, node->attr->numanode.local_memory);
    text_add(t, ", ");
    text_add_count(t, hwloc_bitmap_weight(node->cpuset), "thread");
    text_add(t, "\n");
}

static void add_detail(struct text *t, hwloc_topology_t topology, const char *cpu)
{
    text_add(t, "CPU: %s\nProcessors: ", cpu);
    add_processors(t, topology);
    text_add(t, "\nCaches: ");
    add_caches(t, topology);
    text_add(t, "\n");
    text_add(t, "Memory: ");
    text_add_bytes(t, memory_bytes(topology));
    text_add(t, "\n");
    const int nodes = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
    for (int i = 0; i < nodes; i++)
        add_numa_node(t, hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, (unsigned)i));
}

static void describe(hwloc_topology_t topology, struct mach_machine *out)
{
    struct mach_cpu cpu;
    mach_cpu_identify(&cpu);
    snprintf(out->cpu, sizeof(out->cpu), "%s", cpu.name);
    if (gethostname(out->host, sizeof(out->host) - 1) != 0) out->host[0] = '\0';
    out->host[sizeof(out->host) - 1] = '\0';
    struct text summary = text_over(out->summary, sizeof(out->summary));
    add_summary(&summary, topology);
    struct text detail = text_over(out->detail, sizeof(out->detail));
    add_detail(&detail, topology, out->cpu);
}

ls_err mach_describe(struct mach_machine *out)
{
    const hwloc_topology_t topology = mach_hwloc_load();
    if (!topology) return ls_fail(LS_ERR_IO, "hwloc finds no topology: is /sys mounted?");
    describe(topology, out);
    hwloc_topology_destroy(topology);
    return LS_OK;
}
