/* SPDX-License-Identifier: BSD-3-Clause */
/* Timing one load of the program under the conditions it has natively. */
#ifndef RT_STEP_PROBE_SIGSAFE_H
#define RT_STEP_PROBE_SIGSAFE_H

#include "runtime/bursts/rt_burst_access_sigsafe.h"
#include "runtime/step/rt_step_lines_sigsafe.h"
#include "runtime/step/rt_step_pages_sigsafe.h"

/* What timing a load needs to know of the burst so far. */
struct rt_step_probe {
    uint64_t control_line;   /* always in L1 */
    uint64_t control_cycles; /* sum over the controls of this burst */
    uint32_t control_len;
    struct rt_step_pages pages;
    struct rt_step_lines lines;
};

/* Forget what the last burst touched.  Thread: the owner of p.  Signal: safe. */
void rt_step_probe_begin(struct rt_step_probe *p);

/* Every access of a burst passes here in order. measure: time it if it is a load. Returns flags of
 * spool_access (LINE_SEEN, LATENCY_VALID, FAULTED, NO_PROBE; none of the last three when the probe was
 * preempted); *reading_cycles: the probe's reading, its own cost included, written with LATENCY_VALID. Needs
 * the fault handler of the engine. Thread: the owner of p.  Signal: safe. */
uint16_t rt_step_probe_access(struct rt_step_probe *p, const struct rt_burst_access *a, bool measure,
                              uint32_t *reading_cycles);

#endif
