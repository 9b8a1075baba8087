/* SPDX-License-Identifier: BSD-3-Clause */
/* The latency probe: one timed load of one byte. Source: ordering of lfence and rdtsc, Intel SDM vol. 2B,
 * RDTSC and RDTSCP. */
#ifndef MACH_PROBE_SIGSAFE_H
#define MACH_PROBE_SIGSAFE_H

#include <stdbool.h>
#include <stdint.h>

/* lfence; rdtsc; lfence; load; rdtscp; lfence, or lfence; rdtsc; lfence after the load where the processor has no
 * rdtscp. Returns elapsed TSC cycles, the probe's own cost included. The load may fault: a SIGSEGV/SIGBUS handler
 * whose ip is mach_probe_load_ip or mach_probe_plain_load_ip sets it to mach_probe_fault_ip, and the function returns
 * MACH_PROBE_FAULTED. Thread: any.  Signal: safe. */
uint64_t mach_probe_load(const volatile void *addr);
#define MACH_PROBE_FAULTED UINT64_MAX
extern const char mach_probe_load_ip[], mach_probe_plain_load_ip[], mach_probe_fault_ip[];

/* Does the processor have rdtscp? Some virtual machines hide it.  Thread: any.  Signal: safe. */
bool mach_probe_has_rdtscp(void);
/* Time loads with rdtscp, or without; the default is the processor's.  Thread: any.  Signal: safe. */
void mach_probe_use_rdtscp(bool use);

/* Probe a line that is certainly in L1, with the probe's code also warm: the reading is the probe's cost plus
 * the latency of L1. Where the time stamp counter advances in steps, one reading is inexact; the mean of many
 * is exact, because calls come at random phases of a step.  Thread: any.  Signal: safe. */
static inline uint64_t mach_probe_control(const volatile void *line)
{
    (void)*(const volatile char *)line;
    (void)mach_probe_load(line); /* the first call pays for fetching and decoding the probe */
    return mach_probe_load(line);
}

#endif
