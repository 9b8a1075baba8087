/* SPDX-License-Identifier: BSD-3-Clause */
/* Identification of the processor without hwloc: its name, an identity that survives microcode updates, its
 * caches. */
#ifndef MACH_CPU_H
#define MACH_CPU_H

#include <stdint.h>

enum { MACH_CPU_NAME_BYTES = 128, MACH_CPU_CACHE_LEVELS = 3 };

struct mach_cpu {
    char name[MACH_CPU_NAME_BYTES];     /* "AMD EPYC 9654 96-Core Processor"; or "unknown processor" */
    char identity[MACH_CPU_NAME_BYTES]; /* name, family, model, stepping; one line */
    uint64_t cache_bytes[MACH_CPU_CACHE_LEVELS]; /* L1 data, L2, L3 of the first processor; 0: unknown */
    unsigned cache_ways[MACH_CPU_CACHE_LEVELS];  /* 0: unknown */
};

/* Read /proc/cpuinfo and sysfs, else sysconf. Never fails: missing values stay "unknown" or 0.
 * Thread: any.  Signal: not safe. */
void mach_cpu_identify(struct mach_cpu *out);

#endif
