/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/mach_probe_sigsafe.h"

#include <cpuid.h>

/* Read by mach_probe_load; 0: mach_probe_learn has to choose. */
enum { STAMP_RDTSCP = 1, STAMP_RDTSC = 2 };
extern uint8_t mach_probe_stamp;
uint8_t mach_probe_stamp;
void mach_probe_learn(void);

bool mach_probe_has_rdtscp(void)
{
    enum { RDTSCP = 1 << 27 }; /* CPUID leaf 80000001H, EDX */
    unsigned a, b, c, d = 0;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && d & RDTSCP;
}

void mach_probe_use_rdtscp(bool use)
{
    __atomic_store_n(&mach_probe_stamp, use ? STAMP_RDTSCP : STAMP_RDTSC, __ATOMIC_RELAXED);
}

void mach_probe_learn(void)
{
    mach_probe_use_rdtscp(mach_probe_has_rdtscp());
}
