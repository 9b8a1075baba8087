/* SPDX-License-Identifier: BSD-3-Clause */
/* On which NUMA node a page lies, asked of the kernel (move_pages(2)) when its sample is read; on machines
 * with one node nothing is asked.
 *
 * Thread: any, depth > 0.  Signal: not safe. */
#ifndef RT_PERF_NUMA_H
#define RT_PERF_NUMA_H

#include <stdint.h>

/* How many nodes are there? sysfs_root NULL or "": /sys. */
void rt_perf_numa_begin(const char *sysfs_root);
/* SPOOL_NOT_TOLD: one node, the page is gone, or the kernel does not tell. */
uint8_t rt_perf_numa_of(uint64_t addr);

#endif
