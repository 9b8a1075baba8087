/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/mach_probe_sigsafe.h"

enum { PROBE_WARM_RUNS = 256 };

uint32_t mach_probe_cost_cycles(void)
{
    uint64_t warm_line = 0;
    uint64_t best = UINT32_MAX;
    for (int i = 0; i < PROBE_WARM_RUNS; i++) {
        const uint64_t cycles = mach_probe_load(&warm_line);
        if (cycles < best) best = cycles;
    }
    return (uint32_t)best;
}
