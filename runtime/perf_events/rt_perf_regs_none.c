/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks are not copied on this machine: the STACK record has registers of x86-64. */
#include "runtime/perf_events/rt_perf_sample.h"

const uint8_t rt_perf_regs_numbers[SPOOL_REGS] = {0};
const uint64_t rt_perf_regs_mask = 0;
