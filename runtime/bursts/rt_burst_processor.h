/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions of the processor that bursts can do without. Older kernels and some virtual machines hide them.
 * without: names of instructions to do without in any case, separated by commas, as in LOADSTONE_WITHOUT.
 *
 * Thread: any.  Signal: not safe. */
#ifndef RT_BURST_PROCESSOR_H
#define RT_BURST_PROCESSOR_H

#include <stdbool.h>

/* "fsgsbase": rdgsbase, wrgsbase and their like. */
bool rt_burst_has_fsgsbase(const char *without);
/* "rdtscp" */
bool rt_burst_has_rdtscp(const char *without);
/* "bmi2": mulx, and crc32 of SSE4.2. */
bool rt_burst_has_bmi2(const char *without);

#endif
