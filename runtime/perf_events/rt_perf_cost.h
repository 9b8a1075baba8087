/* SPDX-License-Identifier: BSD-3-Clause */
/* What one sample of page faults costs the program here: measured, because it depends on the machine (twice
 * as much in many virtual machines) and on what a sample holds.
 *
 * Thread: the constructor, depth > 0.  Signal: not safe. */
#ifndef RT_PERF_COST_H
#define RT_PERF_COST_H

#include "perf/pe_open.h"

/* Fault a few pages with and without attr's event, the best of some rounds; a tenth of a millisecond in all.
 * ns of one sample, 0 when it cannot be measured. attr: page faults, period 1. Leaves nothing behind. */
uint32_t rt_perf_cost_of_fault(const struct perf_event_attr *attr);

/* TEXT; one costs 0.8 us, measured (or assumed)", into out. */
void rt_perf_cost_text(const char *text, uint32_t cost_ns, const char *how, char *out, size_t out_len);

#endif
