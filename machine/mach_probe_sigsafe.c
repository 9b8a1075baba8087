/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/mach_probe_sigsafe.h"

uint64_t mach_probe_control(const volatile void *line)
{
    (void)*(const volatile char *)line;
    (void)mach_probe_load(line); /* the first call pays for fetching and decoding the probe */
    return mach_probe_load(line);
}
