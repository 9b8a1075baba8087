/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/perf_events/rt_perf_numa.h"

#include "common/ls_compat.h"
#include "common/ls_cpus.h"
#include "common/ls_file.h"
#include "spool/spool_put_sigsafe.h"

#include <stdio.h>
#include <sys/auxv.h>

static unsigned numa_nodes;

void rt_perf_numa_begin(const char *sysfs_root)
{
    char path[512], list[256];
    const char *at = list;
    snprintf(path, sizeof(path), "%s/devices/system/node/has_memory",
             sysfs_root && *sysfs_root ? sysfs_root : "/sys");
    ls_file_read(path, list, sizeof(list));
    numa_nodes = 0;
    for (unsigned first, last; ls_cpus_next(&at, &first, &last);)
        numa_nodes += last - first + 1;
}

uint8_t rt_perf_numa_of(uint64_t addr)
{
    uint64_t page = addr & ~(uint64_t)(getauxval(AT_PAGESZ) - 1);
    int node = -1;
    if (numa_nodes < 2 || !addr) return SPOOL_NOT_TOLD;
    if (ls_syscall(SYS_move_pages, 0, 1, &page, NULL, &node, 0) < 0 || node < 0 || node >= SPOOL_NOT_TOLD)
        return SPOOL_NOT_TOLD;
    return (uint8_t)node;
}
