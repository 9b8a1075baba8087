/* SPDX-License-Identifier: BSD-3-Clause */
/* The processors, caches and NUMA nodes of this machine, as hwloc finds them. */
#ifndef MACH_HWLOC_H
#define MACH_HWLOC_H

#include <hwloc.h>

/* Find the topology without hwloc's plugins, which find devices, and without its probe by cpuid on each processor, which
 * takes 10 ms and more, unless the files of the system lack cores or caches.
 * Owns:   the caller ends the topology with hwloc_topology_destroy.
 * Returns NULL if hwloc finds nothing.
 * Thread: no other one may use the environment. */
hwloc_topology_t mach_hwloc_load(void);

#endif
