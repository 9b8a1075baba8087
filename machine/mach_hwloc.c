/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/mach_hwloc.h"

#include <stdbool.h>
#include <stdlib.h>

#define PLUGINS_PATH "HWLOC_PLUGINS_PATH"

/* Plugins find PCI devices, displays and devices of OpenCL, which no caller uses, and read the XML file of a user. */
static bool wants_plugins(void)
{
    return getenv(PLUGINS_PATH) || getenv("HWLOC_XMLFILE");
}

static hwloc_topology_t init(void)
{
    hwloc_topology_t t = NULL;
    const bool without_plugins = !wants_plugins() && setenv(PLUGINS_PATH, "/dev/null", 1) == 0;
    if (hwloc_topology_init(&t) != 0) t = NULL;
    if (without_plugins) unsetenv(PLUGINS_PATH);
    return t;
}

static hwloc_topology_t load(bool probes_processors)
{
    hwloc_topology_t t = init();
    if (!t) return NULL;
    /* has no effect where hwloc was built without this component */
    if (!probes_processors) hwloc_topology_set_components(t, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    if (hwloc_topology_load(t) == 0) return t;
    hwloc_topology_destroy(t);
    return NULL;
}

/* In some virtual machines only the instruction cpuid lists the caches. */
static bool has_cores_and_caches(hwloc_topology_t t)
{
    return hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE) > 0 &&
           hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_L1CACHE) > 0;
}

hwloc_topology_t mach_hwloc_load(void)
{
    hwloc_topology_t t = load(false);
    if (t && has_cores_and_caches(t)) return t;
    if (t) hwloc_topology_destroy(t);
    return load(true);
}
