/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kn_caches.h"

#include <hwloc.h>

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
