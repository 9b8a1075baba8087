/* SPDX-License-Identifier: BSD-3-Clause */
/* Processors without a probe: every load "faults", so no latency is ever reported. */
#include "machine/mach_probe_sigsafe.h"

const char mach_probe_load_ip[1] = {0}, mach_probe_fault_ip[1] = {0};

uint64_t mach_probe_load(const volatile void *addr)
{
    (void)addr;
    return MACH_PROBE_FAULTED;
}
