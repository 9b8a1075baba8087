/* SPDX-License-Identifier: BSD-3-Clause */
/* Description of this machine in words: for the head of a report and for run.h5. */
#ifndef MACH_TOPOLOGY_H
#define MACH_TOPOLOGY_H

#include "common/ls_error.h"

struct mach_machine {
    char cpu[128];     /* "AMD EPYC 9654 96-Core Processor" */
    char host[256];    /* host name */
    char summary[256]; /* one line: "1 package, 2 cores, 2 threads; L1d 48 KiB x 2, L2 1 MiB x 2, L3 32 MiB; 1
                          NUMA node, 23.5 GiB" */
    char detail[2048]; /* a line for each of: CPU, packages, caches, NUMA nodes; ends with a newline */
};

/* Describe the machine as far as this process may use it (cgroups and affinity of the container count).
 * Errors: LS_ERR_IO when hwloc finds nothing; then *out is unchanged.
 * Thread: as mach_hwloc_load.  Signal: not safe. */
ls_err mach_describe(struct mach_machine *out);

#endif
